//! Mistakes: all of them at once, each with its place, what is wrong and what would be right.

use crate::common::{GOOD, mistakes, tells, with};
use windfall_scenario::Scenario;

#[test]
fn accepts_the_scenario_that_the_others_spoil() {
    let scenario = Scenario::parse("e.toml", GOOD).unwrap();
    assert_eq!(scenario.build().unwrap().threads.len(), 1);
}

#[test]
fn tells_all_mistakes_at_once() {
    let text = r#"schema = 2
seed = 7
length = 10
colour = "red"

[schedulers.root]
scheduler = "rezz"
parent = "top"

[threads.a]
parent = "rot"
garantee = "RESBH 3ms 10ms"
periodic = "3/20ms"
share = "lots"
working-set = "64"
"#;
    tells(
        text,
        &[
            (3, "`10` has no unit", "as `10ms`"),
            (4, "unknown key `colour`", "allowed: schema"),
            (7, "unknown scheduler `rezz`", "did you mean `rez`?"),
            (11, "unknown scheduler `rot`", "did you mean `root`?"),
            (12, "unknown key `garantee`", "did you mean `guarantee`?"),
            (13, "`3`: no unit", "as `3ms/10ms`"),
            (14, "`lots` is not a whole number", "a whole number"),
            (15, "no unit", "64KB"),
        ],
    );
}

#[test]
fn renders_file_line_column_and_caret() {
    let mistakes = mistakes(&GOOD.replace("3ms/20ms", "3 ms per 20ms"));
    let expected = "\
e.toml:12:12: error[invalid-value]: `3 ms per 20ms` has no `/`
   |
12 | periodic = \"3 ms per 20ms\"
   |            ^^^^^^^^^^^^^^^
  help: write work and period, as `3ms/10ms`, or with deadline, as `3ms/10ms@8ms`
";
    assert_eq!(mistakes.render(false), expected);
    let drawn = mistakes.render(true);
    assert!(drawn.contains("e.toml:12:12") && drawn.contains("invalid-value"));
    let json: serde_json::Value = serde_json::from_str(&mistakes.to_json()).unwrap();
    assert_eq!(json[0]["line"], 12);
    assert_eq!(json[0]["column"], 12);
    assert_eq!(json[0]["file"], "e.toml");
    assert_eq!(json[0]["code"], "invalid-value");
}

#[test]
fn refuses_what_does_not_parse() {
    tells("schema = \nseed = 7 7\n", &[(1, "", ""), (2, "", "")]);
    tells(
        "",
        &[
            (1, "`schema` is missing", "schema = 2"),
            (1, "`length` is missing", ""),
            (1, "no schedulers", "[schedulers.NAME]"),
        ],
    );
    tells(&GOOD.replace("schema = 2", "schema = 9"), &[(1, "schema 9", "schema 2")]);
}

#[test]
fn refuses_wrong_shapes() {
    tells(
        &format!("threads = 5\n{}", GOOD.split("[threads").next().unwrap()),
        &[(1, "table of tables", "[threads.NAME]")],
    );
    tells(&with("steps = { run = \"1ms\" }\n"), &[(13, "map does not belong here", "sequence")]);
    tells(&with("expect = 3\n"), &[(13, "unknown key `expect`", "")]);
}

#[test]
fn refuses_admission_at_the_line_that_asked() {
    let more = "\n[threads.b]\nparent = \"root\"\nguarantee = \"RESBH 8ms 10ms\"\nrun = \"spin\"\n";
    tells(
        &with(more),
        &[(16, "root: refused `b`: asked for 4/5 of the processor, 7/10 is left", "")],
    );
    let exactly = more.replace("8ms", "7ms");
    assert!(Scenario::parse("e.toml", &with(&exactly)).unwrap().build().is_ok());
    tells(
        &GOOD.replace("guarantee = \"RESBH 3ms 10ms\"", "priority = 3"),
        &[(
            11,
            "children of a `rez` have `reserve`; `priority` means nothing there",
            "leave `priority` out",
        )],
    );
}

#[test]
fn refuses_what_no_scheduler_of_that_kind_gives_and_says_what_it_does() {
    let text = GOOD.replace("RESBH", "RESNH");
    tells(&text, &[(11, "does not give `RESNH 3ms 10ms`", "it gives `RESBH")]);
}

#[test]
fn refuses_a_tree_that_is_none() {
    let tree = |body: &str| format!("schema = 2\nseed = 1\nlength = \"1 s\"\n{body}");
    tells(
        &tree(
            "[schedulers.a]\nscheduler = \"edf\"\nparent = \"b\"\n[schedulers.b]\nscheduler = \"edf\"\nparent = \"a\"\n",
        ),
        &[(6, "`a` lies below itself: a -> b -> a", "below `top`")],
    );
    tells(
        &tree("[schedulers.a]\nscheduler = \"edf\"\nparent = \"top\"\nprocessors = 2\n"),
        &[(6, "more virtual processors at the top than processors: 1", "add processors")],
    );
    tells(
        &tree("[schedulers.a]\nscheduler = \"join\"\nparent = \"top\"\n"),
        &[(6, "a join with one parent", "leave the join out")],
    );
    tells(
        &tree(
            "[schedulers.a]\nscheduler = \"round-robin\"\nparent = \"top\"\nquantum = \"0ms\"\nquantun = 3\n",
        ),
        &[
            (7, "`quantum` of `round-robin` is out of range", "above zero"),
            (8, "unknown key `quantun`", "`quantum`?"),
        ],
    );
}

#[test]
fn refuses_programs_that_cannot_work() {
    let program = |steps: &str| {
        let threads = format!("[threads.x]\nparent = \"rr\"\nsteps = [{steps}]\n");
        format!(
            "schema = 2\nseed = 1\nlength = \"1 s\"\n[schedulers.rr]\nscheduler = \"round-robin\"\nparent = \"top\"\n{threads}"
        )
    };
    tells(
        &program("{ run = \"1ms\" }, { unlock = \"m\" }"),
        &[(9, "unlocks `m`, which this thread never locks", "lock = ")],
    );
    tells(
        &program("{ run = \"1ms\" }, { lock = \"m\" }"),
        &[(9, "`m` is never given back", "unlock = ")],
    );
    tells(
        &program("{ run = \"1ms\" }, { barrier = \"b\" }"),
        &[(9, "one thread alone", "another thread")],
    );
    tells(&program("\"yield\""), &[(9, "no time passes", "`run` or `sleep`")]);
    tells(&program("{ timer = \"0ms\" }"), &[(9, "no time at all", "above zero")]);
    tells(
        &program("{ run = \"1ms\", sleep = \"1ms\" }"),
        &[(9, "not `run` and `sleep`", "two steps")],
    );
    tells(&program("{ run = \"1ms\" }, \"suspend\""), &[(9, "no thread resumes `x`", "resume = ")]);
    tells(
        &program("{ run = \"1ms\" }, { resume = \"y\" }"),
        &[(9, "unknown thread `y`", "allowed: x")],
    );
    tells(
        &program(
            "{ run = \"1ms\" }, { lock = \"m\" }, { wait = \"c\", lock = \"m\" }, { unlock = \"m\" }",
        ),
        &[(9, "no thread signals `c`", "signal = ")],
    );
}

#[test]
fn refuses_chains_that_begin_with_themselves() {
    let more = "\n[threads.b]\nparent = \"root\"\nafter = { thread = \"c\", work = \"1ms\" }\n\
                [threads.c]\nparent = \"root\"\nafter = { thread = \"b\", work = \"1ms\" }\n";
    tells(&with(more), &[(16, "`b` waits for itself: b -> c -> b", "`periodic`")]);
}

#[test]
fn refuses_requests_and_expectations_of_unknown_things() {
    let more = r#"
[[at]]
time = "2 s"
do = "moove"

[[at]]
time = "11 s"
do = "move"
thread = "aa"
to = "root"
quantum = "3ms"

[[expect]]
what = "b.response.max"
at-most = "17 ms"
because = "reasons"

[[expect]]
what = "a.responce.max"
at-most = "17 ms"
because = "reasons"

[[expect]]
what = "a.response.max"
at-most = 17

[[expect]]
what = "a.received"
at-most = "30%"
because = "reasons"

[[expect]]
what = "a.intervals"
above = "0s"
"#;
    tells(
        &with(more),
        &[
            (16, "unknown request `moove`", "did you mean `move`?"),
            (19, "11s comes when all is over", "10s"),
            (21, "unknown thread `aa`", "did you mean `a`?"),
            (23, "`quantum` does not go with `move`", "takes `time`"),
            (26, "no thread or scheduler `b`", "allowed: a"),
            (31, "does not end in a known quantity", "`response.max`?"),
            (35, "`because` is missing", "why"),
            (37, "not measured like that", "with its unit"),
            (41, "does not say of what", "32.6%cpu"),
            (44, "`because` is missing", "why"),
            (44, "nothing is expected", "at-most"),
            (46, "intervals above nothing", "above zero"),
        ],
    );
}

#[test]
fn inherits_once_and_never_twice() {
    let load = |base: &'static str| {
        let own = "inherits = \"base.toml\"\nlength = \"3 s\"\n[threads.a]\nrun = \"spun\"\n";
        Scenario::parse_with("own.toml", own, move |name| Ok((name.to_owned(), base.to_owned())))
    };
    let base = "schema = 2\nseed = 7\nlength = \"1 s\"\n[schedulers.rr]\nscheduler = \"round-robin\"\nparent = \"tip\"\n";
    let mistakes = load(base).unwrap_err();
    let places: Vec<(&str, usize)> =
        mistakes.list().iter().map(|mistake| (mistake.file.as_str(), mistake.line)).collect();
    assert_eq!(places, [("own.toml", 4), ("base.toml", 6)], "{mistakes}");
    let mistakes = load("inherits = \"other.toml\"\n").unwrap_err();
    assert_eq!(mistakes.list()[0].file, "base.toml");
    assert!(mistakes.to_string().contains("inherits nothing itself"), "{mistakes}");
}

#[test]
fn refuses_an_inherited_file_of_another_version() {
    let rest = "length = \"1 s\"\n[schedulers.rr]\nscheduler = \"round-robin\"\nparent = \"top\"\n\
        [threads.a]\nparent = \"rr\"\nrun = \"spin\"\n";
    let load = |own: &str, base: &str| {
        let (own, base) = (format!("{own}inherits = \"base.toml\"\n"), format!("{base}{rest}"));
        Scenario::parse_with("own.toml", &own, move |name| Ok((name.to_owned(), base)))
    };
    let fits = "schema = 2\n";
    for (own, base) in [(fits, fits), (fits, ""), ("", fits)] {
        load(own, base).unwrap();
    }
    for (own, base, places, said) in [
        (fits, "schema = 1\n", &["base.toml:1"][..], "`windfall migrate FILE` rewrites it"),
        (fits, "schema = 99\n", &["base.toml:1"], "this program reads schema 2"),
        (fits, "seed = 1\nschema = \"2\"\n", &["base.toml:2"], "write"),
        ("", "schema = 1\n", &["base.toml:1"], "schema 1 is not read any more"),
        ("schema = 1\n", fits, &["own.toml:1"], "schema 1 is not read any more"),
        (
            "schema = 1\n",
            "schema = 99\n",
            &["own.toml:1", "base.toml:1"],
            "schema 99 is newer than",
        ),
        ("", "", &["own.toml:1"], "`schema` is missing"),
    ] {
        let mistakes = load(own, base).unwrap_err();
        let place =
            |mistake: &windfall_scenario::Diagnostic| format!("{}:{}", mistake.file, mistake.line);
        let found: Vec<String> = mistakes.list().iter().map(place).collect();
        assert_eq!(found, places, "{own}{base}: {mistakes}");
        assert!(mistakes.to_string().contains(said), "{own}{base}: {mistakes}");
    }
}

#[test]
fn refuses_depth_without_end() {
    let deep = "a.".repeat(20_000);
    for text in [
        format!("{deep}a = 1"),
        format!("[{deep}a]"),
        format!("[threads.{deep}a]\nx = {}{}", "[".repeat(20_000), "]".repeat(20_000)),
        format!("x = {}1{}", "{a=".repeat(20_000), "}".repeat(20_000)),
    ] {
        assert!(Scenario::parse("e.toml", &text).is_err());
    }
}

#[test]
fn refuses_recordings_where_there_is_nobody_to_read_them() {
    let recorded = "recorded = { file = \"x.ftrace\", thread = \"t\" }";
    let text = GOOD.replace("periodic = \"3ms/20ms\"", recorded);
    tells(&text, &[(12, "recordings are not read here", "")]);
}
