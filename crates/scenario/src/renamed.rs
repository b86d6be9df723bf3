//! Settings of schedulers that were renamed.

/// Settings of schedulers that have another name since version 2: before, now.
pub(crate) const SETTINGS: [(&str, &str); 1] = [("tells", "report-deadlines")];

/// The present name of a key that had this name in an earlier version.
pub(crate) fn renamed(key: &str) -> Option<&'static str> {
    SETTINGS.iter().find(|(before, _)| key == *before).map(|(_, now)| *now)
}
