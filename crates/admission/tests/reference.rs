//! Decisions that were computed elsewhere, by the definition: every structure must come to the same digests.
//!
//! `reference/decisions.json` names workload, slots, operations and seed of each case. The digest is FNV-1a over idle time, earliest deadline and
//! decision of each operation.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod common;

use common::Random;
use serde_json::Value;
use windfall_admission::{
    Admission, BPlusTree, GuessList, HashList, HashPointerList, ImprovedList, List, PointerList,
    Structure, Tree,
};
use windfall_time::{Instant, Span};

struct Run<S> {
    list: Admission<S>,
    tickets: Vec<windfall_admission::Ticket>,
    random: Random,
    digest: u64,
    admitted: u64,
}

impl<S: Structure> Run<S> {
    fn note(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.digest = (self.digest ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3);
        }
    }

    /// Forgets tickets of slots that are not there any longer: as many of the first as were collected.
    fn passes(&mut self, ns: u64) {
        let collected = self.list.advance(self.list.now() + Span::from_nanos(ns)).unwrap();
        self.tickets.drain(..collected);
    }

    fn ask(&mut self, slots: u64) -> [u64; 5] {
        let work = 1 + self.random.uniform(199_999);
        let deadline = self.list.now().as_nanos() + work + self.random.uniform(170_000 * slots);
        let at = Instant::from_nanos(deadline);
        let idle = self.list.idle_before(at);
        let earliest = self.list.earliest_deadline(Span::from_nanos(work)).unwrap().unwrap();
        let answer = self.list.admit(Span::from_nanos(work), at);
        if let Ok(ticket) = answer {
            self.admitted += 1;
            let place = self.tickets.partition_point(|other| other.deadline() <= at);
            self.tickets.insert(place, ticket);
        }
        while self.list.len() > usize::try_from(slots).unwrap() {
            self.passes(self.list.head().unwrap().left.as_nanos());
        }
        let found =
            [work, deadline, idle.as_nanos(), earliest.as_nanos(), u64::from(answer.is_ok())];
        self.note(&found[2].to_le_bytes());
        self.note(&found[3].to_le_bytes());
        self.note(&[u8::from(answer.is_ok())]);
        found
    }

    /// What else happens in the workload `lively`.
    fn lively(&mut self) {
        match self.random.uniform(8) {
            0 if !self.list.is_empty() => {
                let head = self.list.head().unwrap();
                let used = (head.left.as_nanos() / 2).max(1);
                self.list.done(head.ticket, Span::from_nanos(used)).unwrap();
                assert_eq!(self.tickets.remove(0), head.ticket);
            }
            1 if !self.list.is_empty() => {
                let place = self.random.uniform(self.tickets.len() as u64);
                let ticket = self.tickets.remove(usize::try_from(place).unwrap());
                self.list.withdraw(ticket).unwrap();
            }
            2 => {
                let ns = self.random.uniform(50_000);
                self.passes(ns);
            }
            _ => {}
        }
    }
}

fn decides_as_recorded<S: Structure>() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference/decisions.json");
    let cases: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let cases = cases.as_array().unwrap();
    assert_eq!(cases.len(), 20);
    for case in cases {
        let number = |key: &str| case[key].as_u64().unwrap();
        let mut run = Run::<S> {
            list: Admission::new(Instant::ZERO, u32::MAX).unwrap(),
            tickets: Vec::new(),
            random: Random(number("seed")),
            digest: 0xCBF2_9CE4_8422_2325,
            admitted: 0,
        };
        for operation in 0..usize::try_from(number("operations")).unwrap() {
            let found = run.ask(number("slots"));
            if let Some(first) = case["first"].get(operation) {
                let first: Vec<_> =
                    first.as_array().unwrap().iter().flat_map(Value::as_u64).collect();
                assert_eq!(found[..], first[..], "{} operation {operation} of {case}", S::NAME);
            }
            if case["workload"] == "lively" {
                run.lively();
            }
        }
        let digest = format!("{:016x}", run.digest);
        let found =
            (digest.as_str(), run.admitted, run.list.now().as_nanos(), run.list.len() as u64);
        let asked =
            (case["digest"].as_str().unwrap(), number("admitted"), number("now"), number("left"));
        assert_eq!(found, asked, "{} {} {}", S::NAME, case["workload"], case["slots"]);
    }
}

#[test]
fn paper_the_list_decides_as_recorded() {
    decides_as_recorded::<List>();
}

#[test]
fn paper_the_improved_lists_decide_as_recorded() {
    decides_as_recorded::<HashList>();
    decides_as_recorded::<GuessList>();
    decides_as_recorded::<PointerList>();
    decides_as_recorded::<HashPointerList>();
    decides_as_recorded::<ImprovedList>();
}

#[test]
fn paper_the_tree_decides_as_recorded() {
    decides_as_recorded::<BPlusTree>();
    decides_as_recorded::<Tree<4, 4>>();
    decides_as_recorded::<Tree<64, 64>>();
}
