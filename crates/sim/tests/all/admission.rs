//! The supplies of schedulers that admit jobs, before and after control requests.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use windfall_hierarchy::{Answer, ChildVp, Context, Message, OwnVp, Scheduler, TimerId};
use windfall_scenario::outcome::{Outcome, ThreadOutcome};
use windfall_scenario::{Catalogue, PlannedRequest, Scenario};
use windfall_schedulers::catalogue::{Kind, Settings};
use windfall_schedulers::kinds;
use windfall_schedulers::parameters::RESERVE;
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

/// Jobs of 15 ms and of 5 ms every 10 ms for a second: the former of a whole processor, the latter of 2 ms in 10 ms at first.
const TREE: &str = r#"
schema = 2
length = "1s"
[machine]
processors = 2
[schedulers.whole]
scheduler = "ports"
parent = "top"
[schedulers.rez]
scheduler = "rez"
parent = "top"
[schedulers.part]
scheduler = "ports"
parent = "rez"
guarantee = "RESBS 2ms 10ms"
[threads.at-top]
parent = "whole"
periodic = { work = "15ms", period = "10ms", deadline = "40ms", admit = true }
[threads.below]
parent = "part"
periodic = { work = "5ms", period = "10ms", deadline = "60ms", admit = true }
[threads.other]
parent = "rez"
guarantee = "RESBS 1ms 10ms"
run = "spin"
"#;

fn run(more: &str) -> Outcome {
    run_file(&format!("{TREE}{more}"))
}

fn run_file(text: &str) -> Outcome {
    let scenario = Scenario::parse("admission.toml", text).unwrap();
    let sim = Sim::of(scenario.build().unwrap(), None).unwrap();
    sim.run(Instant::ZERO + scenario.length, |_| true)
}

fn thread<'a>(outcome: &'a Outcome, name: &str) -> &'a ThreadOutcome {
    outcome.threads.iter().find(|thread| thread.name == name).unwrap()
}

fn admitted(outcome: &Outcome, name: &str) -> u64 {
    let thread = thread(outcome, name);
    assert_eq!(thread.missed, 0, "{name}");
    thread.submitted - thread.refusals.all()
}

#[test]
fn law_a_control_request_changes_what_is_held_and_nothing_else() {
    let change = |to: &str| {
        format!(
            "[[at]]\ntime = \"500ms\"\ndo = \"guarantee\"\nscheduler = \"part\"\nguarantee = \"{to}\"\n"
        )
    };
    let (plain, more) = (run(""), run(&change("RESBS 6ms 10ms")));
    // Two in three of the former fit, and two in five of the latter.
    assert!((60..75).contains(&admitted(&plain, "at-top")), "{}", admitted(&plain, "at-top"));
    assert!((30..50).contains(&admitted(&plain, "below")), "{}", admitted(&plain, "below"));
    assert!(admitted(&more, "below") > admitted(&plain, "below") + 20);
    assert_eq!(admitted(&more, "at-top"), admitted(&plain, "at-top"));
}

/// A scheduler below another that admits has what is moved to it, and promises nothing else; so does one that holds a part of its own beside that.
#[test]
fn law_laxity_that_moves_is_promised_by_the_receiver() {
    let more = r#"
[schedulers.low]
scheduler = "ports"
parent = "part"
[threads.lowest]
parent = "low"
periodic = { work = "1ms", period = "10ms", deadline = "80ms", admit = true }
[schedulers.sum]
scheduler = "join"
parents = [{ parent = "rez", guarantee = "RESBS 1ms 10ms" }, "part"]
[schedulers.both]
scheduler = "ports"
parent = "sum"
guarantee = "RESBS 1ms 10ms"
[threads.summed]
parent = "both"
periodic = { work = "8ms", period = "10ms", deadline = "80ms", admit = true }
"#;
    let moves = |to: &str, at: u32, work: u32| {
        format!(
            "[[at]]\ntime = \"{at}us\"\ndo = \"transfer\"\nfrom = \"part\"\nto = \"{to}\"\nwork = \"{work}ms\"\n"
        )
    };
    let tree = TREE.replace("work = \"5ms\"", "work = \"1ms\"");
    let run = |requests: &str| {
        let text = format!("{tree}{more}{requests}").replace("RESBS 2ms 10ms", "RESBS 6ms 10ms");
        let scenario = Scenario::parse("moved.toml", &text).unwrap();
        let sim = Sim::of(scenario.build().unwrap(), None).unwrap();
        sim.run(Instant::ZERO + scenario.length, |_| true)
    };
    let plain = run("");
    let moved = run(&(moves("low", 105_000, 30) + &moves("both", 505_000, 40)));
    let [(_, first)] = &moved.refused[..] else { panic!("{:?}", moved.refused) };
    assert!(first.contains("`lowest` submits a job") && first.contains("move laxity"), "{first}");
    assert_eq!(admitted(&plain, "lowest"), 0);
    let (few, many) = (admitted(&plain, "summed"), admitted(&moved, "summed"));
    // In each 10 ms, 1 ms is used, and six tenths of the rest pass while nobody is ready: 30 ms are five jobs. By 80 ms its own
    // supply brings 6.2 ms, and 40 ms more are enough for four or five jobs of 8 ms.
    assert!((4..=6).contains(&admitted(&moved, "lowest")), "{}", admitted(&moved, "lowest"));
    assert!(few == 0 && (3..=6).contains(&many), "{few}, then {many}");
    assert!(admitted(&moved, "below") > 60 && admitted(&plain, "below") > 90);
    // More than the task that the giver has just admitted can wait: refused by name, and nothing moves.
    let much = run(&moves("low", 100_500, 900));
    let (_, why) = &much.refused[1];
    assert!(
        why.contains("transfer 900ms to `low`: refused") && why.contains("could be moved"),
        "{why}"
    );
    assert_eq!(admitted(&much, "lowest"), 0);
}

/// Two threads ask for more than a processor by plans that are made when jobs arrive: what finds no place is refused, and not missed.
#[test]
fn law_jobs_that_a_plan_has_no_place_for_are_refused_and_not_missed() {
    let outcome = run_file(
        r#"
schema = 2
length = "995ms"
[schedulers.plan]
scheduler = "spring"
parent = "top"
[threads.first]
parent = "plan"
periodic = { work = "6ms", period = "10ms" }
[threads.second]
parent = "plan"
periodic = { work = "6ms", period = "10ms" }
[threads.third]
parent = "plan"
periodic = { work = "2ms", period = "20ms", deadline = "10ms" }
"#,
    );
    for (name, requested, refused) in [("first", 100, 0), ("second", 100, 100), ("third", 50, 0)] {
        let one = thread(&outcome, name);
        let found = (one.submitted, one.refusals.no_time, one.released, one.aborted, one.missed);
        assert_eq!(found, (requested, refused, requested - refused, 0, 0), "{name}");
        assert!(one.completed >= one.released.saturating_sub(1), "{name}");
    }
}

#[test]
fn refuses_laxity_of_a_scheduler_that_admits_by_steps() {
    let low = "[schedulers.low]\nscheduler = \"ports\"\nparent = \"part\"\n";
    let moves = "[[at]]\ntime = \"1ms\"\ndo = \"transfer\"\nfrom = \"part\"\nto = \"low\"\nwork = \"1ms\"\n";
    let parse = |tree: &str, exact: &str| {
        Scenario::parse("admission.toml", &format!("{tree}{low}{exact}{moves}"))
    };
    assert!(parse(TREE, "").is_ok() && parse(TREE, "exact = true\n").is_ok());
    let steps = TREE.replacen("[schedulers.part]\n", "[schedulers.part]\nexact = true\n", 1);
    assert_ne!(steps, TREE);
    let why = format!("{:?}", parse(&steps, "").unwrap_err());
    assert!(why.contains("`part` admits by steps"), "{why}");
}

/// Serves its only child until half a second has passed, and breaks a rule then.
#[derive(Clone)]
struct Breaks;

impl Scheduler for Breaks {
    fn timers(&self, _: usize) -> usize {
        1
    }
    fn init(&mut self, context: &mut Context<'_>) {
        context.set_timer(TimerId(0), Some(Instant::ZERO + Span::from_millis(500)));
    }
    fn register(&mut self, _: ChildVp, _: &mut Context<'_>) -> Answer {
        Ok(())
    }
    fn unregister(&mut self, _: ChildVp, _: &mut Context<'_>) {}
    fn request(&mut self, _: ChildVp, context: &mut Context<'_>) {
        context.request(OwnVp(0));
    }
    fn release(&mut self, _: ChildVp, _: Option<OwnVp>, context: &mut Context<'_>) {
        context.release(OwnVp(0));
    }
    fn message(&mut self, _: Option<ChildVp>, _: Message, _: &mut Context<'_>) -> Answer {
        Ok(())
    }
    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        context.grant(ChildVp(0), own);
    }
    fn revoke(&mut self, _: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        context.revoke(child);
    }
    fn timer(&mut self, _: TimerId, context: &mut Context<'_>) {
        context.grant(ChildVp(7), OwnVp(0));
    }
}

static BREAKS: Kind =
    Kind::new("breaks", "serves one child, and breaks a rule", |_| Ok(Box::new(Breaks)))
        .with_parameters(&[&RESERVE])
        .with_conversion(|_| kinds::REZ.conversion(&Settings::default()));

/// What was checked holds no more when a scheduler is quarantined, or a request is carried out that was not checked: who admits below counts on nothing from then on.
#[test]
fn law_who_admits_counts_on_nothing_that_was_not_checked() {
    let run = |kind: &str, create: bool| {
        let tree = format!(
            r#"
schema = 2
length = "1s"
schedulers.above = {{ scheduler = "{kind}", parent = "top" }}
schedulers.part = {{ scheduler = "ports", parent = "above", guarantee = "RESBS 5ms 10ms" }}
threads.below = {{ parent = "part", periodic = {{ work = "2ms", period = "10ms", deadline = "60ms", admit = true }} }}
"#
        );
        let mut catalogue = Catalogue::default();
        catalogue.register(&BREAKS).unwrap();
        let scenario = Scenario::parse_in(&catalogue, "unchecked.toml", &tree).unwrap();
        let mut plan = scenario.build().unwrap();
        if create {
            let scheduler = kinds::EDF.build(&Settings::default()).unwrap();
            let owns = vec![(Some("above".to_owned()), Vec::new())];
            let (name, kind) = ("late".to_owned(), "edf");
            let request = PlannedRequest::Create { name, kind, scheduler, owns };
            plan.requests.push((Instant::ZERO + Span::from_millis(500), request));
        }
        Sim::of(plan, None).unwrap().run(Instant::ZERO + scenario.length, |_| true)
    };
    let plain = run("rez", false);
    assert_eq!((admitted(&plain, "below"), plain.quarantined.len()), (101, 0));
    let broken = run("breaks", false);
    assert_eq!(broken.quarantined.len(), 1, "{broken:?}");
    assert_eq!(thread(&broken, "below").submitted, 101);
    assert!((49..=51).contains(&admitted(&broken, "below")), "{}", admitted(&broken, "below"));
    let created = run("rez", true);
    let [(_, why)] = &created.refused[..] else { panic!("{:?}", created.refused) };
    assert!(why.contains("holds no guarantee"), "{why}");
    assert!((49..=51).contains(&admitted(&created, "below")), "{}", admitted(&created, "below"));
}

/// Time moves between two that lie beside each other by one transaction, which lowers what the one holds and raises what the other holds: no task is lost that still
/// fits, and those that do not fit any more are named.
#[test]
fn law_a_transaction_moves_time_between_siblings() {
    let tree = r#"
schema = 2
length = "1s"
[schedulers.rez]
scheduler = "rez"
parent = "top"
[schedulers.gives]
scheduler = "ports"
parent = "rez"
guarantee = "RESBS 6ms 10ms"
[schedulers.takes]
scheduler = "ports"
parent = "rez"
guarantee = "RESBS 2ms 10ms"
[threads.light]
parent = "gives"
periodic = { work = "1ms", period = "10ms", deadline = "50ms", admit = true }
[threads.heavy]
parent = "takes"
periodic = { work = "5ms", period = "10ms", deadline = "60ms", admit = true }
"#;
    let moves = |at: u32, gives: &str, takes: &str| {
        let one = |name: &str, guarantee: &str| {
            format!(
                "{{ do = \"guarantee\", scheduler = \"{name}\", guarantee = \"RESBS {guarantee} 10ms\" }}"
            )
        };
        let (gives, takes) = (one("gives", gives), one("takes", takes));
        format!("[[at]]\ntime = \"{at}ms\"\ndo = \"transaction\"\nrequests = [{gives}, {takes}]\n")
    };
    let run = |more: &str| run_file(&format!("{tree}{more}"));
    let (plain, moved) = (run(""), run(&moves(500, "3ms", "5ms")));
    assert!(admitted(&moved, "heavy") > admitted(&plain, "heavy") + 10);
    assert_eq!(admitted(&moved, "light"), admitted(&plain, "light"));
    for outcome in [&plain, &moved] {
        assert_eq!((thread(outcome, "light").lost, thread(outcome, "heavy").lost), (0, 0));
    }
    // More than there is: refused whole.
    let much = run(&moves(500, "3ms", "8ms"));
    let (_, why) = &much.refused[0];
    assert!(why.contains("transaction") && why.contains("refused"), "{why}");
    // Back, when tasks were promised that need it.
    let back = run(&(moves(300, "3ms", "5ms") + &moves(605, "6ms", "2ms")));
    let heavy = thread(&back, "heavy");
    assert!(heavy.lost > 0 && heavy.lost == heavy.lost_tasks.kept().len() as u64);
    assert!(
        heavy
            .lost_tasks
            .kept()
            .iter()
            .all(|lost| lost.at == Instant::ZERO + Span::from_millis(605))
    );
    assert_eq!(thread(&back, "light").lost, 0);
}
