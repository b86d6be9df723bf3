//! The ring of records, in all interleavings of its writer and its reader.

use super::model;
use loom::thread;
use windfall_exchange::ring;

/// A record is whole, none is lost, doubled or out of order, and a batch does not overtake what is being read.
#[test]
fn law_a_ring_hands_on_whole_records_in_order() {
    model(None, || {
        let (mut writer, mut reader) = ring::<2>(2);
        let other = thread::spawn(move || {
            let mut written = writer.write(&[[1, 11]]);
            written += writer.write(&[[2, 12], [3, 13], [4, 14]]);
            written
        });
        let (mut seen, mut into) = (Vec::new(), [[0; 2]; 2]);
        for _ in 0..2 {
            let count = reader.read(&mut into);
            seen.extend_from_slice(&into[..count]);
        }
        let written = other.join().unwrap();
        loop {
            let count = reader.read(&mut into[..1]);
            seen.extend_from_slice(&into[..count]);
            if count == 0 {
                break;
            }
        }
        let expected: Vec<[u64; 2]> = (1..=written as u64).map(|n| [n, n + 10]).collect();
        assert_eq!(seen, expected);
        assert!(written >= 2);
    });
}

/// An incoming list: each of two submitters has a ring of its own, and finds its answer in another. Nobody waits, so each looks as often as it likes.
#[test]
fn law_two_submitters_are_both_answered() {
    model(Some(2), || {
        let (mut submitters, mut incoming) = (Vec::new(), Vec::new());
        for number in [1, 2] {
            let (mut asks, requested) = ring::<1>(1);
            let (answer, mut answers) = ring::<1>(1);
            incoming.push((requested, answer));
            submitters.push(thread::spawn(move || {
                assert_eq!(asks.write(&[[number]]), 1);
                let mut into = [[0]];
                let seen = answers.read(&mut into);
                (number, seen, into, answers)
            }));
        }
        let mut analyse = || {
            for (requested, answer) in &mut incoming {
                let mut into = [[0]];
                if requested.read(&mut into) == 1 {
                    assert_eq!(answer.write(&[[into[0][0] + 10]]), 1);
                }
            }
        };
        analyse();
        let ends: Vec<_> = submitters.into_iter().map(|one| one.join().unwrap()).collect();
        analyse();
        for (number, seen, mut into, mut answers) in ends {
            assert_eq!(seen + answers.read(&mut into), 1);
            assert_eq!(into, [[number + 10]]);
        }
    });
}
