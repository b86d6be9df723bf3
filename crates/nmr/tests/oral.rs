//! Agreement on inputs: every way in which one of four may be faulty.

use windfall_nmr::ReplicaNumber;
use windfall_nmr::oral::{Oral, OralError};

const SOURCE: u8 = 0;

/// What a faulty participant may say to one other: nothing, or one of two values.
const SAYINGS: [Option<u64>; 3] = [None, Some(7), Some(9)];

/// What one of the correct replicas decides. `source` and `relays` are what a faulty source tells each, or a faulty replica each other.
fn decides(me: u8, faulty: u8, says: &[Option<u64>]) -> Option<u64> {
    let told = |replica: u8| match faulty {
        SOURCE => says[usize::from(replica) - 1],
        _ => Some(7),
    };
    let mut oral = Oral::new(4, ReplicaNumber(SOURCE)).expect("four are enough");
    if let Some(value) = told(me) {
        assert!(oral.hears(ReplicaNumber(SOURCE), value));
    }
    for other in (1..4).filter(|other| *other != me) {
        let relayed = if other == faulty { says[usize::from(me) - 1] } else { told(other) };
        if let Some(value) = relayed {
            oral.hears(ReplicaNumber(other), value);
        }
    }
    oral.decides().copied()
}

#[test]
fn law_four_agree_whatever_one_of_them_says() {
    let (mut judged, mut none) = (0, 0);
    for faulty in 0..4 {
        for way in 0..27_usize {
            let says = [SAYINGS[way % 3], SAYINGS[way / 3 % 3], SAYINGS[way / 9]];
            let correct: Vec<u8> = (1..4).filter(|replica| *replica != faulty).collect();
            let all: Vec<_> = correct.iter().map(|me| decides(*me, faulty, &says)).collect();
            assert!(all.windows(2).all(|two| two[0] == two[1]), "{faulty} {says:?}: {all:?}");
            if faulty != SOURCE {
                assert!(all.iter().all(|value| *value == Some(7)), "{faulty} {says:?}: {all:?}");
            }
            judged += 1;
            none += u32::from(all[0].is_none());
        }
    }
    // A source that tells each something else, or nothing, is agreed to have said nothing.
    assert_eq!((judged, none), (108, 13));
}

#[test]
fn refuses_fewer_than_four_and_sources_from_outside() {
    let new = |participants, source| Oral::<u64>::new(participants, ReplicaNumber(source)).err();
    assert_eq!(new(3, 0), Some(OralError::TooFew { participants: 3 }));
    let source = OralError::Source { source: ReplicaNumber(4), participants: 4 };
    assert_eq!(new(4, 4), Some(source));
    assert_eq!(new(65, 0), Some(OralError::TooMany { participants: 65 }));
    assert_eq!(new(4, 3), None);
}

#[test]
fn law_a_second_word_does_not_count() {
    let mut oral = Oral::new(4, ReplicaNumber(0)).expect("four are enough");
    assert!(oral.hears(ReplicaNumber(1), 7) && !oral.hears(ReplicaNumber(1), 9));
    assert!(!oral.hears(ReplicaNumber(4), 7));
    assert_eq!(oral.silent().count(), 3);
}
