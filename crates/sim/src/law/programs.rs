//! Programs of threads: some compute without end, some are brief, some wake together.

use super::amounts::{PERIODS, part};
pub(super) use super::amounts::{ms, us};
use super::drawn::ThreadSeed;
use windfall_guarantees::Length;
use windfall_programs::Work;
use windfall_scenario::model::{Activation, Jobs, Run, Step};
use windfall_time::{Instant, Ratio};

/// The kinds of programs; threads' names begin with them.
pub const PROGRAMS: [&str; 9] =
    ["light", "spin", "periodic", "random", "brief", "sleeper", "yielder", "napper", "late spin"];

/// The program of a thread: its kind, and the program itself.
pub(super) fn program(seed: &ThreadSeed, light: bool) -> (&'static str, Run) {
    let pace = u64::from(seed.pace);
    if light && seed.program != 0 {
        return ("light", lightly(seed));
    }
    let short = us(20 + pace % 400);
    let long = us(200 + pace % 9_000);
    let turn = ms([1, 2, 5, 10][usize::from(seed.pace) % 4]);
    match seed.program {
        0..=2 => ("spin", Run::spin()),
        3 => ("periodic", Run::periodic(long, ms(1 + pace % 23) + long)),
        4 => {
            let steps = vec![Step::Run(Work::Uniform(short, long)), Step::Sleep(short)];
            ("random", Run::steps(steps))
        }
        5 => ("brief", Run::steps(vec![Step::Run(Work::Fixed(short)), Step::Sleep(short)])),
        6 => {
            let sleep = ms(PERIODS[usize::from(seed.pace) % PERIODS.len()]);
            ("sleeper", Run::steps(vec![Step::Run(Work::Fixed(long)), Step::Sleep(sleep)]))
        }
        7 => ("yielder", Run::steps(vec![Step::Run(Work::Fixed(short)), Step::Yield])),
        // All who nap so wake together, after a turn each.
        8 | 9 => ("napper", Run::periodic(turn, turn.checked_mul(2).unwrap())),
        _ => ("late spin", Run::Spin { from: Instant::ZERO + long }),
    }
}

/// Jobs that its scheduler admits or refuses, each due within some periods; about as much as it may be sure of, and more.
pub(super) fn tasks(seed: &ThreadSeed) -> Run {
    let period = ms(4 + u64::from(seed.pace) % 23);
    let work = Length::from(period).checked_mul(part(seed.request)).unwrap().floor().unwrap();
    let activation = Activation::Periodic { offset: Instant::ZERO, period };
    let within = period.checked_mul(1 + u64::from(seed.start) % 5).unwrap();
    let mut jobs = Jobs::new(activation, Work::Uniform(us(1), work)).deadline(within);
    jobs.admit = true;
    Run::Jobs(jobs)
}

/// About as much as it is sure of: sometimes less, so that it sleeps, sometimes more.
fn lightly(seed: &ThreadSeed) -> Run {
    let period = ms(4 + u64::from(seed.pace) % 23);
    let half = part(seed.request).checked_div(Ratio::whole(2)).unwrap();
    let least = Length::from(period).checked_mul(half).unwrap().floor().unwrap();
    let activation = Activation::Periodic { offset: Instant::ZERO, period };
    let work = Work::Uniform(least, least.checked_mul(3).unwrap());
    Run::Jobs(Jobs::new(activation, work).deadline(period))
}
