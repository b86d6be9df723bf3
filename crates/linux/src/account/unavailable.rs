//! Remembers when a processor was not available to us: it stood still, or a long interrupt or threads that outrank ours had it.

use windfall_time::{Instant, Span};

/// Number of stretches that are remembered.
const KEPT: usize = 16;

/// The latest stretches, disjoint and in order.
#[derive(Default)]
pub(crate) struct Unavailable(Vec<(Instant, Instant)>);

impl Unavailable {
    /// Adds a stretch, and joins it with those that it meets.
    pub(crate) fn add(&mut self, mut from: Instant, mut to: Instant) {
        if from >= to {
            return;
        }
        self.0.retain(|(begun, ended)| {
            let apart = *ended < from || to < *begun;
            if !apart {
                (from, to) = (from.min(*begun), to.max(*ended));
            }
            apart
        });
        let place = self.0.partition_point(|(begun, _)| *begun < from);
        self.0.insert(place, (from, to));
        if self.0.len() > KEPT {
            self.0.remove(0);
        }
    }

    /// How much of the time between two instants was unavailable, as far as remembered.
    pub(crate) fn between(&self, from: Instant, to: Instant) -> Span {
        let shared =
            self.0.iter().map(|(begun, ended)| to.min(*ended).saturating_since(from.max(*begun)));
        shared.fold(Span::ZERO, |sum, part| sum + part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_what_two_stretches_share_counts_once() {
        let at = |nanos| Instant::ZERO + Span::from_nanos(nanos);
        let mut away = Unavailable::default();
        assert_eq!(away.between(at(0), at(90)), Span::ZERO);
        for (from, to) in [(10, 20), (30, 40), (20, 25), (60, 61), (15, 50), (18, 45), (55, 55)] {
            away.add(at(from), at(to));
        }
        for (from, to, shared) in [(0, 90, 41), (20, 90, 31), (0, 30, 20), (50, 60, 0), (0, 10, 0)]
        {
            assert_eq!(away.between(at(from), at(to)), Span::from_nanos(shared), "{from}..{to}");
        }
    }

    #[test]
    fn limit_the_oldest_are_forgotten() {
        let at = |nanos| Instant::ZERO + Span::from_nanos(nanos);
        let mut away = Unavailable::default();
        (0..20).for_each(|number| away.add(at(10 * number), at(10 * number + 1)));
        assert_eq!(away.between(at(0), at(200)), Span::from_nanos(16));
        assert_eq!(away.between(at(190), at(200)), Span::from_nanos(1));
    }
}
