//! The page says of each promise what the text says of it, and shows as a failure what counts as one.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Duration;
use windfall_guarantees::meaning::{Verdict, Window};
use windfall_report::{Story, page, text};
use windfall_scenario::outcome::{Outcome, PromiseStatus, Use, refusals};
use windfall_scenario::{Assessment, Scenario};
use windfall_sim::{Simulated, simulate};
use windfall_time::Span;

const HOME: &str = include_str!("../../../scenarios/home-computer.toml");

fn run(scenario: &str) -> (Scenario, Simulated) {
    let scenario = Scenario::parse("test.toml", scenario).unwrap();
    let run = simulate(&scenario).unwrap();
    (scenario, run)
}

fn page_of(scenario: &Scenario, outcome: &Outcome) -> String {
    page::text(&page::report("test", scenario, outcome, &[], Story::default()))
}

/// The rows of the text's table of promises: promise, owner, state, margin, tested, worst window.
fn said(scenario: &Scenario, outcome: &Outcome) -> Vec<Vec<String>> {
    let text = text(scenario, outcome, &[], Duration::ZERO, None);
    let rows = text.lines().skip_while(|line| !line.starts_with("PROMISE")).skip(1);
    let rows = rows.take_while(|line| !line.is_empty() && !line.starts_with("not tested:"));
    let cells = |line: &str| {
        let cells = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty());
        cells.map(str::to_owned).collect()
    };
    rows.map(cells).collect()
}

/// The cells of the page's table of promises, without their tags, and the class of each state.
fn shown(page: &str) -> Vec<(Vec<String>, String)> {
    let section = page.split_once("id=\"promises\"").unwrap().1.split_once("</section>").unwrap().0;
    let body = section.split_once("<tbody>").unwrap().1;
    let rows = body.split("<tr>").skip(1).map(|row| {
        let cells = row.split(['<', '>']).collect::<Vec<_>>();
        // Between tags stands every second piece.
        let texts = cells.iter().skip(2).step_by(2).map(|text| text.trim().to_owned());
        let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
        let class = row.split_once("class=\"chip ").unwrap().1.split_once('"').unwrap().0;
        (texts, class.to_owned())
    });
    rows.collect()
}

/// A cell of the text as the page writes it: of times, three digits, in the columns that are measured.
fn on_page(cell: &str, column: usize) -> String {
    let word = |word: &str| match word.parse::<Span>() {
        Ok(Span::ZERO) => "0".to_owned(),
        Ok(span) => {
            let (value, unit) = match span.as_nanos() {
                ns @ ..1_000_000_000 => (ns as f64 / 1e6, "ms"),
                ns => (ns as f64 / 1e9, "s"),
            };
            let places = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
            format!("{value:.places$} {unit}")
        }
        Err(_) => word.to_owned(),
    };
    match column {
        3 | 5 => cell.split(' ').map(word).collect::<Vec<_>>().join(" "),
        _ => cell.to_owned(),
    }
}

#[test]
fn law_the_page_says_of_promises_what_the_text_says() {
    let (scenario, run) = run(HOME);
    let said = said(&scenario, &run.outcome);
    assert_eq!(said.len(), 9);
    let shown = shown(&page_of(&scenario, &run.outcome));
    let order = |row: &[String]| [1, 0, 2, 3, 4, 5].map(|at| on_page(&row[at], at)).to_vec();
    let texts: Vec<Vec<String>> = shown.iter().map(|(texts, _)| texts.clone()).collect();
    assert_eq!(texts, said.iter().map(|row| order(row)).collect::<Vec<_>>());
    assert!(shown.iter().all(|(_, class)| class == "met"), "{shown:?}");
    let page = page_of(&scenario, &run.outcome);
    assert!(!page.contains("exceeded") && !page.contains("not needed"), "totals judge nothing");
}

/// A run whose one promise fared as `verdict` and `cause` say.
fn fared(verdict: Verdict, cause: Option<Use>, granted: bool) -> (Scenario, Simulated) {
    let (scenario, mut run) = run("schema = 2\nlength = \"1s\"\n\
        [schedulers.res]\nscheduler = \"rez\"\nparent = \"top\"\n\
        [threads.a]\nparent = \"res\"\nguarantee = \"RESBH 3ms 10ms\"\nrun = \"spin\"\n");
    let promises = &mut run.outcome.promises;
    promises.retain(|promise| promise.promise.owner == "a");
    let [promise] = promises.as_mut_slice() else { panic!("{promises:?}") };
    (promise.verdict, promise.cause, promise.promise.granted) = (Some(verdict), cause, granted);
    (scenario, run)
}

#[test]
fn law_a_promise_looks_like_a_miss_if_it_counts_as_one() {
    let (_, run) = run(HOME);
    let worst: Window = run.outcome.promises.last().unwrap().worst().unwrap();
    let (short, by) = (worst.promised, worst.promised);
    let short = Verdict::Broken { short, worst, tested: 7 };
    let over = Verdict::Exceeded { by, worst, tested: 7 };
    for (verdict, cause, granted, status, class) in [
        (short, None, true, PromiseStatus::Missed, "missed"),
        (over, None, true, PromiseStatus::Exceeded, "missed"),
        (short, Some(Use::Stolen), true, PromiseStatus::Stolen, "excused"),
        (short, Some(Use::Overhead), true, PromiseStatus::Overhead, "excused"),
        (short, None, false, PromiseStatus::Missed, "excused"),
        (Verdict::NeverTested, None, true, PromiseStatus::NotTested, "quiet"),
    ] {
        let (scenario, run) = fared(verdict, cause, granted);
        let page = page_of(&scenario, &run.outcome);
        let (texts, shown) = shown(&page).remove(0);
        assert_eq!((texts[2].as_str(), shown.as_str()), (status.name(), class));
        let failure = run.outcome.promises[0].is_failure();
        assert_eq!(page.contains("not all promises kept"), failure, "{status:?}");
        assert_eq!(page.contains("no promise missed"), !failure, "{status:?}");
        // Neither chip, nor bar, nor margin.
        for bad in ["chip missed", "track missed", "span class=\"bad\""] {
            assert_eq!(page.contains(bad), failure, "{status:?}: {bad}");
        }
        let chips = page.matches(&format!("chip {class}")).count();
        assert_eq!(chips, 2, "in the tree, too: {status:?}");
    }
}

#[test]
fn law_a_group_has_the_worst_verdict_of_its_threads() {
    let (scenario, mut run) = run("schema = 2\nlength = \"1s\"\n\
        [schedulers.res]\nscheduler = \"rez\"\nparent = \"top\"\n\
        [threads.a]\ncount = 9\nparent = \"res\"\nguarantee = \"RESBH 1ms 10ms\"\nrun = \"spin\"\n");
    let promises = run.outcome.promises.iter_mut();
    let promise = promises.into_iter().find(|promise| promise.promise.owner == "a-4").unwrap();
    let worst = promise.worst().unwrap();
    promise.verdict = Some(Verdict::Broken { short: worst.promised, worst, tested: 1 });
    let shown = shown(&page_of(&scenario, &run.outcome));
    let [(texts, class)] = shown.as_slice() else { panic!("{shown:?}") };
    assert_eq!((texts[0].as_str(), class.as_str()), ("a (worst of 9 threads)", "missed"));
    assert_eq!(texts[2], "missed");
    let page = page_of(&scenario, &run.outcome);
    assert_eq!(page.matches("chip missed").count(), 2, "in the tree, too");
}

/// `low` asks for what `high` leaves nothing of, and so does the scheduler `inner`.
const REFUSED: &str = "schema = 2\nlength = \"1s\"\n\
    [schedulers.fp]\nscheduler = \"fixed-priority\"\nparent = \"top\"\n\
    [schedulers.inner]\nscheduler = \"round-robin\"\nparent = \"fp\"\nguarantee = \"RESBS 2ms 10ms\"\npriority = 1\n\
    [threads.high]\nparent = \"fp\"\nguarantee = \"ALL\"\npriority = 2\nrun = \"spin\"\n\
    [threads.low]\nparent = \"fp\"\nguarantee = \"RESBS 1ms 10ms\"\npriority = 1\nrun = \"spin\"\n";

#[test]
fn law_the_page_names_each_request_that_was_refused() {
    let (scenario, run) = run(REFUSED);
    let page = page_of(&scenario, &run.outcome);
    assert!(page.contains("2 guarantees refused"), "at the top");
    assert!(page.contains("no promise missed that was granted"), "of what was granted only");
    let section = page.split_once("id=\"refused\"").unwrap().1.split_once("</section>").unwrap().0;
    for (owner, asked) in [("inner", "RESBS 2ms 10ms"), ("low", "RESBS 1ms 10ms")] {
        let row = section.split("<tr>").find(|row| row.contains(&format!(">{owner}<"))).unwrap();
        for cell in [asked, ">fp<", "of its siblings"] {
            assert!(row.contains(cell), "{owner}: {cell}: {row}");
        }
        let tree = page.split_once("id=\"tree\"").unwrap().1.split_once("</section>").unwrap().0;
        let row = tree.split("<tr").find(|row| row.contains(&format!(">{owner}<"))).unwrap();
        assert!(row.contains("chip missed") && row.contains("</span> RESBS"), "{owner}: {row}");
        assert!(!row.contains("promised"), "no tick of a promise: {row}");
    }
    let (scenario, run) = self::run(HOME);
    assert!(!page_of(&scenario, &run.outcome).contains("refused\""), "nothing was refused");
}

#[test]
fn law_a_refusal_stands_beside_whoever_asked() {
    let (scenario, run) = run(&format!(
        "{REFUSED}[schedulers.out]\nscheduler = \"edf\"\nparents = [\"top\", {{ parent = \"fp\", priority = 1, \
         guarantee = \"RESBS 3ms 10ms\" }}]\n[threads.\"fp/x\"]\nparent = \"fp\"\npriority = 1\n\
         guarantee = \"RESBS 4ms 10ms\"\nrun = \"spin\"\n[machine]\nprocessors = 2\n"
    ));
    let refused = refusals(&scenario).into_iter();
    let refused: Vec<_> = refused.map(|one| (one.owner, one.own, one.name)).collect();
    let one = |owner: &str, own, name: &str| (owner.to_owned(), own, name.to_owned());
    let expected = [
        ("inner", Some(0), "inner"),
        ("out", Some(1), "out/1"),
        ("low", None, "low"),
        ("fp/x", None, "fp/x"),
    ];
    assert_eq!(refused, expected.map(|(owner, own, name)| one(owner, own, name)));
    let page = page_of(&scenario, &run.outcome);
    let tree = page.split_once("id=\"tree\"").unwrap().1.split_once("</section>").unwrap().0;
    for (owner, amount) in [("out", Some("3ms")), ("fp/x", Some("4ms")), ("fp", None)] {
        let row = tree.split("<tr").find(|row| row.contains(&format!(">{owner}<"))).unwrap();
        let asked = amount.map(|amount| format!("RESBS {amount} 10ms"));
        assert_eq!(row.contains("\">refused<"), amount.is_some(), "{owner}: {row}");
        assert!(asked.is_none_or(|asked| row.contains(&asked)), "{owner}: {row}");
    }
}

#[test]
fn law_check_calls_promised_what_was_granted() {
    let scenario = Scenario::parse("test.toml", REFUSED).unwrap();
    let found = windfall_report::check::json(&scenario, &Assessment::of(&scenario));
    let promised = |list: &str, name: &str| {
        let mut rows = found[list].as_array().unwrap().iter();
        rows.find(|row| row["name"] == name).unwrap()["promised"].clone()
    };
    assert_eq!(promised("threads", "high"), "ALL");
    assert_eq!(promised("threads", "low"), serde_json::Value::Null);
    assert_eq!(promised("schedulers", "inner"), serde_json::json!([null]));
}

#[test]
fn law_a_broken_promise_outranks_one_that_was_only_asked_for() {
    let (scenario, mut run) = run("schema = 2\nlength = \"1s\"\n\
        [schedulers.res]\nscheduler = \"rez\"\nparent = \"top\"\n\
        [threads.a]\ncount = 9\nparent = \"res\"\nguarantee = \"RESBH 1ms 10ms\"\nrun = \"spin\"\n");
    let worst = run.outcome.promises[0].worst().unwrap();
    let [short, by] = [worst.promised; 2];
    let verdicts =
        [Verdict::Broken { short, worst, tested: 1 }, Verdict::Exceeded { by, worst, tested: 1 }];
    for (at, verdict) in verdicts.into_iter().enumerate() {
        let owner = format!("a-{}", at + 1);
        let mut promises = run.outcome.promises.iter_mut();
        let promise = promises.find(|promise| promise.promise.owner == owner).unwrap();
        (promise.verdict, promise.promise.granted) = (Some(verdict), at == 1);
    }
    let page = page_of(&scenario, &run.outcome);
    let shown = shown(&page);
    let [(texts, class)] = shown.as_slice() else { panic!("{shown:?}") };
    assert_eq!((texts[2].as_str(), class.as_str()), ("exceeded", "missed"));
    assert!(page.contains("not all promises kept"));
}
