//! A pool of processes on a simulated machine: what was admitted is done in time, and what becomes of the rest is told.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "hosted/clients.rs"]
mod clients;
#[path = "hosted/ends.rs"]
mod ends;
#[path = "hosted/starts.rs"]
mod starts;

use clients::{Client, Log, ms};
use std::sync::{Arc, Mutex};
use windfall_ports::hosted::{Counts, Finished, Pool, SubmitError};
use windfall_programs::{Code, Node, Process, ProcessError, ProcessParams, TaskError};
use windfall_scenario::{Home, PlannedThread, Scenario};
use windfall_sim::Sim;
use windfall_time::Instant;
use windfall_trace::{Memory, Record};

/// Workers below a scheduler that holds 6 ms of 10; clients hold 2 ms of 10, another thread as much.
const TREE: &str = r#"
schema = 2
seed   = 35
length = "20s"
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
[threads.other]
parent = "rez"
guarantee = "RESBS 2ms 10ms"
run = "spin"
"#;

const WORKERS: Node = Node(0);
const CLIENTS: Node = Node(1);

/// Runs a process on a node, to the end of the scenario.
fn run(node: Node, code: impl Code) -> Vec<Record> {
    let scenario = Scenario::parse("hosted.toml", TREE).unwrap();
    let mut plan = scenario.build().unwrap();
    let home = |name| {
        let (_, node) = *plan.nodes.iter().find(|(its, _)| its == name).unwrap();
        Home::new(node, |_| Vec::new())
    };
    let homes = [home("server"), home("clients")];
    let home = &homes[usize::from(node.0)];
    let first = PlannedThread::process(node, home, &ProcessParams::default(), code);
    plan.processes.nodes = homes.to_vec();
    plan.threads.push(first);
    let mut memory = Memory::default();
    let sim = Sim::of(plan, Some(&mut memory)).unwrap();
    let outcome = sim.run(Instant::ZERO + scenario.length, |_| true);
    assert_eq!(outcome.failure, None);
    memory.records
}

/// Starts the pool, and clients that submit at random.
#[derive(Clone)]
struct Opening {
    seed: u64,
    log: Log,
    pool: Arc<Mutex<Option<Pool>>>,
}

impl Code for Opening {
    const NAME: &'static str = "opening";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let pool = Pool::start(&mut me, WORKERS, 4).await?;
        *self.pool.lock().unwrap() = Some(pool.clone());
        let template = me.make_template::<Client>(CLIENTS).await?;
        for number in 0..3 {
            let client = Client::new(pool.clone(), self.seed * 3 + number, self.log.clone());
            me.make_process(template, CLIENTS, ProcessParams::default(), client).await?;
        }
        Ok(())
    }
}

fn random(seed: u64) -> (Log, Counts, Vec<Record>) {
    let opening = Opening { seed, log: Log::default(), pool: Arc::default() };
    let records = run(CLIENTS, opening.clone());
    let counts = opening.pool.lock().unwrap().as_ref().unwrap().counts();
    (opening.log, counts, records)
}

/// E8 of whatever a pool admits, whatever other closures do; each ends as it should, once.
#[test]
fn law_what_a_pool_admits_is_done_in_time() {
    let mut all = clients::Tally::default();
    for seed in 0..8 {
        let (log, counts, _) = random(seed);
        let log = log.0.lock().unwrap();
        assert!(log.wrong.is_empty(), "seed {seed}: {:?}", log.wrong);
        let ends = counts.done + counts.exceeded + counts.cancelled + counts.panicked;
        assert_eq!(counts.admitted, ends, "seed {seed}: {counts:?}");
        assert_eq!(log.admitted, counts.admitted);
        assert_eq!((log.done, log.cancelled), (counts.done, counts.cancelled));
        assert_eq!((counts.late, counts.lost, counts.unsuitable), (0, 0, 0), "{counts:?}");
        assert_eq!((log.no_time, log.full), (counts.no_time, counts.full));
        for (kind, count) in [
            ("admitted", counts.admitted),
            ("no time", counts.no_time),
            ("full", counts.full),
            ("done", counts.done),
            ("exceeded", counts.exceeded),
            ("cancelled", counts.cancelled),
            ("panicked", counts.panicked),
            ("stopped", log.stopped),
            ("demoted", log.demoted),
            ("foreign", log.foreign),
            ("whole bound", log.whole),
            ("at the earliest", log.again),
            ("within the idle time", log.smaller),
            ("in the middle of another", log.preempted()),
        ] {
            *all.entry(kind).or_default() += count;
        }
    }
    println!("{all:?}");
    for (kind, count) in all {
        assert!(count >= 30, "{kind}: {count}");
    }
}

#[test]
fn law_the_same_seed_gives_the_same_trace() {
    let ((_, counts, one), (_, again, other)) = (random(3), random(3));
    assert_eq!(counts, again);
    let differs = one.iter().zip(&other).position(|(one, other)| one != other);
    assert_eq!((differs, one.len()), (None, other.len()));
    assert!(one.len() > 10_000 && random(4).2 != one);
}

/// Asks of a pool what it must refuse, and what must not work.
#[derive(Clone)]
struct Refused(Arc<Mutex<Vec<String>>>);

impl Code for Refused {
    const NAME: &'static str = "refused";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        let deadline = me.now().await + ms(100);
        let note = |what: String| self.0.lock().unwrap().push(what);
        // For a process that has not opened its tasks, nobody submits and withdraws.
        let (process, own) = (me.me(), me.make_event().await?);
        let asked = me.submit_for(process, (ms(1), deadline), own).await;
        assert_eq!(asked, Err(TaskError::NotOpen { process }));
        note(asked.unwrap_err().to_string());
        me.open_tasks().await.unwrap();
        let asked = me.submit_for(process, (ms(1), deadline), own).await;
        note(asked.unwrap_err().to_string());
        me.delete(own).await?;
        let asked = me.submit_for(process, (ms(1), deadline), own).await;
        let why = ProcessError::Stale { handle: own.handle() };
        assert_eq!(asked, Err(TaskError::NotPosted { why }), "before the scheduler is asked");

        let pool = Pool::start(&mut me, WORKERS, 1).await?;
        let both = Pool::start(&mut me, WORKERS, 2).await?;
        let first = pool.try_submit(&mut me, ms(3), deadline, |mut at| async move {
            at.compute(ms(2)).await;
            Ok(at.now().await)
        });
        let first = first.await.unwrap();
        let full = pool.try_submit(&mut me, ms(1), deadline, |_| async { Ok(()) }).await;
        assert_eq!(full.as_ref().err(), Some(&SubmitError::Full { workers: 1 }));
        note(full.unwrap_err().to_string());
        let Finished::Done(ended, completion) = first.wait(&mut me, event).await? else {
            panic!("it needs less than its bound")
        };
        assert!(ended == completion.at && completion.late.is_zero());
        // Its worker is free as soon as that is known.
        let large = pool.try_submit(&mut me, ms(70), deadline, |_| async { Ok(()) }).await;
        assert!(matches!(large, Err(SubmitError::Refused(TaskError::NoTime { .. }))));
        // A task that was cancelled before it began never begins, and its time is free again.
        let most = ms(40);
        let never = both.try_submit(&mut me, most, deadline, |_| async {
            if true { panic!("it never runs") } else { Ok(()) }
        });
        let never = never.await.unwrap();
        let beside = both.try_submit(&mut me, most, deadline, |_| async { Ok(()) }).await;
        assert!(matches!(beside, Err(SubmitError::Refused(TaskError::NoTime { .. }))));
        assert!(never.cancel(&mut me).await && never.cancel(&mut me).await);
        let again = both.try_submit(&mut me, most, deadline, |_| async { Ok(7) }).await.unwrap();
        assert_eq!(never.wait(&mut me, event).await?, Finished::Cancelled);
        assert!(matches!(again.wait(&mut me, event).await?, Finished::Done(7, _)));
        note("all".to_owned());
        Ok(())
    }
}

#[test]
fn refuses_what_a_pool_cannot_take_and_says_why() {
    let notes = Arc::<Mutex<Vec<String>>>::default();
    run(CLIENTS, Refused(notes.clone()));
    let notes = notes.lock().unwrap();
    assert!(
        notes[0].ends_with("it must call `open_tasks` first, and not have exited"),
        "{notes:?}"
    );
    assert!(notes[1].contains("put the thread below one of a kind that does"), "{notes:?}");
    assert_eq!(notes[2], "all 1 workers have tasks; wait for one to end, or start a pool of more");
    assert_eq!(notes.last().unwrap(), "all");
}

/// Below the scheduler that admits: submits for itself as others may.
#[derive(Clone)]
struct Posted(Arc<Mutex<bool>>);

impl Code for Posted {
    const NAME: &'static str = "posted";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let (process, event) = (me.me(), me.make_event().await?);
        me.open_tasks().await.unwrap();
        me.post(event, 9).await?;
        let asked = (ms(6), me.now().await + ms(50));
        let before = me.idle_time(asked.0, asked.1).await.unwrap().idle;
        let refused = me.submit_for(process, asked, event).await;
        let why = ProcessError::AlreadyPosted { event };
        assert_eq!(refused, Err(TaskError::NotPosted { why }));
        assert_eq!(me.idle_time(asked.0, asked.1).await.unwrap().idle, before);
        assert_eq!(me.reset(event).await?, Some(9));
        let task = me.submit_for(process, asked, event).await.unwrap();
        assert_eq!(me.wait().await?.datum, u64::from(task.number()));
        assert_eq!(
            me.idle_time(asked.0, asked.1).await.unwrap().idle,
            before.saturating_sub(asked.0)
        );
        assert_eq!(me.withdraw_for(process, task).await, Ok(()));
        assert_eq!(me.finish(task).await, Err(TaskError::NoSuchTask { task }));
        *self.0.lock().unwrap() = true;
        Ok(())
    }
}

#[test]
fn law_an_admitted_task_is_posted_or_withdrawn() {
    let all = Arc::<Mutex<bool>>::default();
    run(WORKERS, Posted(all.clone()));
    assert!(*all.lock().unwrap());
}
