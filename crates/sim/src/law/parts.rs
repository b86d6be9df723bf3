//! Parts of a test that are independent of each other, on all processors.

use std::num::NonZero;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

/// Each part's findings in order; or the error of the first part that has one. Neither depends on the number of processors.
pub(super) fn all<T: Send, E: Send>(
    parts: u32,
    judge: impl Fn(u32) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicU32::new(0);
    let judged = || {
        let mut found = Vec::new();
        loop {
            // Parts are taken in order, so those before one that fails are all taken.
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= parts {
                return found;
            }
            let one = judge(part);
            if one.is_err() {
                next.store(parts, Ordering::Relaxed);
            }
            found.push((part, one));
        }
    };
    let mut found: Vec<(u32, Result<T, E>)> = thread::scope(|scope| {
        let threads = (0..processors.min(parts as usize)).map(|_| scope.spawn(judged));
        let threads: Vec<_> = threads.collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .flat_map(|found| found.unwrap_or_else(|why| std::panic::resume_unwind(why)))
            .collect()
    });
    found.sort_unstable_by_key(|(part, _)| *part);
    found.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_parts_come_in_order_and_the_first_error_counts() {
        assert_eq!(all(0, Err::<(), u32>), Ok(Vec::new()));
        assert_eq!(all(100, Ok::<_, ()>), Ok((0..100).collect()));
        for _ in 0..100 {
            let judge = |part| if part % 7 == 6 { Err(part) } else { Ok(part) };
            assert_eq!(all(100, judge), Err(6));
        }
    }
}
