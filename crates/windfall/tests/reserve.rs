//! `windfall reserve`: the numbers of HLS 6.1, its verdicts, what it refuses, what it draws.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn scenario(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    root.join("scenarios").join(name).to_str().unwrap().to_owned()
}

fn reserve(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_windfall"));
    command.arg("reserve").args(arguments).output().unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let output = reserve(&[arguments, &["--json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reserve");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

/// A scenario in a file of its own.
fn file(name: &str, text: &str) -> String {
    let path = scratch(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Figure 6.1, with what is asked for the threads' scheduler, and more.
fn figure_6_1(name: &str, guarantee: &str, more: &str) -> String {
    let text = format!(
        r#"
schema = 2
seed   = 1
length = "1s"

[schedulers.res]
scheduler = "rez"
parent    = "top"

[schedulers.fp]
scheduler = "fixed-priority"
parent    = "res"
{guarantee}

[threads]
t1 = {{ parent = "fp", priority = 3, periodic = "1ms/10ms" }}
t2 = {{ parent = "fp", priority = 2, periodic = "1ms/20ms" }}
t3 = {{ parent = "fp", priority = 1, periodic = "5ms/100ms" }}
{more}
"#
    );
    file(name, &text)
}

const THREE: [&str; 6] = ["--task", "1ms/10ms", "--task", "1ms/20ms", "--task", "5ms/100ms"];

#[test]
fn paper_the_knee_of_the_media_player_is_1500_us_each_6_ms() {
    let found = json(&[&scenario("media-player.toml")]);
    assert_eq!(found["knee"]["guarantee"], "RESBS 1.5ms 6ms");
    assert_eq!(found["knee"]["utilisation"], "1/4");
    assert_eq!(found["gap_ns"], 9_000_000);
    assert!((found["utilisation"].as_f64().unwrap() - 0.241).abs() < 0.0005);
    assert_eq!(found["present"]["suffices"], true);
    let boundary = found["boundary"].as_array().unwrap();
    assert_eq!(boundary.len(), 200);
    // Beyond the knee the gap decides: amount = period - 4.5 ms.
    for point in boundary.iter().filter(|point| point["period_ns"].as_u64() > Some(6_000_000)) {
        let period = point["period_ns"].as_u64().unwrap();
        assert_eq!(point["amount_ns"], period - 4_500_000);
    }
}

#[test]
fn paper_1100_us_each_5_ms_is_enough_for_figure_6_1() {
    let found = json(&[&THREE[..], &["--period", "5ms"]].concat());
    assert!(found["choice"]["amount_ns"].as_u64().unwrap() <= 1_100_000);
    let path = figure_6_1("paper.toml", "guarantee = \"RESBS 1.1ms 5ms\"", "");
    let output = reserve(&[&path]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(printed(&output).contains("RESBS 1.1ms 5ms for `fp`: that is enough"));
}

#[test]
fn limit_a_unit_below_the_least_amount_is_not_enough() {
    let found = json(&[&THREE[..], &["--period", "5ms"]].concat());
    let least = found["choice"]["amount_ns"].as_u64().unwrap();
    for (name, amount, status) in [("least.toml", least, 0), ("below.toml", least - 1_000, 1)] {
        let path = figure_6_1(name, &format!("guarantee = \"RESBS {amount}ns 5ms\""), "");
        let output = reserve(&[&path]);
        assert_eq!(output.status.code(), Some(status), "{output:?}");
    }
    let path = scratch("below.toml");
    let output = reserve(&[path.to_str().unwrap()]);
    assert!(printed(&output).contains("that is NOT enough\n  t3 answers within"), "{output:?}");
    let path = figure_6_1("overload.toml", "guarantee = \"RESBS 1ms 9ms\"", "");
    let shown = printed(&reserve(&[&path]));
    let why = "  t3 has no bound (the tasks take more time than there is), and is due in 100ms\n";
    assert!(shown.contains(why), "{shown}");
}

#[test]
fn limit_every_thread_answers_in_time_under_the_choice_and_the_file_agrees_when_it_asks_for_it() {
    let found = json(&THREE);
    assert!(found["threads"].as_array().unwrap().iter().all(|thread| thread["met"] == true));
    let line = format!("guarantee = {}", found["choice"]["guarantee"]);
    assert!(printed(&reserve(&THREE)).lines().any(|printed| printed == line));
    let path = figure_6_1("choice.toml", &line, "");
    let again = json(&[&path]);
    assert_eq!(again["present"]["suffices"], true);
    let bounds = |value: &Value| -> Vec<u64> {
        let threads = value["threads"].as_array().unwrap();
        threads.iter().map(|thread| thread["response_ns"].as_u64().unwrap()).collect()
    };
    assert_eq!(bounds(&found), bounds(&again), "priorities are those of the periods");
    assert_eq!(again["policy"], "fixed priorities");
}

#[test]
fn earliest_deadline_first_and_continuous_reservations_need_no_more() {
    let path = scenario("media-player.toml");
    let amounts = |more: &[&str]| -> Vec<u64> {
        let found = json(&[&[path.as_str()], more].concat());
        let boundary = found["boundary"].as_array().unwrap();
        boundary.iter().map(|point| point["amount_ns"].as_u64().unwrap()).collect()
    };
    let basic = amounts(&[]);
    for more in [&["--policy", "edf"][..], &["--continuous"]] {
        let other = amounts(more);
        assert!(other.iter().zip(&basic).all(|(other, basic)| other <= basic), "{more:?}");
        assert!(other != basic, "{more:?} changes nothing");
    }
}

#[test]
fn dearer_switches_choose_a_longer_period() {
    let period = |cost: &str| {
        let found = json(&[&THREE[..], &["--switch-cost", cost]].concat());
        found["choice"]["period_ns"].as_u64().unwrap()
    };
    assert!(period("0ns") < period("50us"));
    assert_eq!(period("10us"), json(&THREE)["choice"]["period_ns"].as_u64().unwrap());
    let machine = "\n[machine]\ncosts = { switch = \"50us\" }";
    let own = json(&[&figure_6_1("cost.toml", "", machine)]);
    assert_eq!(own["choice"]["switch_cost_ns"], 50_000);
}

#[test]
fn status_is_1_where_nothing_is_enough_and_the_text_says_why() {
    let output = reserve(&["--task", "3ms/2ms"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(printed(&output).contains("not even a whole processor is enough"));
    let output = reserve(&["--task", "2ms/2ms", "--policy", "edf"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = printed(&output);
    assert!(text.contains("ask for `ALL`") && !text.contains("knee"), "{text}");
}

#[test]
fn refuses_threads_that_are_not_periodic_by_name() {
    let more = "burner = { parent = \"fp\", priority = 4, run = \"spin\" }";
    let output = reserve(&[&figure_6_1("spin.toml", "", more)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("thread `burner` never stops"), "{output:?}");
}

#[test]
fn refuses_what_it_cannot_choose_and_accepts_it_by_name() {
    let more = r#"
[schedulers.edf]
scheduler = "edf"
parent    = "res"

[threads.t4]
parent   = "edf"
periodic = "1ms/9ms"

[schedulers.rr]
scheduler = "round-robin"
parent    = "res"

[threads.t5]
parent   = "rr"
periodic = "1ms/9ms"
"#;
    let path = figure_6_1("several.toml", "", more);
    assert!(errors(&reserve(&[&path])).contains("`--node` one of `fp`, `edf`"));
    assert_eq!(json(&[&path, "--node", "edf"])["policy"], "earliest deadline first");
    assert!(errors(&reserve(&[&path, "--node", "rr"])).contains("say with `--policy`"));
    let replaced = json(&[&path, "--node", "rr", "--policy", "rate-monotonic"]);
    assert_eq!(replaced["policy"], "rate monotonic");
    assert!(errors(&reserve(&[&path, "--node", "res"])).contains("below `res` is a scheduler"));
    assert!(errors(&reserve(&[&path, "--node", "nobody"])).contains("no scheduler is called"));
}

#[test]
fn refuses_a_shared_priority_of_a_thread_that_may_overlap_itself() {
    let path = figure_6_1("tie.toml", "", "");
    let text = std::fs::read_to_string(&path).unwrap();
    let tied = text.replace("priority = 2", "priority = 3");
    assert_eq!(reserve(&[&file("tied.toml", &tied)]).status.code(), Some(0));
    let late =
        tied.replace("1ms/10ms\"", "1ms/10ms@30ms\"").replace("1ms/20ms\"", "1ms/20ms@25ms\"");
    let output = reserve(&[&file("late.toml", &late)]);
    assert!(errors(&output).contains("thread `t2` shares its priority"), "{output:?}");
}

#[test]
fn refuses_nonsense_with_status_2() {
    let path = scenario("media-player.toml");
    let cases: [&[&str]; 14] = [
        &[],
        &["/nonexistent.toml"],
        &[&path, "--task", "1ms/2ms"],
        &["--task", "1ms"],
        &["--task", "1ms/0s"],
        &["--task", "1/2ms"],
        &["--task", "1ms/2ms@0s"],
        &["--task", "1ms/2ms", "--step", "0s"],
        &["--task", "1ms/2ms", "--period", "0s"],
        &["--task", "1ms/2ms", "--period", "1ms", "--steps", "3"],
        &["--task", "1ms/2ms", "--from", "2ms", "--to", "1ms"],
        &["--task", "1ms/2ms", "--steps", "0"],
        &["--task", "1ms/2ms", "--tolerance", "-1"],
        &["--task", "1us/2us", "--step", "1ms"],
    ];
    for arguments in cases {
        let output = reserve(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        assert!(!errors(&output).is_empty() && printed(&output).is_empty(), "{arguments:?}");
    }
}

#[test]
fn accepts_periods_at_their_limits() {
    let one = json(&["--task", "1ms/2ms", "--from", "700us", "--to", "700us"]);
    assert_eq!(one["boundary"].as_array().unwrap().len(), 1);
    let last = json(&["--task", "1ms/2ms", "--steps", "1"]);
    assert_eq!(last["boundary"][0]["period_ns"], 2_000_000);
    let fine = json(&["--task", "1ns/7ns", "--step", "1ns"]);
    let periods = fine["boundary"].as_array().unwrap().iter();
    let periods: Vec<u64> = periods.map(|point| point["period_ns"].as_u64().unwrap()).collect();
    assert_eq!(periods, [1, 2, 3, 4, 5, 6, 7]);
    let ends = json(&["--task", "1ms/2ms", "--from", "500us", "--to", "1500us", "--steps", "3"]);
    assert_eq!(ends["boundary"][1]["period_ns"], 1_000_000);
    assert_eq!(ends["boundary"][2]["period_ns"], 1_500_000);
    let huge = reserve(&["--task", "1ns/584years", "--task", "18446744073709551615ns/1ns"]);
    assert_eq!(huge.status.code(), Some(2));
    let huge = reserve(&["--task", "18446744073709551615ns/18446744073709551615ns"]);
    assert!(huge.status.code().is_some_and(|code| code < 3), "{huge:?}");
}

#[test]
fn pictures_are_what_their_names_say_and_the_same_each_time() {
    let path = scenario("media-player.toml");
    let draw = |name: &str| {
        let out = scratch(name);
        let output = reserve(&[&path, "--force", "--picture", out.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        (std::fs::read(out).unwrap(), output.stdout)
    };
    assert!(draw("one.svg") == draw("two.svg"), "same question, different answers");
    assert!(draw("one.png") == draw("two.png"), "same question, different pixels");
    let (png, _) = draw("one.png");
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.ends_with(b"IEND\xae\x42\x60\x82"));
    let svg = String::from_utf8(draw("one.svg").0).unwrap();
    well_formed(&svg);
    for part in [
        "period (ms)",
        "amount (ms)",
        "not enough: a deadline may be missed",
        "utilisation of the threads: 24.09%",
        "a gap of 9ms",
        "knee: RESBS 1.5ms 6ms",
        "choice: RESBS ",
        "the file's: RESBS 1.5ms 6ms",
    ] {
        assert!(svg.contains(part), "no `{part}`");
    }
}

/// Every element is closed, in order.
fn well_formed(svg: &str) {
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1) {
        let (tag, text) = tag.split_once('>').unwrap();
        assert!(!text.contains('>'), "{text}");
        let name = tag.split([' ', '/']).find(|part| !part.is_empty()).unwrap();
        match (tag.starts_with('/'), tag.ends_with('/')) {
            (true, _) => assert_eq!(open.pop(), Some(name)),
            (_, true) => {}
            _ => open.push(name),
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn a_picture_of_one_period_shows_the_curve_around_it() {
    let out = scratch("single.svg");
    let picture = ["--period", "3ms", "--force", "--picture", out.to_str().unwrap()];
    let output = reserve(&[&THREE[..], &picture].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let svg = std::fs::read_to_string(out).unwrap();
    assert!(svg.contains("choice: RESBS") && !svg.contains("knee:"));
    assert!(svg.contains(">10</text>"), "the axis reaches the shortest period");
    assert!(!svg.contains("not looked at"));
    let out = scratch("late.svg");
    let picture = ["--from", "4ms", "--force", "--picture", out.to_str().unwrap()];
    assert_eq!(reserve(&[&THREE[..], &picture].concat()).status.code(), Some(0));
    assert!(std::fs::read_to_string(out).unwrap().contains("not looked at: shorter periods"));
}

#[test]
fn refuses_pictures_of_unknown_kind_and_to_overwrite_what_it_reads() {
    let output = reserve(&[&THREE[..], &["--picture", "out.jpg"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("end the name in `.svg` or `.png`"));
    let svg = scratch("itself.svg");
    std::fs::copy(scenario("media-player.toml"), &svg).unwrap();
    let name = svg.to_str().unwrap();
    let output = reserve(&[name, "--picture", name]);
    assert!(errors(&output).contains("is the input ("), "{output:?}");
}

/// RESU 3/10 counts at deadlines that are reported: the checker knows no bound otherwise, and jobs are missed.
#[test]
fn law_a_slower_processor_is_enough_only_where_deadlines_are_reported() {
    let of = |reports: bool| {
        let text = format!(
            r#"
schema = 2
length = "1s"
[schedulers.p]
scheduler = "pshed"
parent    = "top"
[schedulers.s]
scheduler = "edf"
parent    = "p"
guarantee = "RESU 3/10"
report-deadlines = {reports}
[threads.a]
parent   = "s"
periodic = "750us/4ms"
[threads.b]
parent    = "p"
guarantee = "RESU 7/10"
run       = "spin"
"#
        );
        json(&[&file(&format!("resu-{reports}.toml"), &text), "--node", "s"])["present"].clone()
    };
    let (silent, reporting) = (of(false), of(true));
    assert_eq!((&silent["suffices"], &silent["response_ns"][0]), (&false.into(), &Value::Null));
    // Whatever it does before, it has its share by the deadline, and no sooner.
    let due = Value::from(4_000_000);
    assert_eq!((&reporting["suffices"], &reporting["response_ns"][0]), (&true.into(), &due));
}

#[test]
fn law_where_no_amount_is_enough_the_reason_is_named() {
    let choice = |arguments: &[&str]| {
        let output = reserve(arguments);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let text = printed(&output);
        text.lines().find(|line| line.starts_with("choice")).unwrap().to_owned()
    };
    let small = choice(&["--task", "1ms/10ms", "--period", "1ns"]);
    assert!(
        small.contains("a whole processor is enough") && small.contains("no multiple of 1us"),
        "{small}"
    );
    assert!(small.contains("smaller `--step`"), "{small}");
    let much = choice(&["--task", "11ms/10ms"]);
    assert!(much.contains("not even a whole processor is enough"), "{much}");
}
