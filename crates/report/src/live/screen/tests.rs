use super::*;
use windfall_scenario::listing::{Node, Promised, Thread};
use windfall_scenario::outcome::PromiseStatus;

/// The text of a screen of that width.
fn shown(screen: &Screen, width: u16) -> Vec<String> {
    let area = Rect::new(0, 0, width, 20);
    let mut buffer = Buffer::empty(area);
    screen.render(area, &mut buffer);
    let line = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..20).map(line).collect()
}

fn screen() -> Screen {
    let thread = |name: &str, standing, last_ns| Thread {
        name: name.to_owned(),
        parent: Some("root".to_owned()),
        received: Account { ns: 10 * last_ns, last_ns },
        promises: vec![Promised {
            guarantee: "RESBH 3ms 10ms".to_owned(),
            standing,
            ..Promised::default()
        }],
        ..Thread::default()
    };
    let listing = Listing {
        name: "scenarios/audio.toml".to_owned(),
        now_ns: 10_000_000_000,
        last_ns: 1_000_000_000,
        cpus: vec![Processor::default()],
        nodes: vec![Node { name: "root".to_owned(), ..Node::default() }],
        threads: vec![
            thread("calm", LiveStatus::Met, 300_000_000),
            thread("late", LiveStatus::Missed, 500_000_000),
        ],
        ..Listing::default()
    };
    Screen::new(listing, false)
}

#[test]
fn law_what_matters_of_a_row_is_shown_at_every_width() {
    for width in [60, 80, 120] {
        let lines = shown(&screen(), width);
        let row = lines.iter().find(|line| line.contains("late")).unwrap();
        for part in ["RESBH 3ms 10ms", "50.0", "!"] {
            assert!(row.contains(part), "{width}: no `{part}` in `{row}`");
        }
        let cpu = lines.iter().find(|line| line.starts_with("cpu 0")).unwrap();
        assert!(cpu.contains("rest 0.0%") || cpu.contains("rest   0.0%"), "{width}: {cpu}");
        let head = lines.iter().find(|line| line.starts_with("NAME")).unwrap();
        let last = |text: &str, letter| text.chars().rev().position(|c| c == letter);
        assert_eq!(last(head, 'D'), last(row, '0'), "{width}: {head}\n{row}");
    }
}

#[test]
fn law_heads_and_promises_are_whole_and_a_bar_has_its_cells() {
    let mut screen = screen();
    screen.listing.threads[0].promises[0].guarantee = "RESBH 200us 500us".to_owned();
    screen.listing.threads[1].name = "a-name-that-is-longer-than-its-place".to_owned();
    screen.sort();
    for (width, heads) in [
        (60, &["RECEIVED ", "STATUS"][..]),
        (80, &["RECEIVED ", "ON STATUS"]),
        (120, &["RECEIVED LATELY", "ON STATUS"]),
    ] {
        let lines = shown(&screen, width);
        let head = lines.iter().find(|line| line.starts_with("NAME")).unwrap();
        assert!(heads.iter().all(|part| head.contains(part)), "{width}: {head}");
        let row = lines.iter().find(|line| line.contains("calm")).unwrap();
        assert!(row.contains("RESBH 200us 500us "), "{width}: {row}");
        let cells = row.chars().filter(|cell| "█·|".contains(*cell)).count();
        assert!(cells >= BAR, "{width}: {row}");
        assert_eq!(
            head.find("STATUS").map(|at| at + 1),
            row.find('=').map(|_| row.trim_end().chars().count())
        );
    }
}

#[test]
fn law_the_order_changes_and_the_mark_stays_on_a_row() {
    let mut screen = screen();
    screen.down(usize::MAX);
    assert_eq!(screen.marked, 2);
    screen.sort_otherwise();
    assert_eq!(screen.order, Order::Received);
    let names: Vec<&str> = screen.rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["late", "calm", "root"]);
    screen.up(usize::MAX);
    assert_eq!(screen.marked, 0);
}

#[test]
fn law_a_bar_is_as_wide_as_it_should_be_and_shows_its_tick() {
    assert_eq!(bar(500, None, 1_000, 10), "█████·····");
    assert_eq!(bar(500, Some(300), 1_000, 10), "██|██·····");
    assert_eq!(bar(100, Some(300), 1_000, 10), "█·|·······");
    assert_eq!(bar(9_000, Some(9_000), 1_000, 4), "███|");
    assert_eq!(bar(0, Some(0), 1_000, 0), "");
}

#[test]
fn law_a_cell_has_its_width_whatever_is_in_it() {
    assert_eq!((cut("ab", 3), cut("abcd", 3)), ("ab ".to_owned(), "ab~".to_owned()));
}

#[test]
fn law_figures_of_the_marked_row_are_shown() {
    let mut screen = screen();
    let figures = [("committed", 235), ("saved_ns", 88_800_000)];
    screen.listing.threads[0].counted =
        figures.map(|(name, value)| (name.to_owned(), value)).into();
    screen.sort();
    screen.down(1);
    let lines = shown(&screen, 120);
    assert!(
        lines.iter().any(|line| line.contains("counted: committed 235, saved 88.80ms")),
        "{lines:?}"
    );
}

#[test]
fn law_a_replica_that_was_wrong_is_named_whichever_row_is_marked() {
    let mut screen = screen();
    let figures = [("votes", 90), ("replica_2_wrong", 7), ("replica_2_wrong_since", 4)];
    screen.listing.threads[0].counted =
        figures.map(|(name, value)| (name.to_owned(), value)).into();
    screen.sort();
    for width in [80, 120] {
        let lines = shown(&screen, width);
        let said = "replica 2 of calm: 7 values wrong, nothing right since iteration 4; nothing was done about it (says calm)";
        let whole: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
        assert!(whole.join(" ").contains(said), "{width}: {lines:?}");
    }
    screen.down(1);
    let lines = shown(&screen, 120);
    assert!(lines.iter().any(|line| line.contains("counted: votes 90 ")), "{lines:?}");
}

#[test]
fn law_what_was_stolen_is_shown_apart_from_what_schedulers_broke() {
    let shown = |status: PromiseStatus| sign(Some(status.into()));
    assert_eq!([PromiseStatus::Stolen, PromiseStatus::Overhead].map(shown), ["~"; 2]);
    // The legend says so where there is room, and never runs out of the screen.
    for (width, said) in [(80, false), (87, true), (120, true)] {
        let lines = self::shown(&screen(), width);
        let legend = lines.iter().find(|line| line.starts_with("= kept")).unwrap();
        assert_eq!(legend.contains("~ stolen or overhead"), said, "{width}: {legend}");
        assert!(legend.trim_end().ends_with("| promised"), "{width}: {legend}");
    }
    let broken = [PromiseStatus::Missed, PromiseStatus::Exceeded, PromiseStatus::Kept];
    assert_eq!(broken.map(shown), ["!", "+", "="]);
}
