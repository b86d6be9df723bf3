//! A pool of processes: the same closures on both hosts.

use super::{conserved, twin_with};
use std::sync::{Arc, Mutex};
use windfall_ports::hosted::{Checkpoints, Finished, Handle, Pool, StoppedError, SubmitError};
use windfall_programs::{Code, Event, Node, Process, ProcessError, ProcessParams, TaskError};
use windfall_scenario::{Home, PlannedThread};
use windfall_time::{Instant, Span};

/// Workers below a scheduler that holds 6 ms of 10; their client holds 2.
const TREE: &str = r#"
schema = 2
seed   = 35
length = "2s"
[schedulers.rez]
scheduler = "rez"
parent = "top"
[schedulers.server]
scheduler = "ports"
parent = "rez"
guarantee = "RESBS 6ms 10ms"
[schedulers.clients]
scheduler = "round-robin"
parent = "rez"
guarantee = "RESBS 2ms 10ms"
"#;

fn ms(n: u32) -> Span {
    Span::from_millis(n)
}

const WORKERS: Node = Node(0);
const CLIENTS: Node = Node(1);

/// Notes of the client.
#[derive(Clone, Copy, Default, Debug)]
struct Noted {
    rounds: u64,
    admitted: u64,
    refused: u64,
    full: u64,
    done: u64,
    late: u64,
    exceeded: u64,
    cancelled: u64,
    panicked: u64,
    /// Tasks that ended in the middle of one that had begun before.
    preempted: u64,
    wrong: u64,
}

/// Submits, in each round: a long task; when that runs, one that is due before it; one that exceeds its bound, one that panics, one too many for the workers, and one too large.
#[derive(Clone)]
struct Client(Arc<Mutex<Noted>>);

/// When a closure began and ended.
type Ran = (Instant, Instant);

/// Computes as long as it says, and says when.
async fn honest(mut at: Checkpoints, work: u32) -> Result<Ran, StoppedError> {
    let begun = at.now().await;
    for _ in 0..work {
        at.compute(ms(1)).await;
        at.checkpoint().await?;
    }
    Ok((begun, at.now().await))
}

impl Client {
    fn note(&self, what: impl FnOnce(&mut Noted)) {
        what(&mut self.0.lock().unwrap());
    }

    /// Waits for a task that stays within its bound, if it was admitted.
    async fn done(
        &self,
        me: &mut impl Process,
        event: Event,
        submitted: Result<Handle<Ran>, SubmitError>,
    ) -> Result<Option<Ran>, ProcessError> {
        let Ok(handle) = submitted else {
            self.note(|noted| noted.refused += 1);
            return Ok(None);
        };
        let finished = handle.wait(me, event).await?;
        self.note(|noted| match &finished {
            Finished::Done(_, completion) => {
                noted.done += 1;
                noted.late += u64::from(!completion.late.is_zero());
            }
            Finished::Exceeded(_) => noted.exceeded += 1,
            _ => noted.wrong += 1,
        });
        Ok(match finished {
            Finished::Done(ran, _) => Some(ran),
            _ => None,
        })
    }

    async fn round(
        &self,
        me: &mut impl Process,
        (pool, event): (&Pool, Event),
    ) -> Result<(), ProcessError> {
        let begun = me.now().await;
        let by = |n| begun + ms(n);
        let long = pool.try_submit(me, ms(16), by(100), |at| honest(at, 12)).await;
        me.sleep_until(by(6)).await;
        let short = pool.try_submit(me, ms(5), by(40), |at| honest(at, 2)).await;
        let over = pool.try_submit(me, ms(2), by(100), |mut at| async move {
            loop {
                at.compute(ms(1)).await;
                at.checkpoint().await?;
            }
        });
        let over: Result<Handle<()>, SubmitError> = over.await;
        let given_up = pool.try_submit(me, ms(4), by(100), |at| honest(at, 3)).await;
        let full = pool.try_submit(me, ms(1), by(100), |_| async { Ok(()) }).await;
        if let Ok(given_up) = given_up
            && given_up.cancel(me).await
        {
            let ended = given_up.wait(me, event).await?;
            self.note(|noted| {
                noted.cancelled += u64::from(ended == Finished::Cancelled);
                noted.wrong += u64::from(ended != Finished::Cancelled);
            });
        }
        let (short, long) = (self.done(me, event, short).await?, self.done(me, event, long).await?);
        if let Ok(over) = over {
            let ended = over.wait(me, event).await?;
            self.note(|noted| {
                noted.exceeded += u64::from(ended == Finished::Exceeded(None));
                noted.wrong += u64::from(ended != Finished::Exceeded(None));
            });
        }
        let panics = pool.try_submit(me, ms(2), by(150), |_| async {
            std::panic::resume_unwind(Box::new("as it should"))
        });
        let panics: Result<Handle<()>, SubmitError> = panics.await;
        if let Ok(panics) = panics {
            let ended = panics.wait(me, event).await?;
            self.note(|noted| noted.panicked += u64::from(ended == Finished::Panicked));
        }
        let near = me.now().await + ms(50);
        let large = pool.try_submit(me, ms(60), near, |_| async { Ok(()) }).await;
        self.note(|noted| {
            noted.rounds += 1;
            noted.full += u64::from(matches!(full, Err(SubmitError::Full { workers: 4 })));
            noted.preempted += u64::from(
                matches!((short, long), (Some(short), Some(long)) if long.0 < short.0 && short.1 < long.1),
            );
            let right = matches!(&large, Err(SubmitError::Refused(TaskError::NoTime { instead, .. }))
                if instead.idle < ms(31) && instead.earliest.is_some());
            noted.wrong += u64::from(!right);
        });
        me.sleep_until(by(160)).await;
        Ok(())
    }
}

impl Code for Client {
    const NAME: &'static str = "client";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let pool = Pool::start(&mut me, WORKERS, 4).await?;
        let event = me.make_event().await?;
        for _ in 0..11 {
            self.round(&mut me, (&pool, event)).await?;
        }
        let (counts, noted) = (pool.counts(), *self.0.lock().unwrap());
        let ends = counts.done + counts.exceeded + counts.cancelled + counts.panicked;
        let same = (counts.done, counts.exceeded) == (noted.done, noted.exceeded);
        self.note(|noted| {
            noted.admitted = counts.admitted;
            noted.wrong += u64::from(counts.admitted != ends || !same);
        });
        Ok(())
    }
}

/// Work that a pool admits is done in time; work that exceeds its bound, is cancelled or panics ends as such, and harms
/// no other.
#[test]
fn twin_a_pool_answers_before_its_closures_run() {
    let noted = Arc::<Mutex<Noted>>::default();
    let amend = |plan: &mut windfall_scenario::Plan| {
        *noted.lock().unwrap() = Noted::default();
        let home = |name| {
            let (_, node) = *plan.nodes.iter().find(|(its, _)| its == name).unwrap();
            Home::new(node, |_| Vec::new())
        };
        plan.processes.nodes = vec![home("server"), home("clients")];
        let (home, params) = (plan.processes.nodes[1], ProcessParams::default());
        plan.threads.push(PlannedThread::process(CLIENTS, &home, &params, Client(noted.clone())));
    };
    twin_with(TREE, amend, |outcome, real| {
        conserved(outcome);
        let noted = *noted.lock().unwrap();
        println!("{noted:?} on real threads: {real}");
        assert_eq!((noted.rounds, noted.wrong), (11, 0), "{noted:?} on real threads: {real}");
        let submitted = outcome.threads.iter().map(|one| one.submitted).sum::<u64>();
        let refused = outcome.threads.iter().map(|one| one.refusals.all()).sum::<u64>();
        assert_eq!(submitted - refused, noted.admitted);
        // A disturbed machine takes time from tasks, and refuses more.
        let least = if real { 5 } else { 11 };
        assert!(
            noted.done >= 2 * least && noted.full >= least,
            "{noted:?} on real threads: {real}"
        );
        assert!(noted.cancelled >= least && noted.panicked >= least, "{noted:?}");
        assert!(noted.exceeded >= least && noted.preempted >= least, "{noted:?}");
        assert!(noted.late <= if real { noted.done / 5 } else { 0 }, "{noted:?}");
    });
}
