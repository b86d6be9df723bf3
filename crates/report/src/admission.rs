//! Jobs and tasks that were submitted to schedulers with admission control, the answers, and what became of tasks (PORTS 2.2). Missed deadlines of jobs are
//! counted elsewhere.

use crate::explain::moment;
use crate::terminal::short;
use windfall_scenario::outcome::{
    LateTasks, LostTask, Outcome, Refusals, TaskCounts, ThreadOutcome,
};
use windfall_time::Span;

/// Those of these counts that are not zero, in words.
fn counted<const N: usize>(counts: [(u64, &str); N]) -> Vec<String> {
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    counts.map(|(count, what)| format!("{count} {what}")).collect()
}

/// Why jobs and tasks were refused, in words; empty if none was.
pub(crate) fn reasons(refusals: &Refusals) -> String {
    let reasons = counted([
        (refusals.no_time, "no time before the deadline"),
        (refusals.full, "all slots taken"),
        (refusals.other, "see the refused requests"),
    ]);
    reasons.join(", ")
}

/// The lateness of the latest of a process's tasks, in words; empty if none was late.
pub(crate) fn lateness(late: &LateTasks) -> String {
    if late.count == 0 {
        return String::new();
    }
    let mut words = counted([(late.unfinished, "never finished")]);
    if late.count > late.unfinished {
        let (most, stolen) = (short(late.most), short(late.stolen));
        words.push(format!("at most {most}, {stolen} of that stolen"));
    }
    words.join(", ")
}

/// The ends of those tasks that were neither done nor late, in words.
pub(crate) fn others(tasks: &TaskCounts) -> Vec<String> {
    let mut others = counted([
        (tasks.lost, "lost and never finished"),
        (tasks.done_though_lost, "of those done had been lost"),
        (tasks.withdrawn, "withdrawn"),
        (tasks.withdrawn_late, "of those after their deadlines"),
        (tasks.used_up, "of clients used up"),
        (tasks.open, "open at the end"),
    ]);
    if tasks.unknown > 0 {
        let why = "since more were open than a run keeps";
        others.push(format!("{} of UNKNOWN end, {why}", tasks.unknown));
    }
    others
}

/// How many lost tasks of a thread are shown. JSON has more, a trace has all.
const SHOWN: usize = 8;

/// The first tasks that were lost after they had been admitted, each in words.
pub(crate) fn lost(thread: &ThreadOutcome) -> Vec<String> {
    let each = |lost: &LostTask| {
        let what = match lost.left {
            Some(left) => format!("lost with {} left", short(left)),
            None => "lost: its thread left the scheduler".to_owned(),
        };
        let stolen = match lost.stolen {
            Span::ZERO => String::new(),
            stolen => format!("; {} was stolen since it was submitted", short(stolen)),
        };
        let (at, deadline) = (moment(lost.at), moment(lost.deadline));
        format!("{at}  task {} by {deadline}: {what}{stolen}", lost.task)
    };
    let mut shown: Vec<String> = thread.lost_tasks.kept().iter().take(SHOWN).map(each).collect();
    let more = thread.lost.saturating_sub(shown.len() as u64);
    if more > 0 && !shown.is_empty() {
        shown.push(format!("and {more} more"));
    }
    shown
}

/// The word for what a thread submitted.
fn what(thread: &ThreadOutcome) -> &'static str {
    match (thread.submitted, thread.tasks.submitted) {
        (1, 0) => "job",
        (1, 1) => "task",
        (_, 0) => "jobs",
        (all, tasks) if all == tasks => "tasks",
        _ => "jobs and tasks",
    }
}

/// A line for a thread that submitted jobs or tasks.
fn line(thread: &ThreadOutcome) -> String {
    let ThreadOutcome { name, submitted, tasks, late_tasks, .. } = thread;
    let refused = thread.refusals.all();
    let admitted = submitted - refused;
    let mut line = format!(
        "{name} submitted {submitted} {}: {admitted} admitted, {refused} refused",
        what(thread)
    );
    if refused > 0 {
        line.push_str(&format!(" ({})", reasons(&thread.refusals)));
    }
    if thread.lost > 0 {
        line.push_str(&format!(", {} lost after they were admitted", thread.lost));
    }
    if thread.tasks_admitted() > 0 {
        let whose = if *submitted == tasks.submitted { "" } else { "of its tasks, " };
        line.push_str(&format!("; {whose}{} done in time", tasks.in_time));
        if late_tasks.count > 0 {
            line.push_str(&format!(", {} late ({})", late_tasks.count, lateness(late_tasks)));
        }
        others(tasks).iter().for_each(|other| line.push_str(&format!(", {other}")));
    }
    line.push('\n');
    lost(thread).iter().for_each(|lost| line.push_str(&format!("  {lost}\n")));
    line
}

/// A line for each thread that submitted jobs or tasks.
pub(crate) fn text(outcome: &Outcome) -> String {
    let submitters = outcome.threads.iter().filter(|thread| thread.submitted > 0);
    let text: String = submitters.map(line).collect();
    if text.is_empty() { text } else { format!("\n{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windfall_time::Instant;

    fn thread(name: &str, submitted: u64) -> ThreadOutcome {
        let mut thread = ThreadOutcome::new(name, None);
        thread.submitted = submitted;
        thread
    }

    fn said(thread: ThreadOutcome) -> String {
        let mut outcome = Outcome::default();
        outcome.threads = vec![thread, ThreadOutcome::new("idle", None)];
        text(&outcome)
    }

    #[test]
    fn law_jobs_and_tasks_are_told_apart() {
        let mut jobs = thread("a", 7);
        (jobs.refusals.no_time, jobs.lost) = (2, 1);
        let expected = "\na submitted 7 jobs: 5 admitted, 2 refused (2 no time before the deadline), 1 lost after they were admitted\n";
        assert_eq!(said(jobs.clone()), expected);
        (jobs.submitted, jobs.tasks.submitted, jobs.tasks.open) = (8, 1, 1);
        let mixed = said(jobs);
        assert!(mixed.starts_with("\na submitted 8 jobs and tasks: 6 admitted"), "{mixed}");
        assert!(mixed.ends_with("; of its tasks, 0 done in time, 1 open at the end\n"), "{mixed}");
        assert_eq!(said(thread("a", 1)), "\na submitted 1 job: 1 admitted, 0 refused\n");
        assert_eq!(said(thread("a", 0)), "");
    }

    #[test]
    fn law_each_lost_task_is_named() {
        let (ms, at) = (Span::from_millis, |ms| Instant::ZERO + Span::from_millis(ms));
        let mut jobs = thread("a", 30);
        jobs.lost = 2;
        let by_stolen_time = LostTask::new(4, at(7), at(10), Some(ms(1)), ms(3));
        jobs.lost_tasks.push(by_stolen_time);
        jobs.lost_tasks.push(LostTask::new(5, at(8), at(20), None, Span::ZERO));
        let named = "\n  0.007000s  task 4 by 0.010000s: lost with 1.000ms left; 3.000ms was stolen since it was submitted\n  \
            0.008000s  task 5 by 0.020000s: lost: its thread left the scheduler\n";
        assert!(said(jobs.clone()).ends_with(named), "{}", said(jobs));
        jobs.lost = 20;
        (0..18).for_each(|_| jobs.lost_tasks.push(by_stolen_time));
        assert_eq!((lost(&jobs).len(), &*lost(&jobs)[8]), (9, "and 12 more"));
    }

    #[test]
    fn law_each_end_of_a_task_is_shown() {
        let ms = Span::from_millis;
        let mut all = thread("p", 20);
        (all.tasks.submitted, all.lost, all.tasks.in_time, all.tasks.lost) = (20, 3, 4, 1);
        (all.tasks.withdrawn, all.tasks.withdrawn_late, all.tasks.used_up) = (3, 1, 2);
        (all.tasks.open, all.tasks.unknown, all.tasks.done_though_lost) = (1, 5, 2);
        (0..3).for_each(|_| all.late_tasks.never_ends());
        assert_eq!(lateness(&all.late_tasks), "3 never finished");
        all.late_tasks.ends(ms(3), Span::ZERO);
        assert_eq!(all.tasks_admitted(), all.submitted);
        let expected = "\np submitted 20 tasks: 20 admitted, 0 refused, 3 lost after they were admitted; 4 done in time, \
            4 late (3 never finished, at most 3.000ms, 0 of that stolen), 1 lost and never finished, 2 of those done had been lost, \
            3 withdrawn, 1 of those after their deadlines, 2 of clients used up, 1 open at the end, \
            5 of UNKNOWN end, since more were open than a run keeps\n";
        assert_eq!(said(all), expected);
    }
}
