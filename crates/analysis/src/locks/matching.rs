//! The heaviest choice of at most one entry in each row and each column of a table.
//!
//! From an empty choice on, the path that adds most is taken, along which entries are in turn added and given up
//! (Ford and Fulkerson); a choice that no path improves is the heaviest.

/// The sum of the heaviest choice; `None` beyond 2^64.
pub(super) fn heaviest(weights: &[Vec<u64>]) -> Option<u64> {
    let columns = weights.iter().map(Vec::len).max().unwrap_or(0);
    let mut chosen: Vec<Option<usize>> = vec![None; columns];
    let mut sum: i128 = 0;
    while let Some(path) = Path::best(weights, &chosen) {
        sum += path.gain;
        path.take(&mut chosen);
    }
    u64::try_from(sum).ok()
}

/// How the rows that have an entry could be shared out anew, with one row more.
struct Path {
    gain: i128,
    /// The columns in order, each with the row that gets it.
    steps: Vec<(usize, usize)>,
}

impl Path {
    /// The path that adds most, if one adds anything.
    fn best(weights: &[Vec<u64>], chosen: &[Option<usize>]) -> Option<Path> {
        // By column: the most that a path to it adds, and the path.
        let mut to: Vec<Option<Path>> = chosen.iter().map(|_| None).collect();
        let free = (0..weights.len()).filter(|row| !chosen.contains(&Some(*row)));
        for row in free {
            Path::extend(&mut to, &Path { gain: 0, steps: Vec::new() }, row, &weights[row]);
        }
        // No path has more steps than there are columns.
        for _ in chosen {
            for at in 0..chosen.len() {
                let (Some(row), Some(path)) = (chosen[at], &to[at]) else { continue };
                let given_up = path.gain - i128::from(weights[row][at]);
                let path = Path { gain: given_up, steps: path.steps.clone() };
                Path::extend(&mut to, &path, row, &weights[row]);
            }
        }
        let ends = to.into_iter().enumerate().filter(|(at, _)| chosen[*at].is_none());
        let best = ends.filter_map(|(_, path)| path).max_by_key(|path| path.gain);
        best.filter(|path| path.gain > 0)
    }

    /// The path with one step more, to each column where that adds more than what is known.
    fn extend(to: &mut [Option<Path>], path: &Path, row: usize, weights: &[u64]) {
        for (at, weight) in weights.iter().enumerate() {
            let gain = path.gain + i128::from(*weight);
            let known = to[at].as_ref().map(|known| known.gain);
            let again = path.steps.iter().any(|(column, _)| *column == at);
            if *weight > 0 && !again && known.is_none_or(|known| gain > known) {
                let steps = path.steps.iter().copied().chain([(at, row)]).collect();
                to[at] = Some(Path { gain, steps });
            }
        }
    }

    fn take(self, chosen: &mut [Option<usize>]) {
        for (column, row) in self.steps {
            chosen[column] = Some(row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// By definition: each row takes a column that is left, or none.
    pub(crate) fn tried(weights: &[Vec<u64>], taken: u32) -> u64 {
        let Some((first, rest)) = weights.split_first() else { return 0 };
        let with = first.iter().enumerate().filter(|(at, _)| taken & (1 << at) == 0);
        let with = with.map(|(at, weight)| weight + tried(rest, taken | (1 << at))).max();
        tried(rest, taken).max(with.unwrap_or(0))
    }

    proptest! {
        #[test]
        fn limit_paths_find_what_trying_all_finds(
            weights in (0..6_usize).prop_flat_map(|columns| {
                prop::collection::vec(prop::collection::vec(0..9_u64, columns), 0..6)
            }),
        ) {
            prop_assert_eq!(heaviest(&weights), Some(tried(&weights, 0)));
        }
    }

    #[test]
    fn refuses_a_sum_beyond_what_counts() {
        assert_eq!(heaviest(&[vec![u64::MAX, 0], vec![0, 1]]), None);
        assert_eq!(heaviest(&[vec![u64::MAX], vec![1]]), Some(u64::MAX));
    }
}
