//! Programs of a kind: how they are named, what is told of mistakes, and kinds of one's own.

use crate::common::{GOOD, tells};
use windfall_programs::catalogue::{Catalogue, Form, Kind, Setting as Declared};
use windfall_programs::{Node, Program};
use windfall_scenario::model::{Run, Setting};
use windfall_scenario::{Origin, Scenario};
use windfall_time::{Instant, Span};

/// `GOOD`, whose thread runs this.
fn running(program: &str) -> String {
    GOOD.replace("periodic = \"3ms/20ms\"", program)
}

fn parsed(text: &str) -> Scenario {
    Scenario::parse("e.toml", text).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

#[test]
fn law_a_kind_is_named_in_three_ways_that_mean_the_same() {
    let plain = parsed(&running("program = \"bsat-sink\""));
    let table = parsed(&running("program = { kind = \"bsat-sink\" }"));
    let named = running("program = \"x\"\n[programs.x]\nkind = \"bsat-sink\"");
    assert_eq!(plain, table);
    assert_eq!(plain, parsed(&named));
    let with = "kind = \"bsat-sink\"\nwork = \"1ms\"\nfrom = \"a\"\ncapacity = 3";
    let named = parsed(&running(&format!("program = \"x\"\n[programs.x]\n{with}")));
    let table = parsed(&running(&format!("program = {{ {} }}", with.replace('\n', ", "))));
    assert_eq!(named, table);
    let settings = vec![
        ("capacity".to_owned(), Setting::Integer(3)),
        ("from".to_owned(), Setting::Word("a".to_owned())),
        ("work".to_owned(), Setting::Span(Span::from_millis(1))),
    ];
    assert_eq!(named.threads[0].run, Run::OfKind { kind: "bsat-sink".to_owned(), settings });
    assert_eq!(parsed(&named.write()), named);
    named.build().unwrap_or_else(|mistakes| panic!("{mistakes}"));
}

#[test]
fn accepts_a_program_of_the_file_that_is_called_as_a_kind() {
    let text = running("program = \"bsat-sink\"\n[programs.bsat-sink]\nrun = \"spin\"");
    assert_eq!(parsed(&text).threads[0].run, Run::spin());
}

#[test]
fn refuses_what_no_kind_is_called_and_names_the_nearest() {
    let unknown = [(12, "unknown program `bsat-snk`", "did you mean `bsat-sink`?")];
    tells(&running("program = \"bsat-snk\""), &unknown);
    let kind = "unknown kind of program `bsat-snk`";
    let table = running("program = { kind = \"bsat-snk\" }");
    tells(&table, &[(12, kind, "did you mean `bsat-sink`?")]);
    let named = running("program = \"x\"\n[programs.x]\nkind = \"bsat-snk\"");
    tells(&named, &[(14, kind, "did you mean `bsat-sink`?")]);
    tells(&running("program = {}"), &[(12, "`kind` is missing", "windfall catalogue")]);
}

#[test]
fn refuses_settings_that_the_kind_does_not_have_or_not_so() {
    let with = |line: &str| {
        running(&format!("program = \"x\"\n[programs.x]\nkind = \"bsat-sink\"\n{line}"))
    };
    tells(&with("wrok = \"1ms\""), &[(15, "unknown key `wrok`", "did you mean `work`?")]);
    tells(&with("work = \"0ms\""), &[(15, "`work` of `bsat-sink`", "a length of time above zero")]);
    tells(&with("work = 5"), &[(15, "`work` of `bsat-sink`", "a length of time above zero")]);
    tells(&with("from = \"two words\""), &[(15, "`from` of `bsat-sink`", "write a name")]);
    tells(&with("capacity = 0"), &[(15, "out of range", "from 1 to 16777216")]);
    tells(&with("capacity = [1]"), &[(15, "does not belong here", "")]);
    // What the schedulers of a monitor are is not asked where they could not be read.
    let monitor = |line: &str| with(line).replace("bsat-sink", "monitor");
    tells(&monitor("nodes = 5"), &[(15, "`nodes` of `monitor` is out of range", "write a name")]);
    tells(&monitor("node = \"root\""), &[(15, "unknown key `node`", "did you mean `nodes`?")]);
    let inline = running("program = { kind = \"monitor\", nodes = \"two words\" }");
    tells(&inline, &[(12, "`nodes` of `monitor` is out of range", "write a name")]);
    let both = [(15, "`kind` and `periodic` exclude each other", "of a kind, or says itself")];
    tells(&with("periodic = \"1ms/2ms\""), &both);
    let beside = running("run = \"spin\"\nprogram = \"bsat-sink\"");
    tells(&beside, &[(13, "`program` and `run` exclude each other", "one of its own")]);
    let beside = running("run = \"spin\"\nprogram = { kind = \"bsat-sink\" }");
    tells(&beside, &[(13, "`run` and `program` exclude each other", "exactly one of")]);
}

#[test]
fn refuses_in_code_what_it_refuses_in_a_file() {
    let mut scenario = parsed(&running("program = \"bsat-sink\""));
    scenario.origin = Origin::default();
    scenario.programs = Catalogue::of(&[]);
    let unknown = scenario.check().unwrap_err().to_string();
    assert!(unknown.contains("unknown kind of program `bsat-sink`"), "{unknown}");
    let settings = vec![("messages".to_owned(), Setting::Integer(0))];
    scenario.programs = Catalogue::default();
    scenario.threads[0].run = Run::OfKind { kind: "bsat-generator".to_owned(), settings };
    let wrong = scenario.check().unwrap_err().to_string();
    assert!(wrong.contains("setting `messages`: 0 is out of range"), "{wrong}");
}

/// Spins after a while.
static LATE: Kind = Kind::new("late", "computes for ever, after a while", |settings, _| {
    Ok(Program::Spin { from: Instant::ZERO + settings.span("after") })
})
.with_settings(&[Declared { name: "after", form: Form::Span, default: "5ms", help: "when" }]);

#[test]
fn accepts_a_kind_of_ones_own_where_it_is_registered() {
    let mut mine = Catalogue::default();
    mine.register(&LATE).unwrap();
    let text = running("program = { kind = \"late\", after = \"2ms\" }");
    let scenario = Scenario::parse_in(&mine, "e.toml", &text).unwrap();
    let plan = scenario.build().unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let expected = Program::Spin { from: Instant::ZERO + Span::from_millis(2) };
    assert_eq!(plan.threads[0].program.declared(), Some(&expected));
    assert_eq!(Scenario::parse_in(&mine, "e.toml", &scenario.write()).unwrap(), scenario);
    tells(&text, &[(12, "unknown kind of program `late`", "allowed: bsat-delivery")]);
}

#[test]
fn law_each_tree_is_a_node_of_its_processes() {
    let node = |n: u16| {
        format!(
            "[schedulers.top-{n}]\nscheduler = \"round-robin\"\nparent = \"top\"\n\
             [schedulers.in-{n}]\nscheduler = \"round-robin\"\nparent = \"top-{n}\"\n\
             [threads.t-{n}]\nparent = \"in-{n}\"\nprogram = \"bsat-sink\"\n"
        )
    };
    let head = "schema = 2\nlength = \"1s\"\ndefault = \"in-1\"\nmachine.processors = 3\n";
    let scenario = parsed(&(head.to_owned() + &node(0) + &node(1) + &node(2)));
    let plan = scenario.build().unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let nodes: Vec<Option<Node>> = (plan.threads.iter())
        .map(|thread| match thread.program.declared() {
            Some(Program::Process(start)) => Some(start.node()),
            _ => None,
        })
        .collect();
    assert_eq!(nodes, [0, 1, 2].map(|n| Some(Node(n))));
    let homes: Vec<&str> = (plan.processes.nodes.iter())
        .map(|home| plan.nodes.iter().find(|(_, id)| *id == home.scheduler).unwrap().0.as_str())
        .collect();
    assert_eq!(homes, ["top-0", "in-1", "top-2"]);
}

#[test]
fn refuses_a_monitor_of_what_is_no_epoch_scheduler() {
    let monitor =
        |nodes: &str| running(&format!("program = {{ kind = \"monitor\", nodes = \"{nodes}\" }}"));
    let message = "`root` is of kind `rez`, which keeps no accounts of epochs for `a` to read";
    tells(&monitor("root"), &[(12, message, "that keep such accounts (epoch), or give")]);
    let message = "no scheduler is called `node` or `node-1`";
    tells(&monitor("node"), &[(12, message, "name the schedulers in `nodes`")]);
    // One of several that the run creates later.
    let text = format!(
        "{}\n[[at]]\ntime = \"1 s\"\ndo = \"create\"\nname = \"root-2\"\nwith = {{ scheduler = \"epoch\", parent = \"top\" }}",
        monitor("root")
    );
    let message = "`root` is of kind `rez`, which keeps no accounts of epochs for `a` to read";
    tells(&text, &[(12, message, "")]);
}
