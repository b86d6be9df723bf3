//! Numbers of things in words.

/// `1 thread`, `2 threads`.
pub(crate) fn count(number: impl TryInto<u64>, what: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_one_is_not_several() {
        let all = [0, 1, 2].map(|number: u64| count(number, "wake-up"));
        assert_eq!(all, ["0 wake-ups", "1 wake-up", "2 wake-ups"]);
    }
}
