//! Requests of threads for themselves, as control requests (decision 0024).

use super::PlannedRequest;
use windfall_hierarchy::Message;
use windfall_programs::OwnRequest;

impl PlannedRequest {
    /// The request of thread number `thread` for itself. `share` is the weight of a share of 1 at its scheduler. `None` if the request
    /// depends on where the thread was before, as the end of a reservation does.
    #[must_use]
    pub fn own(thread: usize, request: &OwnRequest, share: u32) -> Option<PlannedRequest> {
        let (message, to) = match request {
            OwnRequest::Reserve { amount, period, at } => {
                (Some(Message::Reserve { amount: *amount, period: *period }), at.as_ref())
            }
            OwnRequest::Share(weight) => (Some(Message::Share(weight.checked_mul(share)?)), None),
            OwnRequest::Priority(priority) => (Some(Message::Priority(*priority)), None),
            OwnRequest::Move(to) => (None, Some(to)),
            _ => return None,
        };
        match to {
            Some(to) => {
                let messages = message.into_iter().collect();
                Some(PlannedRequest::Move { thread, to: to.clone(), messages })
            }
            None => message.map(|message| PlannedRequest::Thread(thread, message)),
        }
    }

    /// Whether it begins or changes a reservation of a thread.
    #[must_use]
    pub fn reserves(&self) -> bool {
        let reserves = |message: &Message| matches!(message, Message::Reserve { .. });
        match self {
            PlannedRequest::Thread(_, message) => reserves(message),
            PlannedRequest::Move { messages, .. } => messages.iter().any(reserves),
            _ => false,
        }
    }
}
