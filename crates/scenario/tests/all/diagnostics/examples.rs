//! A scenario with a mistake of each code.

use crate::common::{GOOD, mistakes, with};
use windfall_scenario::model::{ExternalProgram, Setting};
use windfall_scenario::{
    Diagnostics, Live, Profile, ProfileError, Profiles, Scenario, TextError, migrate,
};

const HEAD: &str = "schema = 2\nlength = \"10 s\"\n";
const ROUND_ROBIN: &str = "[schedulers.rr]\nscheduler = \"round-robin\"\nparent = \"top\"\n";

/// Each code, and what is told of a scenario that is wrong in that way.
pub(crate) fn examples() -> Vec<(&'static str, Diagnostics)> {
    let mut all: Vec<(&str, Diagnostics)> = Vec::new();
    let texts = reading().into_iter().chain(values()).chain(names()).chain(trees());
    let texts = texts.chain(threads()).chain(steps()).chain(external()).chain(machine());
    all.extend(texts.chain(expectations()).map(|(code, text)| (code, mistakes(&text))));
    all.extend(elsewhere());
    all
}

type Texts = Vec<(&'static str, String)>;

fn reading() -> Texts {
    vec![
        ("unreadable-file", format!("inherits = \"base.toml\"\n{GOOD}")),
        ("syntax", "schema = \n".to_owned()),
        ("nested-too-deep", format!("x = {}{}", "[".repeat(200), "]".repeat(200))),
        ("schema-version", GOOD.replace("schema = 2", "schema = 9")),
        ("unknown-key", with("colour = \"red\"\n")),
        ("renamed-key", GOOD.replace("parent = \"top\"", "parent = \"top\"\ntells = true")),
        ("missing-key", GOOD.replace("length = \"10 s\"\n", "")),
        ("exclusive-keys", with("run = \"spin\"\n")),
        ("misplaced-key", with("loops = 3\n")),
        ("wrong-type", format!("expect = 3\n{GOOD}")),
    ]
}

fn values() -> Texts {
    vec![
        ("missing-unit", GOOD.replace("\"10 s\"", "10")),
        ("invalid-time", GOOD.replace("10 s", "ten seconds")),
        ("invalid-guarantee", GOOD.replace("RESBH 3ms", "RESBH 12ms")),
        ("invalid-value", GOOD.replace("3ms/20ms", "3 ms per 20ms")),
        ("unknown-word", with("[machine]\nclaim = \"everything\"\n")),
        ("out-of-range", with("[machine]\nprocessors = 2000\n")),
        ("zero-time", GOOD.replace("10 s", "0 s")),
        ("reversed-range", GOOD.replace("3ms/20ms", "5ms..3ms/20ms")),
    ]
}

/// A thread below `kind` on two processors, and one more scheduler.
fn bound(kind: &str, processors: &str, more: &str) -> String {
    format!(
        "{HEAD}[machine]\nprocessors = 2\n[schedulers.root]\nscheduler = \"{kind}\"\nparent = \"top\"\n\
         processors = 2\n[threads.a]\nrun = \"spin\"\nparent = \"root\"\nprocessors = {processors}\n{more}"
    )
}

fn names() -> Texts {
    let at = |request: &str| with(&format!("[[at]]\ntime = \"2 s\"\n{request}\n"));
    vec![
        ("unknown-kind", GOOD.replace("\"rez\"", "\"rezz\"")),
        ("unknown-scheduler", GOOD.replace("parent = \"root\"", "parent = \"rot\"")),
        ("unknown-thread", at("do = \"move\"\nthread = \"aa\"\nto = \"root\"")),
        ("binding-not-kept", bound("edf", "[1]", "")),
        ("unknown-name", expected("b.received", "at-least = \"1 s\"")),
        ("unknown-program", with("[threads.b]\nparent = \"root\"\nprogram = \"decoder\"\n")),
        (
            "not-controllable",
            with(
                "[threads.b]\nparent = \"root\"\nprogram = { kind = \"monitor\", nodes = \"root\" }\n",
            ),
        ),
        (
            "unknown-processor",
            with("[[interrupts]]\nevery = \"1ms\"\ncost = \"1us\"\nprocessors = [3]\n"),
        ),
        ("unknown-request", at("do = \"moove\"")),
        ("unknown-quantity", expected("a.responce.max", "at-most = \"17 ms\"")),
        ("invalid-name", with("[threads.\"a*\"]\nparent = \"root\"\nrun = \"spin\"\n")),
        ("duplicate-name", with("[threads.root]\nparent = \"root\"\nrun = \"spin\"\n")),
    ]
}

fn trees() -> Texts {
    let below_itself = "[schedulers.b]\nscheduler = \"edf\"\nparent = \"c\"\n\
                        [schedulers.c]\nscheduler = \"edf\"\nparent = \"b\"\n";
    let chain = |levels: usize| -> String {
        let parent =
            |level: usize| level.checked_sub(1).map_or("top".to_owned(), |up| format!("s{up}"));
        let one = |level| {
            format!("[schedulers.s{level}]\nscheduler = \"edf\"\nparent = \"{}\"\n", parent(level))
        };
        (0..levels).map(one).collect()
    };
    let shares = "[schedulers.ps]\nscheduler = \"proportional-share\"\nparent = \"top\"\n\
                  [threads.a]\nparent = \"ps\"\nguarantee = \"PS 1/65537\"\nrun = \"spin\"\n";
    vec![
        ("no-schedulers", HEAD.to_owned()),
        ("too-few-parents", with("[schedulers.j]\nscheduler = \"join\"\nparent = \"root\"\n")),
        ("too-many-at-top", GOOD.replace("\"top\"", "\"top\"\nprocessors = 2")),
        ("too-many", with("count = 4000000\n")),
        ("tree-too-deep", format!("{HEAD}{}", chain(65))),
        ("scheduler-cycle", with(below_itself)),
        ("top-parameter", GOOD.replace("\"top\"", "\"top\"\npriority = 3")),
        ("untaken-parameter", with(&more("b", "share = 2\nrun = \"spin\"\n"))),
        ("guarantee-not-given", GOOD.replace("RESBH", "RESNH")),
        ("inexact-weight", format!("{HEAD}{shares}")),
        ("not-admitted", with(&more("b", "guarantee = \"RESBH 8ms 10ms\"\nrun = \"spin\"\n"))),
    ]
}

fn threads() -> Texts {
    let spin = more("b", "run = \"spin\"\n");
    let after = |name: &str, before: &str| {
        more(name, &format!("after = {{ thread = \"{before}\", work = \"1ms\" }}\n"))
    };
    vec![
        ("no-program", with(&more("b", ""))),
        ("after-the-end", with("start = \"11 s\"\n")),
        ("zero-work", GOOD.replace("3ms/20ms", "0ms/20ms")),
        ("count-mismatch", with("[machine]\ncpus = [1, 2]\n")),
        ("no-jobs", with(&(spin + &after("c", "b")))),
        ("job-cycle", with(&(after("b", "c") + &after("c", "b")))),
        ("no-bounded-supply", admitting("", "run = \"spin\"")),
        (
            "admits-nothing",
            with(&more("b", "periodic = { work = \"1ms\", period = \"9ms\", admit = true }\n")),
        ),
        (
            "no-transfer",
            with(
                "[[at]]\ntime = \"1ms\"\ndo = \"transfer\"\nfrom = \"root\"\nto = \"root\"\nwork = \"1ms\"\n",
            ),
        ),
        (
            "no-secondary",
            admitting(
                "guarantee = \"RESBS 1ms 20ms\"",
                "instead = { work = \"1ms\", deadline = \"9ms\", admit = true }",
            ),
        ),
        ("recording", with(&more("b", "recorded = { file = \"x.ftrace\", thread = \"t\" }\n"))),
    ]
}

fn steps() -> Texts {
    let steps = |steps: &str| {
        format!("{HEAD}{ROUND_ROBIN}[threads.x]\nparent = \"rr\"\nsteps = [{steps}]\n")
    };
    let run = |more: &str| steps(&format!("{{ run = \"1ms\" }}, {more}"));
    let locked = |more: &str| run(&format!("{{ lock = \"m\" }}, {more}, {{ unlock = \"m\" }}"));
    let section = "steps = [{ lock = \"m\" }, { run = \"1ms\" }, { unlock = \"m\" }]\n";
    let inherits = "[locks.m]\nprotocol = \"inherit\"\n";
    let shared = |scheduler: &str, parents: [&str; 2]| {
        let rr = "[schedulers.rr]\nscheduler = \"fixed-priority\"\nparent = \"one\"\n";
        let one = format!("[schedulers.one]\nscheduler = \"{scheduler}\"\nparent = \"top\"\n");
        let [a, b] =
            parents.map(|parent| format!("parent = \"{parent}\"\npriority = 1\n{section}"));
        format!("{HEAD}{one}{rr}[threads.a]\n{a}[threads.b]\n{b}{inherits}")
    };
    vec![
        ("unknown-station", run("{ visit = \"bus\" }")),
        ("unknown-lock", locked("\"yield\"") + "[locks.n]\nprotocol = \"none\"\n"),
        ("lock-across-schedulers", shared("fixed-priority", ["one", "rr"])),
        ("lock-not-inherited", locked("\"yield\"") + inherits),
        (
            "lock-without-rank",
            shared("fixed-priority", ["one", "one"]).replacen("priority = 1\n", "", 1),
        ),
        ("empty-phase", format!("{HEAD}{ROUND_ROBIN}[threads.x]\nparent = \"rr\"\nphases = []\n")),
        ("invalid-step", steps("{ run = \"1ms\", sleep = \"1ms\" }")),
        ("timeless-loop", steps("\"yield\"")),
        ("mixed-use", locked("{ barrier = \"m\" }")),
        ("never-locked", run("{ unlock = \"m\" }")),
        ("never-unlocked", run("{ lock = \"m\" }")),
        ("never-signalled", locked("{ wait = \"c\", lock = \"m\" }")),
        ("never-resumed", run("\"suspend\"")),
        ("lone-barrier", run("{ barrier = \"b\" }")),
        (
            "outside-subtree",
            format!(
                "{HEAD}{ROUND_ROBIN}[schedulers.low]\nscheduler = \"round-robin\"\nparent = \"rr\"\n\
                 [threads.x]\nparent = \"low\"\nsteps = [{{ run = \"1ms\" }}, {{ move = \"rr\" }}]\n"
            ),
        ),
    ]
}

fn external() -> Texts {
    let thread = |more: &str| format!("{HEAD}{ROUND_ROBIN}{more}");
    let one = |name: &str, keys: &str| format!("[threads.{name}]\nparent = \"rr\"\n{keys}\n");
    let alone = |keys: &str| thread(&one("x", keys));
    let spin = one("a", "run = \"spin\"");
    let pattern = "exec = [\"player\"]\nmatch = { comm = \"a-name-of-a-thread\" }";
    vec![
        ("invalid-command", alone("exec = [\"\"]")),
        ("invalid-cgroup", alone("cgroup = \"game.scope\"")),
        ("invalid-unit", alone("unit = \"pipewire\"")),
        ("hopeless-pattern", alone(pattern)),
        ("duplicate-program", thread(&(one("x", "pid = 7") + &one("y", "pid = 7")))),
        (
            "not-a-program",
            thread(&(spin + &one("x", "of = \"a\"\nmatch = { comm = \"data-loop*\" }"))),
        ),
    ]
}

fn machine() -> Texts {
    vec![
        ("duplicate-processor", with("[machine]\nprocessors = 2\ncpus = [1, 1]\n")),
        ("no-time-left", with("[[interrupts]]\nevery = \"1ms\"\ncost = \"1ms\"\n")),
    ]
}

fn expectations() -> Texts {
    let above = |limit: &str| {
        format!(
            "[[expect]]\nwhat = \"a.intervals\"\nabove = \"{limit}\"\nat-most = 3\nbecause = \"r\"\n"
        )
    };
    vec![
        ("nothing-expected", expected("a.received", "")),
        ("inapplicable-quantity", expected("machine.missed", "at-most = 3")),
        ("unit-mismatch", expected("a.response.max", "at-most = 17")),
        ("conflicting-limits", with(&(above("33ms") + &above("50ms")))),
    ]
}

/// An expectation of the sound scenario.
fn expected(what: &str, limit: &str) -> String {
    with(&format!("[[expect]]\nwhat = \"{what}\"\n{limit}\nbecause = \"of a reason\"\n"))
}

/// A scheduler that admits below the root of the sound scenario, with these keys, and a thread there that runs this.
fn admitting(keys: &str, run: &str) -> String {
    let node = format!("[schedulers.p]\nscheduler = \"ports\"\nparent = \"root\"\n{keys}\n");
    with(&format!("{node}[threads.x]\nparent = \"p\"\n{run}\n"))
}

/// One more thread below the root of the sound scenario.
fn more(name: &str, keys: &str) -> String {
    format!("[threads.{name}]\nparent = \"root\"\n{keys}")
}

/// Profiles of nothing.
struct Nobody;

impl Profiles for Nobody {
    fn profile(&self, _: &str) -> Result<Profile, ProfileError> {
        Err(ProfileError::Absent(None))
    }

    fn checksum(&self, _: &ExternalProgram) -> Result<(String, String), ProfileError> {
        Err(ProfileError::NoOneExecutable)
    }
}

/// Mistakes that no text alone has.
fn elsewhere() -> Vec<(&'static str, Diagnostics)> {
    let inherits = |_: &str| -> Result<_, TextError> {
        Ok(("base.toml".to_owned(), "inherits = \"b\"\n".to_owned()))
    };
    let nested = Scenario::parse_with("own.toml", "inherits = \"base.toml\"\n", inherits);
    let twice = "schema = 1\n[schedulers.a]\ntells = true\nreport-deadlines = true\n";
    let good = || Scenario::parse("e.toml", GOOD).unwrap();
    let request = Live::new(good()).plan(&[], &[], "[threads.x]\nrun = \"spin\"\n");
    let mut profiled = with("exec = [\"player\"]\nprofile = \"player\"\n");
    profiled = profiled.replace("periodic = \"3ms/20ms\"\n", "");
    let mut profiled = Scenario::parse("e.toml", &profiled).unwrap();
    // In code a scheduler can be set to what no file can say, and an expectation can have no reason.
    let mut set = good();
    set.schedulers[0].settings = vec![("quantum".to_owned(), Setting::Bool(true))];
    let mut unfounded =
        Scenario::parse("e.toml", &expected("a.received", "at-least = \"1 s\"")).unwrap();
    unfounded.expectations[0].because.clear();
    unfounded.origin = good().origin;
    let voting = with(&more("v", "program = { kind = \"voting\", replicas = 5 }\n"));
    let voting = Scenario::parse("e.toml", &voting).unwrap();
    vec![
        ("nested-inheritance", nested.unwrap_err()),
        ("renamed-twice", migrate("e.toml", twice).unwrap_err()),
        ("not-a-request", request.err().unwrap()),
        ("profile", profiled.apply_profiles(&Nobody).unwrap_err()),
        ("invalid-setting", set.build().err().unwrap()),
        ("shared-processors", voting.warnings().unwrap()),
        ("no-reason", unfounded.build().err().unwrap()),
    ]
}
