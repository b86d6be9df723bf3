//! Lazy cancellation: what undone causes have sent stays, until they are handled again and send it again or not.

use crate::Key;
use crate::event::Entry;
use crate::pool::{NOWHERE, Place, Pool};

/// The events of a cause that was undone since and waits, and the next such cause of the same process.
#[derive(Debug)]
pub(crate) struct Unsure<E> {
    pub(crate) cause: Key,
    pub(crate) entry: Entry<E>,
    pub(crate) next: Place,
}

/// Takes the first such of a process's unsure events.
#[inline]
pub(crate) fn take_unsure<E>(
    pool: &mut Pool<Unsure<E>>,
    first: &mut Place,
    is: impl Fn(&Unsure<E>) -> bool,
) -> Option<Unsure<E>> {
    let (mut before, mut at) = (NOWHERE, *first);
    while at != NOWHERE && !is(&pool[at]) {
        (before, at) = (at, pool[at].next);
    }
    if at == NOWHERE {
        return None;
    }
    let taken = pool.take(at);
    match before {
        NOWHERE => *first = taken.next,
        before => pool[before].next = taken.next,
    }
    Some(taken)
}
