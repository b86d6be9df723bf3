//! Pools, processors and members may be moved to a thread of their own; a pool may be shared.

use windfall_ports::pool::Pool;
use windfall_ports::transport::InProcess;
use windfall_ports::{Member, Processor, Request, SubmitError};

const fn assert_send<T: Send>() {}
const fn assert_sync<T: Sync>() {}

#[test]
fn law_what_a_user_builds_may_be_moved_to_a_thread() {
    // That this compiles is the test.
    assert_send::<Processor>();
    assert_send::<Pool>();
    assert_sync::<Pool>();
    assert_send::<Member<InProcess>>();
    assert_send::<Request>();
    assert_send::<SubmitError>();
}
