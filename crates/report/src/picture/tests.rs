use super::*;
use crate::sample::Sample;
use windfall_plot::Colour;
use windfall_time::Instant;
use windfall_trace::timeline::{CpuLine, Slice, What};
use windfall_trace::{Cpu, OverheadKind};

fn busy() -> Sample {
    let mut sample = Sample::small();
    sample.threads.push(("late", 9_000, 11_000));
    sample.loss = true;
    sample
}

fn picture(title: &str) -> Picture {
    Picture { title: title.to_owned(), ..Picture::default() }
}

#[test]
fn same_story_gives_the_same_bytes() {
    let story = Story::build(busy().records());
    let picture = picture("twice");
    assert_eq!(picture.svg(&story), picture.svg(&story));
    assert_eq!(picture.png(&story), picture.png(&story));
}

#[test]
fn law_threads_and_waiting_have_the_colours_of_the_page() {
    let code = |[r, g, b]: Colour| format!("#{r:02x}{g:02x}{b:02x}");
    let script = include_str!("../page/draw.js");
    let palette = script.split_once("const PALETTE = [").unwrap().1.split_once(']').unwrap().0;
    let own: Vec<String> =
        layout::THREADS.into_iter().map(|own| format!("'{}'", code(own))).collect();
    assert_eq!(own.join(", "), palette);
    let style = include_str!("../page/report.css");
    assert!(style.contains(&format!("--wait: light-dark({},", code(layout::WAIT))));
}

#[test]
fn names_in_a_picture_stay_text() {
    let mut story = Story::build(busy().records());
    story.timeline.threads[0].name = "</svg><b>&".to_owned();
    let svg = picture("</title><script>").svg(&story);
    assert_eq!(svg.matches("</svg>").count(), 1);
    assert_eq!(svg.matches("</title>").count(), 1);
    assert!(!svg.contains("<script"));
}

#[test]
fn everything_that_happened_is_in_the_legend() {
    let svg = picture("busy").svg(&Story::build(busy().records()));
    for text in ["running", "ready, waiting", "stolen by", "unknown: events", "release", "missed"] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(svg.contains("12 events LOST"));
}

#[test]
fn long_run_shows_its_first_periods() {
    let sample = Sample { length_us: 3_000_000, ..Sample::small() };
    let svg = picture("long").svg(&Story::build(sample.records()));
    assert!(svg.contains("of 3.00 s: first 3 periods of video"));
}

/// A thread of jobs, each released and done at these milliseconds.
fn jobs(thread: u32, all: &[(u64, u64)]) -> Vec<crate::Job> {
    let at = |ms: u64| Instant::from_nanos(ms * 1_000_000);
    let job = |(release, end): &(u64, u64)| crate::Job {
        thread: windfall_trace::ThreadId(thread),
        release: at(*release),
        deadline: None,
        end: Some(at(*end)),
        outcome: crate::Outcome::Done,
    };
    all.iter().map(job).collect()
}

#[test]
fn law_a_picture_shows_three_jobs_that_were_done() {
    let mut story = Story::default();
    story.timeline.to = Instant::from_nanos(20_000_000_000);
    // Releases come in a burst.
    story.jobs = jobs(0, &[(0, 30), (1, 60), (2, 95)]);
    let svg = picture("burst").svg(&story);
    assert!(svg.contains("95.0 ms of 20.0 s: first 3 jobs of"), "{svg}");
    // One that begins late is shown from its beginning.
    story.jobs = jobs(0, &[(9_000, 9_001), (9_010, 9_011), (9_020, 9_021)]);
    let svg = picture("late").svg(&story);
    assert!(svg.contains("30.0 ms of 20.0 s: first 3 periods of"), "{svg}");
}

#[test]
fn limit_nine_threads_that_are_alike_have_a_row_together() {
    for (many, rows) in [(8, 8), (9, 1)] {
        let mut sample = Sample::small();
        let names = ["w-1", "w-2", "w-3", "w-4", "w-5", "w-6", "w-7", "w-8", "w-9"];
        sample.threads = names[..many].iter().map(|name| (*name, 100, 9_000)).collect();
        let svg = picture("many").svg(&Story::build(sample.records()));
        assert_eq!(svg.matches(">w").count(), rows, "{many}: {svg}");
        assert_eq!(svg.contains("w (9 threads)"), many == 9);
    }
}

#[test]
fn law_the_bars_of_threads_that_have_a_row_together_come_in_order() {
    let story = Story::build(Sample::small().records());
    let ends = Some((story.timeline.from, story.timeline.to));
    let whole = Picture { window: ends, ..picture("whole") };
    let window = window::Window::of(&whole, &story, 0.0, 4_000.0);
    let threads: Vec<_> = story.timeline.threads.iter().collect();
    let bars = lanes::of_threads(&window, &threads);
    assert!(bars.len() > 20 && bars.is_sorted_by(|one, next| one.x <= next.x), "{bars:?}");
}

/// A processor that turns to something else every microsecond.
fn restless(slices: u64) -> Story {
    let mut story = Story::default();
    let at = |us: u64| Instant::from_nanos(us * 1_000);
    let slices = (0..slices).map(|i| {
        let what = match i % 3 {
            0 => What::Overhead(OverheadKind::Interrupt),
            1 => What::Idle,
            _ => What::Unknown,
        };
        Slice { from: at(i), to: at(i + 1), what }
    });
    story.timeline.cpus = vec![CpuLine::new(Cpu(0), slices.collect())];
    story.timeline.to = story.timeline.cpus[0].slices.last().map_or(at(0), |slice| slice.to);
    story
}

#[test]
fn shapes_are_bounded_by_pixels() {
    let story = restless(200_000);
    let window = Some((story.timeline.from, story.timeline.to));
    let svg = Picture { window, ..picture("restless") }.svg(&story);
    let shapes = svg.matches("<rect").count();
    assert!(shapes < 3 * 1_200, "{shapes} rectangles");
}

#[test]
fn empty_story_is_a_picture() {
    let png = picture("nothing").png(&Story::default());
    assert_eq!(&png[1..4], b"PNG");
}

/// Writes pictures to look at; only when asked for by the variable.
#[test]
fn sample_pictures_are_written_where_windfall_samples_says() {
    let Some(folder) = std::env::var_os("WINDFALL_SAMPLES") else { return };
    let folder = std::path::Path::new(&folder);
    let long = Sample { length_us: 3_000_000, ..busy() };
    for (name, sample, whole) in [("busy", busy(), false), ("long", long, true)] {
        let story = Story::build(sample.records());
        let window = whole.then_some((story.timeline.from, story.timeline.to));
        let title = "Does the control loop keep its promise?".to_owned();
        let picture = Picture { title, window, ..Picture::default() };
        std::fs::write(folder.join(format!("{name}.svg")), picture.svg(&story)).unwrap();
        std::fs::write(folder.join(format!("{name}.png")), picture.png(&story)).unwrap();
    }
}
