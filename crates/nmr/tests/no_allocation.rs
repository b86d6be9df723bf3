//! After it is made, a voter allocates nothing, whatever comes to it.

use windfall_allocations::{Counting, allocations};
use windfall_nmr::{
    Exact, Iteration, Majority, Median, Plurality, ReplicaNumber, Report, Rule, Settings, Voter,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const REPLICAS: u8 = 5;

/// Draws equal numbers for equal seeds (`xorshift`).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// The reports that came.
#[derive(Default)]
struct Seen {
    voted: u64,
    errors: u64,
    others: u64,
}

impl Seen {
    fn takes<V>(&mut self, report: &Report<'_, V>) {
        match report {
            Report::Voted { .. } => self.voted += 1,
            Report::Errors { .. } => self.errors += 1,
            _ => self.others += 1,
        }
    }
}

/// Values right and wrong, late, twice, lost and ahead, one by one, in batches and in rows; replicas that go and come back.
fn exercise<R: Rule<u64>>(voter: &mut Voter<u64, R>, seen: &mut Seen) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for step in 1..20_000_u64 {
        let near = Iteration((step + random.below(12)).saturating_sub(6));
        let replica = ReplicaNumber(u8::try_from(random.below(REPLICAS.into())).expect("few"));
        let value = if random.below(20) == 0 { 1 } else { near.0 * 2 };
        voter.receive(replica, near, value, |report| seen.takes(&report));
        for lost in 0..u8::try_from(random.below(3)).expect("few") {
            let values = (0..4).map(|n| (Iteration(step + n), (step + n) * 2));
            voter.receive_all(ReplicaNumber(lost), values, |report| seen.takes(&report));
        }
        let records = [[step, step * 2]];
        let read = |[iteration, value]: &[u64; 2]| (Iteration(*iteration), *value);
        let (who, rows) = ([2, 3, 4].map(ReplicaNumber), [&records[..]; 3]);
        voter.receive_rows(who, rows, read, |report| seen.takes(&report));
        // Rules that wait for all vote on what is there.
        voter.give_up(Iteration(step.saturating_sub(3)), |report| seen.takes(&report));
        match random.below(50) {
            0 => _ = voter.retire(replica, |report| seen.takes(&report)),
            _ => _ = voter.admit(replica),
        }
    }
}

fn judge<R: Rule<u64>>(name: &str, rule: R) {
    let mut voter: Voter<u64, R> =
        Voter::new(&Settings::new(REPLICAS).queue(8), rule).expect("it can be");
    let mut seen = Seen::default();
    let count = allocations(|| exercise(&mut voter, &mut seen));
    assert_eq!(count, 0, "{name}");
    let Seen { voted, errors, others } = seen;
    assert!(voted > 1_000 && errors > 100 && others > 100, "{name}: {voted} {errors} {others}");
}

#[test]
fn law_a_voter_allocates_nothing_after_it_is_made() {
    judge("majority", Majority::EXACT);
    judge("plurality", Plurality);
    judge("median", Median(Exact));
}

#[test]
fn accepts_that_making_one_allocates_and_is_counted() {
    let settings = Settings::new(REPLICAS);
    let count = allocations(|| {
        let voter: Result<Voter<u64, Majority>, _> = Voter::new(&settings, Majority::EXACT);
        assert!(voter.is_ok());
    });
    assert!(count > 0);
}
