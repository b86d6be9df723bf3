//! Parts of a test that are independent of each other, one on each processor.

use std::num::NonZero;
use std::thread;

/// The findings of each part, in order. `judge` is told the number of its part, and how many there are.
pub(super) fn all<T: Send>(judge: impl Fn(u32, u32) -> T + Sync) -> Vec<T> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let parts = u32::try_from(processors).unwrap_or(1);
    let judge = &judge;
    thread::scope(|scope| {
        let threads: Vec<_> =
            (0..parts).map(|part| scope.spawn(move || judge(part, parts))).collect();
        let found = threads.into_iter().map(|thread| thread.join());
        found.map(|found| found.unwrap_or_else(|why| std::panic::resume_unwind(why))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_each_part_is_judged_once_in_order() {
        let found = all(|part, of| (part, of));
        let of = u32::try_from(found.len()).unwrap();
        assert_eq!(found, (0..of).map(|part| (part, of)).collect::<Vec<_>>());
    }
}
