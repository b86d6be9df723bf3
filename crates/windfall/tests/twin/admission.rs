//! Jobs that a scheduler admits or refuses when they are released.

use super::{conserved, thread, twin, twin_with};
use std::sync::{Arc, Mutex};
use windfall_programs::{Code, Node, Process, ProcessError, ProcessParams, TaskError, TaskId};
use windfall_scenario::outcome::PromiseStatus;
use windfall_scenario::{Home, PlannedThread};
use windfall_time::Span;

/// A server that admits work holds 6 ms of 10; another thread takes 2.
const TREE: &str = r#"
schema = 2
seed   = 29
length = "2s"
[schedulers.rez]
scheduler = "rez"
parent = "top"
[schedulers.server]
scheduler = "ports"
parent = "rez"
guarantee = "RESBS 6ms 10ms"
[threads.other]
parent = "rez"
guarantee = "RESBS 2ms 10ms"
run = "spin"
"#;

/// Jobs of 3 ms every 4 ms do not fit into 6 ms of 10; what is refused has a job of 1 ms instead.
#[test]
fn twin_what_is_admitted_is_done_in_time_and_what_is_refused_has_a_secondary() {
    let threads = r#"
[threads.large]
parent = "server"
sporadic = { work = "1ms..5ms", gap = "2ms..6ms", deadline = "40ms", admit = true, else = "small" }
[threads.small]
parent = "server"
instead = { work = "1ms", deadline = "60ms", admit = true }
"#;
    twin(&[TREE, threads].concat(), |outcome, real| {
        conserved(outcome);
        let (large, small) = (thread(outcome, "large"), thread(outcome, "small"));
        let mut promises = outcome.promises.iter();
        let server = promises.find(|verdict| verdict.promise.owner == "server").unwrap();
        let kept = server.status() == PromiseStatus::Kept;
        assert!(kept || real);
        for one in [large, small] {
            let refused = one.refusals.all();
            assert_eq!(one.submitted, one.released + refused, "on real threads: {real}");
            assert_eq!(one.refusals.no_time, refused);
            // A real job takes longer than it said when the machine disturbs it; the next ones wait for it.
            let allowed = if real { one.released / 5 } else { 0 };
            assert!(
                !kept || one.missed <= allowed,
                "{}: {} of {} late",
                one.name,
                one.missed,
                one.released
            );
        }
        assert!(large.submitted > 300 && large.refusals.all() > 50 && large.released > 150);
        assert_eq!(small.submitted, large.refusals.all());
    });
}

/// Notes of a process about its tasks.
#[derive(Clone, Copy, Default, Debug)]
struct Noted {
    admitted: u64,
    refused: u64,
    late: u64,
    wrong: u64,
}

/// How late the last task of a submitter is at least.
const LATE: Span = Span::from_millis(10);
/// More than there is time for.
const MINUTE: Span = Span::from_secs(60);

/// Whether the task of this number is the first for which there is no time.
fn refuses(answer: &Result<(), TaskError>, number: usize) -> bool {
    matches!(answer, Err(TaskError::OneOf { index, why })
        if *index == number && matches!(**why, TaskError::NoTime { .. }))
}

/// Submits tasks of 5 ms, four for each deadline, and works on those that are admitted.
#[derive(Clone)]
struct Submitter(Arc<Mutex<Noted>>);

impl Submitter {
    fn note(&self, one: impl FnOnce(&mut Noted)) {
        one(&mut self.0.lock().unwrap());
    }
}

impl Code for Submitter {
    const NAME: &'static str = "submitter";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let (work, gap) = (Span::from_millis(5), Span::from_millis(30));
        for _ in 0..20 {
            let begun = me.now().await;
            let mut tasks: Vec<(TaskId, _)> = Vec::new();
            for submission in 0..12 {
                let deadline = (0..=submission / 4).fold(begun, |at, _| at + gap);
                let requested = me.idle_time(work, deadline).await;
                let fits = me.what_if(&[(work, deadline)]).await;
                let never = me.what_if(&[(work, deadline), (MINUTE, deadline)]).await;
                let right = refuses(&never, usize::from(fits.is_ok()));
                self.note(|its| its.wrong += u64::from(!right));
                match (requested, me.submit(work, deadline).await) {
                    (Ok(requested), Ok(task)) => {
                        tasks.push((task, deadline));
                        self.note(|its| {
                            its.admitted += 1;
                            its.wrong += u64::from(requested.idle < work || fits.is_err());
                        });
                    }
                    (Ok(requested), Err(TaskError::NoTime { instead, .. })) => self.note(|its| {
                        its.refused += 1;
                        // Between the two it may have worked, which makes more idle, but not enough.
                        its.wrong += u64::from(instead.idle >= work || requested.idle >= work);
                        its.wrong += u64::from(!refuses(&fits, 0));
                    }),
                    _ => self.note(|its| its.wrong += 1),
                }
            }
            // What is withdrawn is gone, and its time is free again.
            if let Some((last, deadline)) = tasks.pop() {
                let before = me.idle_time(work, deadline).await;
                let gone = me.withdraw(last).await;
                let after = me.idle_time(work, deadline).await;
                let again = me.finish(last).await;
                let freed = matches!((before, after), (Ok(b), Ok(a)) if a.idle > b.idle);
                let known = again != Err(TaskError::NoSuchTask { task: last });
                self.note(|its| its.wrong += u64::from(gone.is_err() || !freed || known));
            }
            for (task, deadline) in tasks {
                me.compute(Span::from_millis(4)).await;
                let late = me.now().await > deadline;
                let ended = me.finish(task).await;
                self.note(|its| its.late += u64::from(late || ended.is_err()));
            }
            me.sleep_until(begun + gap + gap + gap).await;
        }
        // The last is 10 ms late.
        let deadline = me.now().await + gap;
        match me.submit(work, deadline).await {
            Ok(task) => {
                me.sleep_until(deadline + LATE).await;
                let _ended_when_its_time_had_passed = me.finish(task).await;
            }
            Err(_) => self.note(|its| its.wrong += 1),
        }
        Ok(())
    }
}

/// E8: a process that works on the first of its tasks has done each by its deadline, and is refused what could not be done.
#[test]
fn twin_a_process_submits_tasks_of_its_own() {
    let noted = Arc::<Mutex<Noted>>::default();
    let amend = |plan: &mut windfall_scenario::Plan| {
        *noted.lock().unwrap() = Noted::default();
        let (_, server) = *plan.nodes.iter().find(|(name, _)| name == "server").unwrap();
        let home = Home::new(server, |_| Vec::new());
        plan.processes.nodes = vec![home];
        let (params, code) = (ProcessParams::default(), Submitter(noted.clone()));
        plan.threads.push(PlannedThread::process(Node(0), &home, &params, code));
    };
    twin_with(TREE, amend, |outcome, real| {
        conserved(outcome);
        let noted = *noted.lock().unwrap();
        assert_eq!(noted.wrong, 0, "{noted:?} on real threads: {real}");
        assert!(noted.admitted >= 160 && noted.refused >= 40, "{noted:?}");
        // A real task takes longer than it said when the machine disturbs it; the next ones wait for it.
        assert!(noted.late <= if real { noted.admitted / 5 } else { 0 }, "{noted:?}");
        let own = outcome.threads.iter().find(|one| one.submitted > 0).unwrap();
        assert_eq!((own.submitted, own.refusals.all()), (241, noted.refused));
        let late = own.late_tasks;
        assert!(late.most >= LATE && late.stolen <= late.most, "{late:?}");
        // A scheduler that has lost a task has done so because time was stolen: what its process calls late is not all past its deadline.
        assert!((1..=noted.late + 1).contains(&late.count), "{late:?}, {noted:?}");
        assert!(real || (late.most < LATE + Span::from_millis(10) && late.stolen.is_zero()));
    });
}
