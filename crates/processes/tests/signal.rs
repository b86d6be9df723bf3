//! A signal as a device of a process.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::process::Command;
use windfall_processes::{Arrivals, Settings, run};
use windfall_programs::{Code, Device, Node, Process, ProcessError};
use windfall_time::Span;

fn usr1() -> Device {
    Device::new("usr1").unwrap()
}

/// Has its own process sent a signal, three times, and waits for each.
#[derive(Clone)]
struct Signalled;

impl Code for Signalled {
    const NAME: &'static str = "signalled";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        me.attach(usr1(), event).await?;
        for arrival in 1..=3 {
            let this = std::process::id().to_string();
            let sent = Command::new("kill").args(["-USR1", &this]).status().unwrap();
            assert!(sent.success());
            assert_eq!(me.mwait(&[event]).await?.datum, arrival);
        }
        assert_eq!(me.test(event).await?, None, "no signal arrives twice");
        Ok(())
    }
}

/// Set for the copy of this program all threads of which hold the signal back.
const HELD: &str = "WINDFALL_TEST_SIGNAL_HELD";

#[test]
fn part_that_waits_for_a_signal() {
    if std::env::var_os(HELD).is_none() {
        return;
    }
    let signal = Arrivals::Signal(10);
    let ended = run(
        &Settings::default().length(Span::from_secs(30)).device(Node(0), usr1(), signal),
        Signalled,
    )
    .unwrap();
    assert_eq!((ended.failures.as_slice(), ended.unfinished), (&[][..], 0));
}

#[test]
fn accepts_a_signal_as_a_device() {
    // Threads of the test harness exist before; what a process holds back when it begins, all its threads do.
    let mut copy = Command::new("env");
    copy.arg("--block-signal=USR1").arg(std::env::current_exe().unwrap());
    copy.args(["--exact", "part_that_waits_for_a_signal", "--nocapture"]).env(HELD, "1");
    let output = copy.output().unwrap();
    assert!(output.status.success(), "{output:?}");
}
