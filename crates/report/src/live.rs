//! A run that is under way: its tree, row by row, as text; `live/screen.rs` draws it on a terminal repeatedly, and `live/answer.rs`
//! puts its answers in words.

mod answer;
mod screen;

pub use answer::answer;
pub use screen::{Order, Screen};

use crate::terminal::{figures, table};
use crate::votes;
use windfall_scenario::listing::{Account, Listing, LiveStatus, Node, Processor, Promised, Thread};
use windfall_trace::escape::escaped;

/// One scheduler or thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Row {
    /// How deep it stands.
    pub(crate) depth: usize,
    pub(crate) name: String,
    /// The kind of a scheduler, the state of a thread.
    pub(crate) sort: String,
    pub(crate) is_thread: bool,
    pub(crate) cpu: Option<u16>,
    /// The worst kept of its guarantees, if it has any.
    pub(crate) promised: Option<Promised>,
    pub(crate) received: Account,
    pub(crate) completed: u64,
    pub(crate) missed: u64,
    /// The figures that its scheduler keeps of it, and those that it reports itself.
    pub(crate) counted: Vec<(String, u64)>,
}

/// All rows: every scheduler below its first parent, threads below theirs, those that have ended last.
pub(crate) fn rows(listing: &Listing) -> Vec<Row> {
    let mut rows = Vec::new();
    let roots = listing.nodes.iter().filter(|node| first_parent(node).is_none());
    for node in roots {
        below(listing, node, 0, &mut rows);
    }
    let homeless = listing.threads.iter().filter(|thread| thread.parent.is_none());
    rows.extend(homeless.map(|thread| of_thread(thread, 0)));
    rows
}

fn first_parent(node: &Node) -> Option<&str> {
    node.owns.first().and_then(|own| own.parent.as_deref())
}

fn below(listing: &Listing, node: &Node, depth: usize, rows: &mut Vec<Row>) {
    rows.push(of_node(listing, node, depth));
    let children = listing.nodes.iter().filter(|child| first_parent(child) == Some(&node.name));
    for child in children {
        below(listing, child, depth + 1, rows);
    }
    let threads = listing.threads.iter();
    let threads = threads.filter(|thread| thread.parent.as_deref() == Some(&node.name));
    rows.extend(threads.map(|thread| of_thread(thread, depth + 1)));
}

fn of_node(listing: &Listing, node: &Node, depth: usize) -> Row {
    let mut sort = node.kind.clone();
    let others = node.owns.iter().skip(1).filter_map(|own| own.parent.as_deref());
    let mut others: Vec<&str> = others.filter(|other| Some(*other) != first_parent(node)).collect();
    others.dedup();
    if !others.is_empty() {
        sort += &format!(", also below {}", others.join(", "));
    }
    if listing.default.as_ref() == Some(&node.name) {
        sort += ", default";
    }
    if node.quarantined {
        sort += ", QUARANTINED";
    }
    Row {
        depth,
        name: node.name.clone(),
        sort,
        is_thread: false,
        cpu: None,
        promised: worst(&node.promises),
        received: node.received,
        completed: 0,
        missed: 0,
        counted: node.counted.clone(),
    }
}

fn of_thread(thread: &Thread, depth: usize) -> Row {
    Row {
        depth,
        name: thread.name.clone(),
        sort: thread.state.clone(),
        is_thread: true,
        cpu: thread.cpu,
        promised: worst(&thread.promises),
        received: thread.received,
        completed: thread.completed,
        missed: thread.missed,
        counted: thread.counted.clone(),
    }
}

/// A sentence for each replica that was wrong or absent.
fn accused(listing: &Listing) -> Vec<String> {
    let threads = listing.threads.iter();
    let threads: Vec<_> =
        threads.map(|thread| (thread.name.as_str(), thread.counted.as_slice())).collect();
    votes::sentences(&threads)
}

/// The worst of several promises, one for each own virtual processor.
fn worst(promises: &[Promised]) -> Option<Promised> {
    let severity = |standing| match standing {
        LiveStatus::Unused | LiveStatus::NotTested => 0,
        LiveStatus::Met => 1,
        LiveStatus::Stolen | LiveStatus::Overhead => 2,
        LiveStatus::Unknown => 3,
        LiveStatus::Over => 4,
        LiveStatus::Missed => 5,
    };
    promises.iter().max_by_key(|promised| severity(promised.standing)).cloned()
}

/// A standing, in words.
pub(crate) const fn standing(standing: LiveStatus) -> &'static str {
    match standing {
        LiveStatus::Met => "kept",
        LiveStatus::Unused => "unused",
        LiveStatus::NotTested => "not tested",
        LiveStatus::Over => "exceeded",
        LiveStatus::Stolen => "stolen",
        LiveStatus::Overhead => "overhead",
        LiveStatus::Missed => "missed",
        LiveStatus::Unknown => "unknown",
    }
}

/// A part of a time in per cent with one place, rounded to the nearest.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    let tenths = tenths(part, whole);
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// A part of a time in tenths of a per cent.
pub(crate) fn tenths(part: u64, whole: u64) -> u128 {
    let whole = u128::from(whole.max(1));
    (u128::from(part) * 1_000 + whole / 2) / whole
}

/// Milliseconds with one place.
pub(crate) fn ms(ns: u64) -> String {
    format!("{}.{}", ns / 1_000_000, ns / 100_000 % 10)
}

/// The tree and the processors, for people.
#[must_use]
pub fn text(listing: &Listing, width: Option<usize>) -> String {
    let mut text = format!(
        "{} (process {}): {} ms of {} ms, {} decisions{}; timers at most {} us late, {} us of it our own delay{}\n\n",
        listing.name,
        listing.pid,
        listing.now_ns / 1_000_000,
        listing.end_ns / 1_000_000,
        listing.decisions,
        listing
            .tick_ns
            .map_or_else(String::new, |ns| format!(", a timer tick every {} us", ns / 1_000)),
        listing.lag_ns / 1_000,
        listing.lag_without_steal_ns / 1_000,
        if listing.lost { ", EVENTS OF THE KERNEL WERE LOST" } else { "" },
    );
    let head = [
        "NAME",
        "KIND OR STATE",
        "PROMISED",
        "STATUS",
        "RECEIVED ms",
        "%CPU",
        "%CPU LATELY",
        "DONE",
        "MISSED",
    ];
    let body = rows(listing).iter().map(|row| cells(listing, row)).collect();
    text += &table(&head, 4, body, width);
    let mut reasons = String::new();
    for row in rows(listing) {
        if let Some(why) = row.promised.and_then(|promised| promised.why) {
            reasons += &format!("{}: {why}\n", escaped(&row.name));
        }
    }
    if !reasons.is_empty() {
        text += &format!("\n{reasons}");
    }
    let accused = accused(listing);
    if !accused.is_empty() {
        text.push('\n');
        accused.iter().for_each(|sentence| text += &format!("{}\n", escaped(sentence)));
    }
    let mut counts = String::new();
    let nodes = listing.nodes.iter().map(|node| (&node.name, &node.counted));
    let threads = listing.threads.iter().map(|thread| (&thread.name, &thread.counted));
    for (name, counted) in nodes.chain(threads) {
        // What is about a replica is in its sentence.
        let counted = votes::others(counted);
        if !counted.is_empty() {
            counts += &format!("{} counted: {}\n", escaped(name), figures(&counted));
        }
    }
    if !counts.is_empty() {
        text += &format!("\n{counts}");
    }
    text.push('\n');
    listing.cpus.iter().for_each(|cpu| text += &processor(cpu, listing.now_ns));
    text
}

fn processor(cpu: &Processor, now_ns: u64) -> String {
    let part = |account: &Account| percent(account.ns, now_ns);
    format!(
        "cpu {}: threads {}%, scheduling {}%, stolen {}%, rest {}%; leaked {}%; granted to {}\n",
        cpu.number,
        part(&cpu.received),
        part(&cpu.scheduling),
        part(&cpu.stolen),
        part(&cpu.rest),
        part(&cpu.leaked),
        escaped(cpu.granted.as_deref().unwrap_or("nobody")),
    )
}

fn cells(listing: &Listing, row: &Row) -> Vec<String> {
    let dash = || "-".to_owned();
    let count = |count: u64| if row.is_thread { count.to_string() } else { String::new() };
    let place = row.cpu.map_or_else(String::new, |cpu| format!(" on {cpu}"));
    vec![
        format!("{}{}", "  ".repeat(row.depth), row.name),
        format!("{}{place}", row.sort),
        row.promised.as_ref().map_or_else(dash, |promised| {
            format!(
                "{}{}",
                promised.guarantee,
                if promised.granted { "" } else { " (not granted)" }
            )
        }),
        row.promised.as_ref().map_or_else(dash, |promised| standing(promised.standing).to_owned()),
        ms(row.received.ns),
        percent(row.received.ns, listing.now_ns),
        percent(row.received.last_ns, listing.last_ns),
        count(row.completed),
        count(row.missed),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use windfall_scenario::listing::OwnVp;

    fn node(name: &str, parents: &[Option<&str>]) -> Node {
        let owns = parents
            .iter()
            .map(|parent| OwnVp { parent: parent.map(str::to_owned), state: "ready".to_owned() });
        Node { name: name.to_owned(), owns: owns.collect(), ..Node::default() }
    }

    #[test]
    fn law_every_scheduler_and_thread_has_one_row() {
        let thread = |name: &str, parent: Option<&str>| Thread {
            name: name.to_owned(),
            parent: parent.map(str::to_owned),
            ..Thread::default()
        };
        let listing = Listing {
            nodes: vec![
                node("root", &[None, None]),
                node("res", &[Some("root")]),
                node("both", &[Some("res"), Some("root")]),
            ],
            threads: vec![thread("a", Some("both")), thread("b", Some("root")), thread("c", None)],
            ..Listing::default()
        };
        let rows = rows(&listing);
        let found: Vec<(&str, usize)> = rows.iter().map(|r| (r.name.as_str(), r.depth)).collect();
        let wanted = [("root", 0), ("res", 1), ("both", 2), ("a", 3), ("b", 1), ("c", 0)];
        assert_eq!(found, wanted);
        assert_eq!(rows[2].sort, ", also below root");
    }

    #[test]
    fn law_parts_are_rounded_to_the_nearest_tenth() {
        assert_eq!(
            (percent(1, 3), percent(2, 3), percent(0, 0)),
            ("33.3".into(), "66.7".into(), "0.0".into())
        );
        assert_eq!(ms(12_345_678), "12.3");
    }
}
