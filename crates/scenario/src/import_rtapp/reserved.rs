//! The reservation scheduler of each SCHED_DEADLINE thread.
//!
//! Linux serves them all from one queue on all processors. A reservation scheduler has one processor, so
//! threads are divided: the largest share first, each to the scheduler with the most left.

use super::Losses;
use super::islands::Islands;
use crate::rtapp::ConvertedThread;
use std::collections::BTreeMap;
use windfall_time::Ratio;

/// A place for a reservation scheduler: an island, and which of its processors.
pub(super) type Slot = (usize, usize);

/// The slot of each of these threads, by number.
pub(super) fn divide(
    threads: &[ConvertedThread],
    chosen: &[usize],
    islands: &Islands,
    losses: &mut Losses,
) -> BTreeMap<usize, Slot> {
    let share = |number: usize| {
        let whole = threads[number].scheduling.reservation();
        whole.and_then(|whole| whole.runtime.over(whole.deadline)).unwrap_or(Ratio::ONE)
    };
    let mut order = chosen.to_vec();
    order.sort_by_key(|number| std::cmp::Reverse(share(*number)));
    let mut used: BTreeMap<Slot, Ratio> = BTreeMap::new();
    let mut slots = BTreeMap::new();
    for number in order {
        let thread = &threads[number];
        let islands_of = islands.of_thread[number].iter();
        let open = islands_of.flat_map(|i| (0..islands.list[*i].len()).map(move |at| (*i, at)));
        let open: Vec<Slot> = open.collect();
        let had = |slot: &Slot| used.get(slot).copied().unwrap_or(Ratio::ZERO);
        let Some(best) = open.iter().copied().min_by_key(had) else { continue };
        let sum = had(&best).checked_add(share(number));
        if sum.is_none_or(|sum| sum > Ratio::ONE) {
            let text = "no processor has room for its reservation beside the others; `windfall check` \
                        says what is left";
            losses.report(thread, "dl-runtime", false, text.to_owned());
        } else if open.len() > 1 && chosen.len() > 1 {
            let text = "its reservation is served by one processor; Linux would move it among all \
                        that it may use";
            losses.report(thread, "dl-runtime", false, text.to_owned());
        }
        used.insert(best, sum.unwrap_or(Ratio::ONE));
        slots.insert(number, best);
    }
    slots
}
