use super::*;
use crate::sample::Sample;
use crate::{Outcome, Story};
use std::collections::BTreeMap;
use windfall_time::{Instant, Ratio, Span, quantile};
use windfall_trace::ThreadId;
use windfall_trace::timeline::State;

const HOSTILE: &str = "</script><b>\"&'";

fn page(report: &Report) -> String {
    text(report)
}

/// A report on a sample, filled in as a caller would.
fn report_on(sample: &Sample) -> Report {
    let story = Story::build(sample.records());
    let span = story.timeline.span();
    let mut report = Report {
        title: "Does the control loop keep its promise?".into(),
        question: Some("When video overruns, does control notice?".into()),
        answer: Some("No; control keeps its bound.".into()),
        machine: format!("{} cpus at speed 1, simulated", sample.cpus),
        span,
        lost: story.timeline.lost,
        ..Report::default()
    };
    for node in &story.nodes {
        let parent = node.parent.map(|parent| usize::try_from(parent.0).unwrap());
        let (name, kind) = (node.name.clone(), node.kind.clone());
        report.nodes.push(NodeRow { name, kind, parent, ..NodeRow::default() });
    }
    for (at, line) in story.timeline.threads.iter().enumerate() {
        let mut row = ThreadRow {
            name: line.name.clone(),
            parent: line.node.map(|node| usize::try_from(node.0).unwrap()),
            ..ThreadRow::default()
        };
        if let Some((_, cost, period)) = sample.threads.get(at) {
            row.promise = Some(format!("RESBH {cost}us {period}us"));
            row.share = Ratio::new(i128::from(*cost), i128::from(*period));
        }
        for stretch in &line.stretches {
            match stretch.state {
                State::Running(_) => {
                    row.received += stretch.span();
                    row.runnable += stretch.span();
                    row.dispatches += 1;
                }
                State::Ready => row.runnable += stretch.span(),
                State::Unknown => row.unknown += stretch.span(),
                _ => {}
            }
        }
        jobs(&mut row, &story, line.id);
        for up in row.parent.into_iter().chain([0]) {
            report.nodes[up].received += row.received;
            report.nodes[up].runnable += row.runnable;
        }
        report.threads.push(row);
    }
    for line in &story.timeline.cpus {
        let mut row = CpuRow { name: format!("cpu {}", line.cpu.0), ..CpuRow::default() };
        for slice in &line.slices {
            use windfall_trace::timeline::What;
            match slice.what {
                What::Thread(_) => row.received += slice.span(),
                What::Overhead(windfall_trace::OverheadKind::Scheduling) => {
                    row.scheduling += slice.span()
                }
                What::Overhead(windfall_trace::OverheadKind::Switching) => {
                    row.switching += slice.span()
                }
                What::Overhead(kind) if kind.is_station() => row.stations += slice.span(),
                What::Overhead(_) => row.stolen += slice.span(),
                What::Idle | What::Unknown => row.idle += slice.span(),
            }
        }
        report.cpus.push(row);
    }
    report.expectations.push(Expectation {
        name: "control-response-max".into(),
        held: true,
        text: "at most 5ms, found 4.31ms, because its budget is 4ms in each 5ms".into(),
    });
    report.story = Some(story);
    report
}

fn jobs(row: &mut ThreadRow, story: &Story, thread: ThreadId) {
    let mut times = Vec::new();
    for job in story.jobs.iter().filter(|job| job.thread == thread) {
        if let Some(end) = job.end {
            times.push(end.saturating_since(job.release).as_nanos());
            row.jobs += 1;
            row.deadlines_missed += u64::from(job.outcome == Outcome::Missed);
        }
    }
    times.sort_unstable();
    let (Some(&min), Some(&max)) = (times.first(), times.last()) else { return };
    let mut buckets: BTreeMap<u64, u64> = BTreeMap::new();
    let width = (max / 24).max(1);
    for time in &times {
        *buckets.entry(time / width).or_default() += 1;
    }
    let span = Span::from_nanos;
    row.response = Some(Response {
        min: span(min),
        mean: span(times.iter().sum::<u64>() / times.len() as u64),
        p50: span(quantile(&times, 1, 2).unwrap()),
        p99: span(quantile(&times, 99, 100).unwrap()),
        max: span(max),
        buckets: buckets
            .into_iter()
            .map(|(at, count)| Bucket { from: span(at * width), to: span((at + 1) * width), count })
            .collect(),
    });
}

#[test]
fn law_replicas_that_were_wrong_are_on_the_page() {
    let said = "replica 2 of sum: 7 values wrong";
    let report =
        Report { replicas: vec![said.to_owned(), HOSTILE.to_owned()], ..Report::default() };
    let text = page(&report);
    assert!(text.contains(&format!("<li>{said}</li>")), "{text}");
    assert!(text.contains("Replicas that were wrong or absent") && !text.contains(HOSTILE));
    assert!(!page(&Report::default()).contains("Replicas that were"));
}

fn hostile() -> Report {
    let mut report = report_on(&Sample::small());
    let text = || HOSTILE.to_owned();
    report.title = text();
    (report.question, report.answer, report.machine) = (Some(text()), Some(text()), text());
    for row in &mut report.threads {
        (row.name, row.promise) = (text(), Some(text()));
    }
    for row in &mut report.nodes {
        (row.name, row.kind, row.promise) = (text(), text(), Some(text()));
    }
    report.cpus[0].name = text();
    report.expectations[0].name = text();
    report.expectations[0].text = text();
    report.quarantined = vec![(text(), text())];
    let story = report.story.as_mut().unwrap();
    for line in &mut story.timeline.threads {
        line.name = text();
    }
    for node in &mut story.nodes {
        (node.name, node.kind) = (text(), text());
    }
    report
}

#[test]
fn hostile_names_stay_text() {
    let page = page(&hostile());
    assert!(!page.contains("<b>\""), "a name opened a tag");
    assert_eq!(page.matches("</script>").count(), 3, "names, slices and the script itself");
    assert!(page.contains("&lt;/script&gt;&lt;b&gt;"));
    assert!(page.contains("\\u003c/script\\u003e\\u003cb\\u003e\\\""));
}

#[test]
fn page_fetches_nothing() {
    let page = page(&report_on(&Sample::small()));
    for way in ["http:", "https:", "src=", "@import", "url(", "fetch(", "import(", "<link"] {
        assert!(!page.contains(way), "{way}");
    }
}

#[test]
fn same_report_gives_the_same_bytes() {
    let report = report_on(&Sample::small());
    assert_eq!(page(&report), page(&report));
}

#[test]
fn empty_report_is_a_page() {
    let page = page(&Report::default());
    assert!(page.ends_with("</html>\n"));
    assert!(!page.contains("id=\"timeline\""));
}

#[test]
fn loss_is_told_in_the_head() {
    let sample = Sample { loss: true, ..Sample::small() };
    assert!(page(&report_on(&sample)).contains("<li class=\"unknown\">12 events lost, once</li>"));
}

#[test]
fn circle_of_parents_ends() {
    let node = |parent| NodeRow { parent: Some(parent), ..NodeRow::default() };
    let report = Report { nodes: vec![node(1), node(0)], ..Report::default() };
    assert!(page(&report).ends_with("</html>\n"));
}

#[test]
fn slices_of_a_page_take_few_bytes() {
    let sample = Sample { length_us: 2_000_000, ..Sample::small() };
    let story = Story::build(sample.records());
    let lines = &story.timeline;
    let slices: usize = lines.cpus.iter().map(|line| line.slices.len()).sum::<usize>()
        + lines.threads.iter().map(|line| line.stretches.len()).sum::<usize>();
    let bytes = embed::pack(&story).len();
    assert!(bytes < slices * 10, "{bytes} bytes for {slices} slices");
    assert_eq!(lines.from, Instant::ZERO);
}

/// Writes pages for a browser; only when asked for by the variable.
#[test]
fn sample_pages_are_written_where_windfall_samples_says() {
    let Some(folder) = std::env::var_os("WINDFALL_SAMPLES") else { return };
    let folder = std::path::Path::new(&folder);
    let mut busy = Sample::small();
    busy.threads.push(("late", 9_000, 11_000));
    busy.loss = true;
    let mut large = busy.clone();
    (large.cpus, large.length_us) = (4, 8_000_000);
    large.threads.extend([("camera", 700, 4_000), ("lidar", 350, 1_000), ("net rx", 90, 500)]);
    let samples = [("small", Sample::small()), ("busy", busy), ("large", large)];
    for (name, sample) in samples {
        let text = page(&report_on(&sample));
        std::fs::write(folder.join(format!("{name}.html")), text).unwrap();
    }
    std::fs::write(folder.join("hostile.html"), page(&hostile())).unwrap();
}

/// The hue of `#rrggbb` in degrees; `None` for a grey.
fn hue(colour: &str) -> Option<f64> {
    let part = |at: usize| f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap());
    let (r, g, b) = (part(1), part(3), part(5));
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    let turn = match most {
        _ if most - least < 30.0 => return None,
        _ if most <= r => (g - b) / (most - least),
        _ if most <= g => 2.0 + (b - r) / (most - least),
        _ => 4.0 + (r - g) / (most - least),
    };
    Some((turn * 60.0).rem_euclid(360.0))
}

#[test]
fn law_no_thread_has_the_colour_of_waiting_or_of_a_miss() {
    let palette = SCRIPT.split_once("const PALETTE = [").unwrap().1.split_once(']').unwrap().0;
    let threads: Vec<f64> =
        palette.split('\'').filter(|part| part.starts_with('#')).filter_map(hue).collect();
    assert_eq!(threads.len(), 8, "none of them is a grey: {palette}");
    for name in ["--wait:", "--bad:"] {
        let (_, colours) = STYLE.split_once(name).unwrap();
        let colours = colours.split_once(';').unwrap().0;
        for own in colours.split(['(', ',', ')', ' ']).filter(|part| part.starts_with('#')) {
            let own = hue(own).unwrap();
            let apart = |thread: &f64| (thread - own).abs().min(360.0 - (thread - own).abs());
            let nearest = threads.iter().map(apart).fold(360.0, f64::min);
            assert!(nearest > 25.0, "{name} {own}: {nearest} degrees from a thread's");
        }
    }
}

#[test]
fn limit_a_histogram_of_one_value_is_a_line_and_no_block() {
    let mut report = report_on(&Sample::small());
    let span = Span::from_millis(5);
    let bucket = Bucket { from: Span::from_nanos(4_960_938), to: span, count: 30 };
    report.threads.truncate(1);
    report.threads[0].response = Some(Response {
        min: span,
        mean: span,
        p50: span,
        p99: span,
        max: span,
        buckets: vec![bucket],
    });
    let page = page(&report);
    let wide = page.split_once("<rect ").unwrap().1.split_once("width=\"").unwrap().1;
    let wide: f64 = wide.split_once('"').unwrap().0.parse().unwrap();
    assert!(wide < 6.0, "{wide}");
}

#[test]
fn law_a_margin_that_was_not_needed_does_not_look_like_a_miss() {
    let mut report = report_on(&Sample::small());
    let (promise, share) = (Some("RESBH 9ms 10ms".to_owned()), Ratio::new(9, 10));
    let row = |missed| ThreadRow {
        promise: promise.clone(),
        share,
        received: Span::from_millis(20),
        runnable: Span::from_millis(30),
        deadlines_missed: missed,
        due: true,
        ..ThreadRow::default()
    };
    (report.nodes, report.story) = (Vec::new(), None);
    for (missed, shown) in [(0, "not needed"), (1, "<span class=\"bad\">−10.0 ms")] {
        report.threads = vec![row(missed)];
        let page = page(&report);
        assert!(page.contains(shown), "{missed}");
        assert_eq!(page.contains("<span class=\"bad\">−"), missed > 0);
    }
}

#[test]
fn accepts_two_runs_on_one_axis() {
    let [one, other] = [Sample::small(), Sample { length_us: 200_000, ..Sample::small() }];
    let [one, other] = [one, other].map(|sample| Story::build(sample.records()));
    let page = beside("b", &[("shared </script>", &one), ("reserved", &other)]);
    assert_eq!(page.matches("</script>").count(), 3);
    let slices = page.split_once("id=\"slices\">").unwrap().1.split_once('<').unwrap().0;
    assert_eq!(slices.split(' ').count(), 2);
}

#[test]
fn law_columns_of_admissions_are_those_that_have_something() {
    let jobs = ThreadRow {
        name: "camera".into(),
        submitted: 7,
        refused: 2,
        reasons: "2 no time before the deadline".into(),
        ..ThreadRow::default()
    };
    let heads = |row: &ThreadRow| {
        let mut report = Report { threads: vec![row.clone()], ..Report::default() };
        report.threads[0].parent = None;
        let page = tables::admissions(&report).into_string();
        let all = ["Asked", "Why", "Lost", "Tasks in time", "Tasks late", "By", "Other tasks"];
        let shown = all.into_iter().filter(|head| page.contains(&format!(">{head}</th>")));
        (shown.collect::<Vec<_>>(), page)
    };
    assert_eq!(heads(&jobs).0, ["Asked", "Why"]);
    let mut process = ThreadRow { refused: 0, reasons: String::new(), lost: 1, ..jobs };
    process.lost_tasks = vec!["0.007s  task 4 by 0.010s".into()];
    (process.tasks.in_time, process.tasks_late, process.lateness) = (3, 1, "at most 1ms".into());
    let (shown, page) = heads(&process);
    assert_eq!(shown, ["Asked", "Lost", "Tasks in time", "Tasks late", "By"]);
    assert!(page.contains("<li>0.007s  task 4 by 0.010s</li>"), "{page}");
    process.tasks.open = 1;
    assert_eq!(heads(&process).0.last(), Some(&"Other tasks"));
}
