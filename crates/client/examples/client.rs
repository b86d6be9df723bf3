//! Reserves 3 ms in every 10 ms for itself at the named scheduler, and prints its notices until the reservation ends.
//!
//! ```sh
//! windfall run --socket /tmp/run.sock scenario.toml   # with `exec = [".../client", "res"]` in a thread
//! ```

use std::time::Duration;
use windfall_client::{ClientError, Notice, Thread};

fn main() -> Result<(), ClientError> {
    let scheduler = std::env::args().nth(1);
    let me = Thread::current()?;
    let mut notices = me.notices()?;
    me.reserve(Duration::from_millis(3), Duration::from_millis(10), scheduler.as_deref())?;
    println!("reserved");
    loop {
        let told = notices.wait()?;
        println!("{told:?}");
        if told.contains(&Notice::ReservationEnded) {
            return Ok(());
        }
    }
}
