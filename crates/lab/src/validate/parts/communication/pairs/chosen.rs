//! Which pairs of processors are measured: all, or of each distance as many.

use crate::validate::machine::Distance;

/// Two processors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    pub(super) one: u16,
    pub(super) other: u16,
    pub(super) distance: Distance,
}

/// How many pairs there are at each distance, and those that are to be measured, in order.
pub(super) struct Chosen {
    pub(super) there: Vec<(Distance, usize)>,
    pub(super) pairs: Vec<Pair>,
}

impl Chosen {
    /// At most so many. Each distance has an equal share; what one with few pairs leaves, others get.
    pub(super) fn new(
        processors: &[u16],
        distance: impl Fn(u16, u16) -> Distance,
        most: usize,
    ) -> Chosen {
        let after = |place: usize| processors[place + 1..].iter();
        let pairs = processors
            .iter()
            .enumerate()
            .flat_map(|(place, one)| after(place).map(move |other| (*one, *other)));
        let mut all: Vec<Pair> =
            pairs.map(|(one, other)| Pair { one, other, distance: distance(one, other) }).collect();
        all.sort_by_key(|pair| (pair.distance, pair.one, pair.other));
        let mut kinds: Vec<&[Pair]> = all.chunk_by(|a, b| a.distance == b.distance).collect();
        let there = kinds.iter().map(|pairs| (pairs[0].distance, pairs.len())).collect();
        kinds.sort_by_key(|pairs| pairs.len());
        let (mut left, mut chosen) = (most, Vec::new());
        for (place, pairs) in kinds.iter().enumerate() {
            let count = pairs.len().min(left / (kinds.len() - place));
            chosen.extend((0..count).map(|number| pairs[number * pairs.len() / count]));
            left -= count;
        }
        chosen.sort_by_key(|pair| (pair.distance, pair.one, pair.other));
        Chosen { there, pairs: chosen }
    }

    pub(super) fn count(&self) -> usize {
        self.there.iter().map(|(_, count)| count).sum()
    }

    /// Which pairs were measured.
    pub(super) fn words(&self) -> String {
        if self.pairs.len() == self.count() {
            return format!("all {}", self.count());
        }
        let of = |(distance, count): &(Distance, usize)| {
            let chosen = self.pairs.iter().filter(|pair| pair.distance == *distance).count();
            format!("{chosen} of {count} {}", distance.words())
        };
        self.there.iter().map(of).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cores of two processors, caches of eight, nodes of thirty-two.
    fn distance(one: u16, other: u16) -> Distance {
        let within = |size: u16| one / size == other / size;
        match () {
            () if within(2) => Distance::Core,
            () if within(8) => Distance::Cache,
            () if within(32) => Distance::Node,
            () => Distance::Nodes,
        }
    }

    #[test]
    fn law_all_pairs_of_few_processors_are_measured_nearest_first() {
        let chosen = Chosen::new(&[0, 1, 2, 9], distance, 6);
        let pairs = |pair: &Pair| (pair.one, pair.other);
        let all: Vec<_> = chosen.pairs.iter().map(pairs).collect();
        assert_eq!(all, [(0, 1), (0, 2), (1, 2), (0, 9), (1, 9), (2, 9)]);
        assert_eq!((chosen.count(), chosen.words()), (6, "all 6".to_owned()));
        assert!(Chosen::new(&[3], distance, 6).pairs.is_empty());
    }

    #[test]
    fn law_of_many_processors_each_distance_has_its_share_and_all_places_are_seen() {
        let all: Vec<u16> = (0..128).collect();
        let chosen = Chosen::new(&all, distance, 120);
        // A share is 30 of each of the four distances.
        let words = "30 of 64 on one core, 30 of 384 with one last cache, 30 of 1536 on one memory node, 30 of 6144 on two memory nodes";
        assert_eq!(chosen.words(), words);
        for node in 0..4 {
            let on = |pair: &&Pair| pair.one / 32 == node && pair.distance == Distance::Core;
            assert!(chosen.pairs.iter().filter(on).count() >= 7, "{node}");
        }
    }

    #[test]
    fn limit_what_a_distance_with_few_pairs_leaves_others_get() {
        // One pair is on a core, six are on one node, fourteen on two.
        let all: Vec<u16> = [0, 1].into_iter().chain((32..72).step_by(8)).collect();
        let chosen = Chosen::new(&all, distance, 15);
        assert_eq!(chosen.pairs.len(), 15);
        assert_eq!(chosen.pairs.iter().filter(|pair| pair.distance == Distance::Core).count(), 1);
    }
}
