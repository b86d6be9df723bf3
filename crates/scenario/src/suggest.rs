//! The nearest of several names, for "did you mean".

use std::path::Path;

/// The candidate nearest to `word`, if any is near enough to be the intended one.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    near(word, candidates).into_iter().next()
}

/// All candidates near enough to `word` to be the intended one, the nearest first.
pub fn near<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let limit = (word.chars().count() / 3).clamp(1, 3);
    let word = word.to_lowercase();
    let measured = candidates
        .into_iter()
        .map(|candidate| (distance(&word, &candidate.to_lowercase()), candidate));
    let mut near: Vec<_> = measured.filter(|(distance, _)| *distance <= limit).collect();
    near.sort_by_key(|(distance, _)| *distance);
    near.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Where a file is not there: one beside it, with a name so near that it may be the intended one. Nothing for `-`, standard input.
#[must_use]
pub fn nearest_file(missing: &Path) -> Option<String> {
    let is_missing = missing != Path::new("-") && missing.symlink_metadata().is_err();
    let name = missing.file_name().filter(|_| is_missing)?.to_str()?;
    let folder = missing.parent().filter(|folder| !folder.as_os_str().is_empty());
    let all = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?.flatten();
    let files = all.filter(|entry| entry.path().is_file());
    let mut names: Vec<String> =
        files.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    let near = nearest(name, names.iter().map(String::as_str))?;
    Some(missing.with_file_name(near).display().to_string())
}

/// `did you mean `x`? allowed: a, b, c`.
pub(crate) fn hint<'a>(word: &str, allowed: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let list: Vec<&str> = allowed.clone().into_iter().collect();
    let shown = if list.len() > 24 {
        format!("{}, ... ({} in all)", list[..24].join(", "), list.len())
    } else {
        list.join(", ")
    };
    match (nearest(word, allowed), list.is_empty()) {
        (_, true) => "there are none".to_owned(),
        (Some(near), _) => format!("did you mean `{near}`? allowed: {shown}"),
        (None, _) => format!("allowed: {shown}"),
    }
}

/// Insertions, deletions, replacements and swaps of adjacent letters that turn one into the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + same);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        assert_eq!(nearest("rezz", ["rez", "edf"]), Some("rez"));
        assert_eq!(nearest("peirodic", ["sporadic", "periodic"]), Some("periodic"));
        assert_eq!(nearest("SHARE", ["share"]), Some("share"));
        assert_eq!(nearest("banana", ["share", "warp"]), None);
        assert_eq!(nearest("", ["rez"]), None);
    }
}
