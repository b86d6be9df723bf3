//! A warped thread among many, below each scheduler that knows warp.

use super::{Host, MS, S, span};
use windfall_schedulers::{OfKind, parameters};

/// A warped thread that wakes for a moment goes before all others at once; when it computes without end, it gets no more than its share.
pub(crate) fn warped_is_first_within_its_share(kind: impl OfKind) {
    let mut host = Host::new(1);
    let root = host.top(kind);
    for n in 0..10 {
        host.spin(root, &format!("hog{n}"), &[]);
    }
    let urgent = host.thread(root, "urgent", &[parameters::warp(span(200 * MS))]);
    for n in 0..50 {
        host.run_to((n + 1) * 100 * MS);
        host.wake_for(urgent, MS);
        assert_eq!(host.on(0), Some(urgent));
    }
    host.run_to(10 * S);
    host.wake(urgent);
    host.run_to(21 * S);
    assert!(host.ran(urgent) < 1_300 * MS, "{}", host.ran(urgent));
}
