//! A pool of two processors, which may be one of this machine twice.

use windfall_os::sched::Affinity;
use windfall_ports::pool::{Pool, Target};
use windfall_ports::{EarliestDeadline, Processor, Share};

pub(crate) const HOME: Target = Target { processor: 0, scheduler: 0 };
pub(crate) const AWAY: Target = Target { processor: 1, scheduler: 0 };

/// A scheduler by deadlines with all of each, and what `more` adds.
pub(crate) fn two(more: impl Fn(&mut Processor)) -> Pool {
    let allowed = Affinity::of(0).unwrap();
    let cpus: Vec<u16> = (0..1024).filter(|cpu| allowed.has(*cpu)).collect();
    let now = Pool::now();
    let processors = cpus.iter().cycle().take(2).map(|cpu| {
        let mut processor = Processor::new(now, 2_000);
        let edf: EarliestDeadline = EarliestDeadline::new(Share::WHOLE, now, 2_000).unwrap();
        processor.add(edf).unwrap();
        more(&mut processor);
        (*cpu, processor)
    });
    Pool::new(processors).unwrap()
}
