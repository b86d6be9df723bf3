//! A pool on a processor of this machine.

use windfall_os::sched::Affinity;
use windfall_ports::pool::Pool;
use windfall_ports::{EarliestDeadline, Processor, Share};

/// At most so many tasks, so much of the processor for deadlines, and what `more` adds.
pub(crate) fn pool(most: u32, share: Share, more: impl FnOnce(&mut Processor)) -> Pool {
    let allowed = Affinity::of(0).unwrap();
    let cpu = (0..1024).rev().find(|cpu| allowed.has(*cpu)).unwrap();
    let now = Pool::now();
    let mut processor = Processor::new(now, most);
    let edf: EarliestDeadline = EarliestDeadline::new(share, now, most).unwrap();
    processor.add(edf).unwrap();
    more(&mut processor);
    Pool::new([(cpu, processor)]).unwrap()
}
