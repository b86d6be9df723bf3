//! A pool of a process that can have no more threads: it says so, and goes on. A program of its own, since the limit is the process's.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod on_threads;

use on_threads::pool;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use windfall_ports::pool::{Pool, Target};
use windfall_ports::{Request, Share, SubmitError};
use windfall_skips::Needs;
use windfall_time::Span;

const EDF: Target = Target { processor: 0, scheduler: 0 };

/// Limits the memory of this process to 900 KiB more than it has, until the shell's input ends; `None` where that cannot be. The shell is there before, since no program may begin after.
fn limit_memory() -> Option<Child> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")).unwrap();
    let kib: u64 = size.trim().trim_end_matches(" kB").parse().unwrap();
    let (pid, most) = (std::process::id(), (kib + 900) << 10);
    let limits = format!(
        "prlimit --pid {pid} --as={most}:unlimited && echo limited; read line; prlimit --pid {pid} --as=unlimited:unlimited"
    );
    let (mut shell, pipes) = (Command::new("sh"), Stdio::piped);
    let shell = shell.args(["-c", &limits]).stdin(pipes()).stdout(pipes()).stderr(Stdio::null());
    let mut child = shell.spawn().ok()?;
    let mut said = [0; 8];
    child.stdout.as_mut()?.read_exact(&mut said).ok().map(|()| child)
}

/// Submitter the pool when it is dropped, which waits for the lock of its processor.
struct Submitter(Arc<Pool>, mpsc::Sender<()>);

impl Drop for Submitter {
    fn drop(&mut self) {
        let _ = (self.0.counts(), self.1.send(()));
    }
}

#[test]
fn law_a_closure_without_a_thread_may_ask_the_pool() {
    let pool = Arc::new(pool(4, Share::WHOLE, |_| ()));
    let (sender, dropped) = mpsc::channel();
    let (answers, answered) = mpsc::channel();
    let (own, asks) = (pool.clone(), [0; 2].map(|_| Submitter(pool.clone(), sender.clone())));
    let submits = move || {
        let asked = Request::by(Span::from_millis(1), Pool::now() + Span::from_millis(900));
        for (number, held) in asks.into_iter().enumerate() {
            let code = move |_: &_| {
                drop(held);
                Ok(())
            };
            let answer = match number {
                0 => own.submit(EDF, asked, code).map(|_| ()),
                _ => own.send(EDF, asked, code).and_then(|pending| pending.wait().map(|_| ())),
            };
            answers.send(answer).unwrap();
        }
    };
    // Its stack is smaller than what is left, and that of a task is not.
    let submitter = std::thread::Builder::new().stack_size(256 << 10);
    let (starts, start) = mpsc::channel();
    let (ready, is_ready) = mpsc::channel();
    let waits = move || {
        ready.send(()).unwrap();
        start.recv().map(|()| submits())
    };
    submitter.spawn(waits).unwrap();
    // Both threads have the memory that threads take when they begin.
    is_ready.recv().unwrap();
    let none = Request::by(Span::ZERO, Pool::now());
    assert!(pool.send(EDF, none, |_| Ok(())).unwrap().wait().is_err());
    let Some(mut limit) = limit_memory() else {
        return windfall_skips::skip(Needs::Other, "`prlimit` cannot limit this process");
    };
    starts.send(()).unwrap();
    let wait = Duration::from_secs(10);
    let got: Vec<_> =
        (0..2).map(|_| (answered.recv_timeout(wait), dropped.recv_timeout(wait))).collect();
    drop(limit.stdin.take());
    assert!(limit.wait().unwrap().success());
    if got.iter().any(|(answer, dropped)| answer.is_err() || dropped.is_err()) {
        eprintln!("waits for itself: {got:?}");
        std::process::exit(1); // the pool would never end
    }
    let refused = Err(SubmitError::NoThread { threads: 0 });
    assert_eq!(got, [(Ok(refused), Ok(())), (Ok(refused), Ok(()))]);
    let asked = Request::by(Span::from_millis(1), Pool::now() + Span::from_millis(900));
    assert!(pool.submit(EDF, asked, |_| Ok(())).is_ok());
}
