//! The day on which a cost model was measured.

use std::time::{SystemTime, UNIX_EPOCH};

/// The date in the Gregorian calendar, UTC: 400 years have 146,097 days.
#[must_use]
pub fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    date(since.as_secs() / 86_400)
}

/// The date so many days after 1970-01-01.
fn date(days: u64) -> String {
    // Years begin in March here, so that a leap day is the last of its year.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = (400 * era + year, if month < 10 { month + 3 } else { month - 9 });
    format!("{}-{month:02}-{day:02}", year + u64::from(month <= 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_days_around_leap_days() {
        let dates = [(0, "1970-01-01"), (11_016, "2000-02-29"), (11_017, "2000-03-01")];
        for (days, expected) in
            dates.into_iter().chain([(20_778, "2026-11-21"), (20_818, "2026-12-31")])
        {
            assert_eq!(date(days), expected);
        }
    }
}
