//! Results as the data of a report's page.

use super::{Bucket, CpuRow, Expectation, NodeRow, PromiseRow, Report, Response, ThreadRow};
use crate::admission::{self, lateness, reasons};
use crate::terminal::figures;
use crate::{Story, promises};
use windfall_scenario::outcome::{
    Figures, Outcome, Refused, ThreadOutcome, Verdict, groups, plain, refusals,
};
use windfall_scenario::{Guarantee, Scenario};
use windfall_time::{Ratio, Span};

/// The page of a run.
#[must_use]
pub fn report(
    title: &str,
    scenario: &Scenario,
    outcome: &Outcome,
    verdicts: &[Verdict],
    story: Story,
) -> Report {
    let cpus = (0..).zip(&outcome.cpus).map(|(number, cpu)| CpuRow {
        name: format!("cpu {number}"),
        idle: cpu.idle,
        received: cpu.received,
        switching: cpu.switching,
        scheduling: cpu.scheduling,
        stations: cpu.station_wait + cpu.station_service,
        stolen: cpu.stolen,
    });
    let expectations = verdicts.iter().map(|verdict| Expectation {
        name: verdict.what.clone(),
        held: verdict.held,
        text: match verdict.because.as_str() {
            "" => format!("expected {}, found {}", verdict.expected, verdict.found),
            because => format!("expected {}, found {}: {because}", verdict.expected, verdict.found),
        },
    });
    let promises = promises::rows(scenario, outcome).into_iter();
    let not_promised = refusals(scenario);
    Report {
        title: title.to_owned(),
        question: scenario.question.clone(),
        answer: scenario.answer.clone(),
        machine: outcome.machine.clone(),
        span: outcome.length,
        nodes: nodes(scenario, outcome, &not_promised),
        threads: threads(scenario, outcome),
        cpus: cpus.collect(),
        expectations: expectations.collect(),
        promises: promises.map(|(owner, verdict)| PromiseRow::new(owner, verdict)).collect(),
        not_promised,
        replicas: crate::votes::of(outcome),
        quarantined: outcome.quarantined.clone(),
        lost: story.timeline.lost,
        story: Some(story),
    }
}

fn nodes(scenario: &Scenario, outcome: &Outcome, not_promised: &[Refused]) -> Vec<NodeRow> {
    let rows = outcome.nodes.iter().map(|node| {
        let requested = scenario.schedulers.iter().find(|scheduler| scheduler.name == node.name);
        let guarantee = requested.and_then(|scheduler| {
            let asked = (0..).zip(&scheduler.owns);
            let mut asked = asked.filter_map(|(own, at)| Some((own, at.requires.guarantee?)));
            asked.find(|(own, _)| !is_refused(not_promised, &node.name, *own)).map(|asked| asked.1)
        });
        NodeRow {
            name: node.name.clone(),
            kind: node.kind.clone(),
            parent: node.parents.first().and_then(|parent| at(outcome, parent)),
            promise: guarantee.map(|guarantee| guarantee.to_string()),
            share: guarantee.and_then(share),
            received: node.received,
            runnable: below(outcome, &node.name),
            missed: None,
            judged: judged(outcome, &[&node.name]),
            counted: counted(&node.stats),
        }
    });
    rows.collect()
}

/// Whether a scheduler was refused what it asked for with this one of its own virtual processors.
fn is_refused(not_promised: &[Refused], owner: &str, own: u16) -> bool {
    not_promised.iter().any(|refused| refused.owner == owner && refused.own == Some(own))
}

fn counted(stats: &Figures) -> String {
    let all: Vec<_> = stats.iter().map(|(name, count)| plain(name, *count)).collect();
    figures(&all)
}

fn at(outcome: &Outcome, node: &str) -> Option<usize> {
    outcome.nodes.iter().position(|other| other.name == node)
}

fn threads(scenario: &Scenario, outcome: &Outcome) -> Vec<ThreadRow> {
    let mut threads = Vec::new();
    for group in groups(scenario, outcome) {
        let rows = group.threads.iter();
        let parent = |parent: &String| at(outcome, parent);
        let rows = rows.map(|thread| row(thread, thread.parent.as_ref().and_then(parent)));
        let names: Vec<&str> = group.threads.iter().map(|thread| thread.name.as_str()).collect();
        if group.together {
            let judged = judged(outcome, &names);
            threads.push(ThreadRow { judged, ..together(group.name, rows.collect()) });
        } else {
            let judged = |name| judged(outcome, &[name]);
            let rows = rows.zip(names);
            threads.extend(rows.map(|(row, name)| ThreadRow { judged: judged(name), ..row }));
        }
    }
    threads
}

/// The worst verdict of the promises to these over all windows; `None` without one.
fn judged(outcome: &Outcome, owners: &[&str]) -> Option<PromiseRow> {
    let is_theirs = |owner: &str| owners.contains(&owner);
    let promises = outcome.promises.iter().filter(|verdict| is_theirs(&verdict.promise.owner));
    // Of equals the first.
    let worst = promises.rev().max_by_key(|verdict| promises::rank(verdict))?;
    Some(PromiseRow::new(worst.owner(), worst))
}

fn row(thread: &ThreadOutcome, parent: Option<usize>) -> ThreadRow {
    ThreadRow {
        name: thread.name.clone(),
        parent,
        promise: thread.promised.clone(),
        share: thread.promised.as_deref().and_then(|text| text.parse().ok()).and_then(share),
        received: thread.received,
        runnable: thread.runnable,
        unknown: Span::ZERO,
        wakeups: thread.wakeups,
        dispatches: thread.dispatches,
        preemptions: thread.preemptions,
        migrations: thread.migrations,
        jobs: thread.completed,
        submitted: thread.submitted,
        refused: thread.refusals.all(),
        reasons: reasons(&thread.refusals),
        lost: thread.lost,
        lost_tasks: admission::lost(thread),
        tasks: thread.tasks,
        tasks_late: thread.late_tasks.count,
        lateness: lateness(&thread.late_tasks),
        deadlines_missed: thread.missed,
        due: thread.due,
        response: response(thread),
        judged: None,
    }
}

/// One row for many threads that are alike: sums, without response times, which do not add.
fn together(name: &str, rows: Vec<ThreadRow>) -> ThreadRow {
    let many =
        ThreadRow { name: format!("{name} ({} threads)", rows.len()), ..ThreadRow::default() };
    rows.into_iter().fold(many, |sum, row| ThreadRow {
        name: sum.name,
        parent: sum.parent.or(row.parent),
        promise: sum.promise.or(row.promise),
        share: match (sum.share, row.share) {
            (Some(sum), Some(share)) => sum.checked_add(share),
            (sum, share) => sum.or(share),
        },
        received: sum.received.saturating_add(row.received),
        runnable: sum.runnable.saturating_add(row.runnable),
        unknown: sum.unknown.saturating_add(row.unknown),
        wakeups: sum.wakeups + row.wakeups,
        dispatches: sum.dispatches + row.dispatches,
        preemptions: sum.preemptions + row.preemptions,
        migrations: sum.migrations + row.migrations,
        jobs: sum.jobs + row.jobs,
        submitted: sum.submitted + row.submitted,
        refused: sum.refused + row.refused,
        reasons: String::new(),
        lost: sum.lost + row.lost,
        lost_tasks: Vec::new(),
        tasks: sum.tasks.and(row.tasks),
        tasks_late: sum.tasks_late + row.tasks_late,
        lateness: String::new(),
        deadlines_missed: sum.deadlines_missed + row.deadlines_missed,
        due: sum.due || row.due,
        response: None,
        judged: None,
    })
}

/// A promise as a share of one processor, where it is one.
fn share(guarantee: Guarantee) -> Option<Ratio> {
    guarantee.share().filter(|share| !share.is_zero())
}

/// Time that the threads below a scheduler could have run, at most all of it.
fn below(outcome: &Outcome, name: &str) -> Span {
    let under = |thread: &&ThreadOutcome| {
        let mut above: Vec<&str> = thread.parent.iter().map(String::as_str).collect();
        let mut next = 0;
        while let Some(node) = above.get(next).copied() {
            if node == name {
                return true;
            }
            next += 1;
            let parents = outcome.nodes.iter().filter(|other| other.name == node);
            for parent in parents.flat_map(|other| &other.parents) {
                if !above.contains(&parent.as_str()) {
                    above.push(parent);
                }
            }
        }
        false
    };
    let runnable = outcome.threads.iter().filter(under).map(|thread| thread.runnable);
    let sum = runnable.fold(Span::ZERO, Span::saturating_add);
    let cpus = outcome.cpus.len() as u64;
    sum.min(outcome.length.saturating_mul(cpus))
}

fn response(thread: &ThreadOutcome) -> Option<Response> {
    let response = &thread.response;
    let mut from = Span::ZERO;
    let mut buckets = Vec::new();
    for (last, count) in response.buckets() {
        let to = last.saturating_add(Span::from_nanos(1));
        let lowest = Span::from_nanos(last.as_nanos() - last.as_nanos() / 128);
        buckets.push(Bucket { from: lowest.max(from), to, count });
        from = to;
    }
    Some(Response {
        min: response.least()?,
        mean: response.mean()?,
        p50: response.quantile(50)?,
        p99: response.quantile(99)?,
        max: response.most()?,
        buckets,
    })
}
