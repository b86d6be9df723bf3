//! Unsolicited notices to a program about a thread (HLS 4.3.12).

use crate::error::ClientError;
use crate::wire::MOST;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

/// An unsolicited message to a thread about its scheduling.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Notice {
    /// A request for it was carried out.
    Accepted,
    /// A request for it was refused.
    Refused,
    /// Its budget is used up: it receives no more of its reservation until its next period.
    BudgetUsedUp,
    /// A promise to it is no longer kept.
    PromiseBroken,
    /// Its reservation has ended: it returned it, another party ended it, or its scheduler no longer exists.
    ReservationEnded,
}

const NAMES: [(&str, Notice); 5] = [
    ("\"accepted\"", Notice::Accepted),
    ("\"refused\"", Notice::Refused),
    ("\"budget-used-up\"", Notice::BudgetUsedUp),
    ("\"promise-broken\"", Notice::PromiseBroken),
    ("\"reservation-ended\"", Notice::ReservationEnded),
];

/// The notices about a thread. Its descriptor is readable when [`wait`](Self::wait) would not block. A notice that repeats before it is read arrives
/// once. Dropping it ends them.
#[derive(Debug)]
pub struct Notices(BufReader<UnixStream>);

impl Notices {
    pub(crate) fn new(stream: UnixStream) -> Notices {
        Notices(BufReader::new(stream))
    }

    /// Waits for notices, and returns those that have come. The list is empty for notices that this version does not know.
    ///
    /// # Errors
    /// [`ClientError::Ended`] when the run or the thread has ended.
    pub fn wait(&mut self) -> Result<Vec<Notice>, ClientError> {
        let mut line = String::new();
        match (&mut self.0).take(MOST).read_line(&mut line) {
            Ok(0) => Err(ClientError::Ended),
            Ok(_) if line.ends_with('\n') && line.contains("\"notices\":[") => {
                let known = NAMES.iter().filter(|(name, _)| line.contains(name));
                Ok(known.map(|(_, notice)| *notice).collect())
            }
            Ok(_) => Err(ClientError::Answer(line)),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => Err(ClientError::Ended),
            Err(error) => Err(ClientError::Answer(error.to_string())),
        }
    }
}

impl AsFd for Notices {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.get_ref().as_fd()
    }
}
