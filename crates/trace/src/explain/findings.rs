//! Findings about one thread: results of its jobs, and the episodes that are kept whole.
//!
//! Invariant: memory is that of the episodes kept, whatever the number of jobs.

use super::{Account, Ending, Episode, Explained, Keep, Kind, Part, Question};
use crate::Figure;
use windfall_time::{Instant, Span};

/// An episode that has begun.
#[derive(Clone, Debug)]
pub(super) struct Window {
    pub(super) number: u64,
    pub(super) from: Instant,
    pub(super) deadline: Option<Instant>,
    pub(super) wake: Option<super::Wake>,
    /// Whether a scheduler has admitted it, if one has said so; of jobs.
    pub(super) admission: Option<bool>,
    /// Its account so far; for a job, from the completion of the job before it.
    pub(super) account: Account,
}

impl Window {
    pub(super) fn new(number: u64, from: Instant) -> Window {
        let (deadline, wake, admission, account) = (None, None, None, Account::default());
        Window { number, from, deadline, wake, admission, account }
    }
}

impl Explained {
    /// An episode has ended.
    pub(super) fn close(
        &mut self,
        question: &Question,
        kind: Kind,
        window: Window,
        to: Instant,
        ending: Ending,
    ) {
        let Window { number, from, deadline, wake, account, .. } = window;
        let span = to.saturating_since(from);
        // A burst may have ended, and another begun, while nothing was known.
        let sure = match kind {
            Kind::Burst => span.saturating_sub(account.of(Part::Unknown)),
            Kind::Job | Kind::Period => span,
        };
        let over = question.longer_than.map(|limit| sure.saturating_sub(limit));
        let by = match ending {
            Ending::Late | Ending::Overdue => {
                deadline.map_or(Span::ZERO, |deadline| to.saturating_since(deadline))
            }
            Ending::Short(by) => by,
            _ => over.unwrap_or(Span::ZERO),
        };
        self.count(ending);
        self.due += u64::from(deadline.is_some());
        let too_long = kind != Kind::Period && over.is_some_and(|over| !over.is_zero());
        self.too_long += u64::from(too_long);
        let maybe =
            question.longer_than.is_some_and(|limit| limit < span) && ending != Ending::Lost;
        self.unsure += u64::from(kind == Kind::Burst && maybe && !too_long);
        let missed = too_long
            || matches!(
                ending,
                Ending::Late | Ending::GivenUp | Ending::Overdue | Ending::Short(_)
            );
        if missed {
            self.misses += 1;
            self.missed.add(&account);
        }
        let miss = missed.then_some(self.misses);
        let episode = Episode { kind, number, miss, from, to, deadline, ending, by, wake, account };
        if kind != Kind::Period {
            self.longest_run = self.longest_run.max(episode.account.received());
            self.all.add(&episode.account);
            if self.longest.is_none() || self.most < sure {
                self.most = sure;
                self.longest = Some(episode.clone());
            }
            let most = self.longest_wait.as_ref().map_or(Span::ZERO, |one| one.account.waited());
            if most < episode.account.waited() {
                self.longest_wait = Some(episode.clone());
            }
        }
        self.keep(question.keep, episode);
    }

    /// The thread has jobs: drops the findings before the first of them, except its admission, figures and marks.
    pub(super) fn begin_jobs(&mut self) {
        let (tasks, figures) = (self.tasks, core::mem::take(&mut self.figures));
        let (kind, marks) = (Kind::Job, core::mem::take(&mut self.marks));
        let task_findings = core::mem::take(&mut self.task_findings);
        let new = Explained::new(self.thread);
        *self = Explained { kind, tasks, task_findings, figures, marks, ..new };
    }

    /// Sets a figure that it reports of itself.
    pub(super) fn report(&mut self, name: &str, value: Figure) {
        match self.figures.iter_mut().find(|(known, _)| known == name) {
            Some((_, before)) => *before = value,
            None => self.figures.push((name.to_owned(), value)),
        }
    }

    fn count(&mut self, ending: Ending) {
        let counter = match ending {
            Ending::Done => &mut self.done,
            Ending::Late => &mut self.late,
            Ending::GivenUp => &mut self.given_up,
            Ending::Overdue => &mut self.overdue,
            Ending::Open => &mut self.open,
            Ending::Lost => &mut self.unclear,
            Ending::Short(_) => &mut self.short,
        };
        *counter += 1;
    }

    fn keep(&mut self, keep: Keep, episode: Episode) {
        match keep {
            Keep::All if episode.miss.is_some() => self.kept.push(episode),
            Keep::Miss(number) if episode.miss == Some(number) => self.kept.push(episode),
            Keep::Job(number) if episode.kind != Kind::Period && episode.number == number => {
                self.kept.push(episode);
            }
            Keep::Worst(most) if episode.miss.is_some() => {
                self.kept.push(episode);
                if self.kept.len() > most {
                    let least = (0..self.kept.len())
                        .min_by_key(|at| (self.kept[*at].badness(), std::cmp::Reverse(*at)));
                    if let Some(least) = least {
                        self.kept.remove(least);
                    }
                }
            }
            _ => {}
        }
    }
}
