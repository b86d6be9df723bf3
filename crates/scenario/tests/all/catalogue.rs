//! Kinds of one's own in a scenario's catalogue: read, checked, built, written and told of in mistakes as any other.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use windfall_hierarchy::Processor;
use windfall_scenario::model::Setting as SettingOf;
use windfall_scenario::{Catalogue, Catalogues, Override, Scenario};
use windfall_schedulers::catalogue::{Form, Kind, Properties, Setting, Settings, Value};
use windfall_schedulers::kinds;
use windfall_time::Span;

/// Round robin, whose quantum is said otherwise.
static MINE: Kind = Kind::new("my-turns", "each ready child in turn", |settings| {
    let quantum = [("quantum", Value::Span(settings.span("turn")))];
    kinds::ROUND_ROBIN.build(&Settings(&quantum))
})
.with_settings(&[Setting {
    name: "turn",
    form: Form::Span,
    default: "5ms",
    help: "how long a child runs",
}]);

const TEXT: &str = r#"
schema = 2
length = "1s"
schedulers.fp = { scheduler = "fixed-priority", parent = "top" }
schedulers.rr = { scheduler = "my-turns", parent = "fp", turn = "3ms" }
threads.a = { parent = "rr", run = "spin" }

[[at]]
time = "500ms"
do = "create"
name = "later"
with = { scheduler = "my-turns", parent = "fp" }
"#;

fn catalogue() -> Catalogue {
    let mut catalogue = Catalogue::default();
    catalogue.register(&MINE).unwrap();
    catalogue
}

#[test]
fn accepts_a_kind_of_ones_own_in_a_text() {
    let scenario = Scenario::parse_in(&catalogue(), "own.toml", TEXT);
    let scenario = scenario.unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert_eq!(scenario.promises().tree.nodes[1].kind, "my-turns");
    let plan = scenario.build().unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let node = plan.nodes.iter().find(|(name, _)| name == "rr").unwrap().1;
    assert_eq!(plan.hierarchy.node(node).unwrap().kind, "my-turns");
    assert_eq!(plan.hierarchy.running(Processor(0)), None);
    let written = scenario.write();
    assert_eq!(Scenario::parse_in(&catalogue(), "own.toml", &written).unwrap(), scenario);
}

#[test]
fn refuses_it_where_it_is_not_registered_and_its_settings_where_they_are_wrong() {
    let unknown = Scenario::parse("own.toml", TEXT).unwrap_err().to_string();
    assert!(unknown.contains("unknown scheduler `my-turns`"), "{unknown}");
    let near =
        TEXT.replace("\"my-turns\", parent = \"fp\", turn", "\"my-turn\", parent = \"fp\", turn");
    let near = Scenario::parse_in(&catalogue(), "own.toml", &near).unwrap_err().to_string();
    assert!(near.contains("did you mean `my-turns`?"), "{near}");
    let wrong = TEXT.replace("turn = \"3ms\"", "turm = \"3ms\"");
    let wrong = Scenario::parse_in(&catalogue(), "own.toml", &wrong).unwrap_err().to_string();
    assert!(wrong.contains("did you mean `turn`?"), "{wrong}");
    let mut made = Scenario::parse_in(&catalogue(), "own.toml", TEXT).unwrap();
    made.catalogue = Catalogue::of(&[kinds::FIXED_PRIORITY]);
    made.origin = windfall_scenario::Origin::default();
    let unknown = made.check().unwrap_err().to_string();
    assert!(unknown.contains("unknown scheduler `my-turns`"), "{unknown}");
}

/// A remedy lists kinds by what they do, those of one's own included.
#[test]
fn law_remedies_know_kinds_of_ones_own() {
    static ADMITS: Kind =
        Kind::new("my-ports", "as ports", |_| kinds::PORTS.build(&Settings::default()))
            .with_properties(Properties::NONE.admits().adds_up().keeps_epochs());
    let mut catalogue = catalogue();
    catalogue.register(&ADMITS).unwrap();
    let refused = |more: &str| {
        let text = format!("{TEXT}{more}");
        Scenario::parse_in(&catalogue, "own.toml", &text).unwrap_err().to_string()
    };
    let transfer =
        "[[at]]\ntime = \"1ms\"\ndo = \"transfer\"\nfrom = \"rr\"\nto = \"rr\"\nwork = \"1ms\"";
    let moved = refused(transfer);
    assert!(moved.contains("name one of a kind that admits tasks: ports, my-ports"), "{moved}");
    let jobs = "[threads.b]\nparent = \"rr\"\nperiodic = { work = \"1ms\", period = \"9ms\", admit = true }";
    let jobs = refused(jobs);
    assert!(jobs.contains("put `b` below one of: ports, my-ports"), "{jobs}");
}

#[test]
fn accepts_a_kind_of_ones_own_in_a_file_and_in_what_it_inherits_from() {
    let folder = std::env::temp_dir().join(format!("windfall-catalogue-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let own = folder.join("own.toml");
    std::fs::write(folder.join("base.toml"), TEXT).unwrap();
    std::fs::write(&own, "schema = 2\ninherits = \"base.toml\"\nlength = \"2s\"\n").unwrap();
    let known = Scenario::load_in(&catalogue(), &own).map_err(|mistakes| mistakes.to_string());
    let unknown = Scenario::load(&own).map_err(|mistakes| mistakes.to_string());
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(known.unwrap().schedulers[1].kind, "my-turns");
    assert!(unknown.unwrap_err().contains("unknown scheduler `my-turns`"));
}

#[test]
fn accepts_a_kind_of_ones_own_with_overrides_and_with_a_base() {
    let catalogues = Catalogues::from(&catalogue());
    let set: Override = "rr.turn=4ms".parse().unwrap();
    let heir = "schema = 2\ninherits = \"base.toml\"\n";
    let base = |name: &str| Ok((name.to_owned(), TEXT.to_owned()));
    let read = catalogues.parse("own.toml", heir, base, std::slice::from_ref(&set));
    let read = read.unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let turn = ("turn".to_owned(), SettingOf::Span(Span::from_millis(4)));
    assert_eq!(
        (read.schedulers[1].kind.as_str(), &read.schedulers[1].settings[..]),
        ("my-turns", &[turn][..])
    );

    let file = std::env::temp_dir().join(format!("windfall-set-{}.toml", std::process::id()));
    std::fs::write(&file, TEXT).unwrap();
    let loaded = catalogues.load(&file, &[set]);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(loaded.unwrap_or_else(|mistakes| panic!("{mistakes}")).schedulers, read.schedulers);
}
