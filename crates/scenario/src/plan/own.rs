//! Requests of threads for themselves, as control requests (decision 0024).

use super::PlannedRequest;
use windfall_hierarchy::Message;
use windfall_programs::OwnRequest;

impl PlannedRequest {
    /// The request of thread number `thread` for itself. `share` is the weight of a share of 1 at its scheduler. `None` if the request
    /// depends on where the thread was before, as the end of a reservation does.
    #[must_use]
    pub fn own(thread: usize, request: &OwnRequest, share: u32) -> Option<PlannedRequest> {
        Some(match request {
            OwnRequest::Reserve { amount, period, at } => {
                let reserve = Message::Reserve { amount: *amount, period: *period };
                match at {
                    Some(to) => {
                        PlannedRequest::Move { thread, to: to.clone(), messages: vec![reserve] }
                    }
                    None => PlannedRequest::Thread(thread, reserve),
                }
            }
            OwnRequest::Share(weight) => {
                PlannedRequest::Thread(thread, Message::Share(weight.checked_mul(share)?))
            }
            OwnRequest::Priority(priority) => {
                PlannedRequest::Thread(thread, Message::Priority(*priority))
            }
            OwnRequest::Move(to) => {
                PlannedRequest::Move { thread, to: to.clone(), messages: Vec::new() }
            }
            _ => return None,
        })
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
