//! Records that later versions add are skipped and counted: events by their number, notes by theirs.

use super::*;

/// A record of a random trace.
#[derive(Clone, Debug)]
enum Item {
    /// One that this version knows.
    Known(Event),
    /// A note with a later number.
    Note { node: u32, thread: Option<u32>, number: u8, content: Vec<u8> },
    /// An event with a later number.
    Event { tag: u8, content: Vec<u8> },
}

fn item() -> impl Strategy<Value = Item> {
    let content = || prop::collection::vec(any::<u8>(), 0..300);
    let numbers = memo::tag::LATER_NOTE..=u8::MAX;
    let tags = memo::tag::TASK + 1..memo::tag::WAKE;
    prop_oneof![
        3 => event().prop_map(Item::Known),
        2 => (id(), prop::option::of(id()), numbers, content())
            .prop_map(|(node, thread, number, content)| Item::Note { node, thread, number, content }),
        1 => (tags, content()).prop_map(|(tag, content)| Item::Event { tag, content }),
    ]
}

/// Appends `item`, `wait` nanoseconds after the record before.
fn append(block: &mut Vec<u8>, memo: &mut memo::Memo, wait: u64, item: &Item) {
    let mut later = |head: &[u8], numbers: &[u64], rest: &[u8], content: &[u8]| {
        block.extend(head);
        bytes::put(block, wait);
        numbers.iter().for_each(|number| bytes::put(block, *number));
        block.extend(rest);
        bytes::put(block, content.len() as u64);
        block.extend(content);
    };
    let now = memo.now + wait;
    match item {
        Item::Known(event) => {
            encode::encode(block, memo, now, event);
            memo.after(now, event);
        }
        Item::Note { node, thread, number, content } => {
            let thread = thread.map_or(0, |thread| u64::from(thread) + 1);
            later(&[memo::tag::NOTE], &[u64::from(*node), thread], &[*number], content);
        }
        Item::Event { tag, content } => later(&[*tag], &[], &[], content),
    }
    memo.now = now;
}

proptest! {
    #[test]
    fn law_exactly_the_later_records_are_skipped_and_counted(
        items in prop::collection::vec((0_u64..2_000_000, item()), 0..200),
        in_block in 1_usize..60,
    ) {
        let (mut blocks, mut known) = (Vec::new(), Vec::new());
        let mut memo = memo::Memo::new();
        for (number, items) in items.chunks(in_block).enumerate() {
            let mut block = Vec::new();
            memo.restart(memo.now);
            bytes::put(&mut block, (number * in_block) as u64);
            bytes::put(&mut block, memo.now);
            for (wait, item) in items {
                append(&mut block, &mut memo, *wait, item);
                if let Item::Known(event) = item {
                    known.push(Record { at: Instant::from_nanos(memo.now), event: event.clone() });
                }
            }
            blocks.push(block);
        }
        let later = (items.len() - known.len()) as u64;
        let (back, errors) = read(&file_of(&blocks, items.len() as u64));
        prop_assert_eq!(back, known);
        match &errors[..] {
            [] => prop_assert_eq!(later, 0),
            [ReadError::LaterKinds { records }] => prop_assert_eq!(*records, later),
            _ => prop_assert!(false, "{:?}", errors),
        }
    }
}

#[test]
fn refuses_a_later_note_that_claims_more_bytes_than_there_are() {
    let note = |length: u8| vec![0, 0, memo::tag::NOTE, 0, 3, 0, 99, length, 1, 2];
    let (records, errors) = read(&file_of(&[note(2)], 1));
    assert!(records.is_empty(), "{records:?}");
    assert!(matches!(errors[..], [ReadError::LaterKinds { records: 1 }]), "{errors:?}");
    let (records, errors) = read(&file_of(&[note(3)], 1));
    assert!(matches!(records[..], [Record { event: Event::Lost { .. }, .. }]), "{records:?}");
    assert!(matches!(errors[..], [ReadError::Damaged { lost: Some(1), .. }]), "{errors:?}");
}

/// A file: the header, and blocks of records as they stand in `blocks`.
fn file_of(blocks: &[Vec<u8>], records: u64) -> Vec<u8> {
    let mut header = Vec::new();
    bytes::put_text(&mut header, "windfall");
    bytes::put_text(&mut header, "virtual");
    bytes::put(&mut header, 1);
    let mut file = MAGIC.to_vec();
    for content in std::iter::once(&header).chain(blocks) {
        file.extend(u32::try_from(content.len()).unwrap().to_le_bytes());
        file.extend(bytes::checksum(content).to_le_bytes());
        file.extend(content);
    }
    file.extend(0_u32.to_le_bytes());
    file.extend(bytes::checksum(&records.to_le_bytes()).to_le_bytes());
    file.extend(records.to_le_bytes());
    file
}

#[test]
fn law_records_of_later_kinds_are_counted_and_left_out() {
    // Record 0 at 1000 ns: thread 5 ends; then two of kinds 62 and 63; then, 7 ns later, thread 6 ends.
    let mut block = vec![0];
    bytes::put(&mut block, 1_000);
    block.extend([memo::tag::EXIT, 0, 5]);
    block.extend([62, 3, 4, 0xff, 0xff, 0xff, 0xff]);
    block.extend([63, 0, 0]);
    block.extend([memo::tag::EXIT, 7, 6]);
    let (records, errors) = read(&file_of(&[block], 4));
    let exits = [(1_000, 5), (1_010, 6)];
    let exit = |(at, thread)| Record {
        at: Instant::from_nanos(at),
        event: Event::Exit { thread: ThreadId(thread) },
    };
    assert_eq!(records, exits.map(exit));
    let words: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let said = "trace: 2 records are of kinds that only a later version knows; they are left out";
    assert_eq!(words, [said]);
    // One that claims more bytes than there are is damage.
    let (records, errors) = read(&file_of(&[vec![0, 0, 62, 0, 9, 1]], 1));
    assert!(matches!(records[..], [Record { event: Event::Lost { .. }, .. }]), "{records:?}");
    assert!(matches!(errors[..], [ReadError::Damaged { lost: Some(1), .. }]), "{errors:?}");
    // So is one of a kind that is known, with more behind it than belongs to it.
    let longer = vec![0, 0, memo::tag::ACTIVITY_ENDS, 0, 2, 5, 1];
    let (records, errors) = read(&file_of(&[longer], 1));
    assert!(matches!(records[..], [Record { event: Event::Lost { .. }, .. }]), "{records:?}");
    assert!(matches!(errors[..], [ReadError::Damaged { lost: Some(1), .. }]), "{errors:?}");
}
