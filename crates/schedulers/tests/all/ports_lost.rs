//! Tasks that can no longer be done, found by a query: named when the host asks for it.

use crate::common::{Host, at, span};
use crate::ports::{holds, submit};
use windfall_hierarchy::{JournalEvent, Message, Note, Processor, TemporalAnswer, TemporalQuery};

#[test]
fn law_a_task_that_a_query_finds_lost_is_named_when_that_is_asked_for() {
    let mut host = Host::new(1);
    let node = host.root("ports", &[]);
    holds(&mut host, node, "ALL");
    let a = host.thread(node, "a", &[]);
    host.wake(a);
    host.tell(a, submit(0, 20, 30)).unwrap();
    host.tree.open_journal(100, false);
    host.now = 15;
    host.tree.report_stolen(Processor(0), span(12)).unwrap();
    let ask = |host: &mut Host, query| host.tree.temporal_query(at(15), node, query).unwrap();
    // The query accounts for time, and names nothing.
    ask(&mut host, TemporalQuery::IdleBefore(at(90))).unwrap();
    assert_eq!(host.tree.drain_journal().count(), 0);
    assert_eq!(ask(&mut host, TemporalQuery::Unnamed), Some(TemporalAnswer::Unnamed(true)));
    host.tree.configure(at(15), node, Message::Account).unwrap();
    let mut lost = host.tree.drain_journal().filter_map(|entry| match entry.what {
        JournalEvent::Noted { note: Note::Lost(left), task, .. } => Some((left, task)),
        _ => None,
    });
    assert_eq!(lost.next(), Some((span(17), Some(0))));
    drop(lost);
    assert_eq!(ask(&mut host, TemporalQuery::Unnamed), Some(TemporalAnswer::Unnamed(false)));
}
