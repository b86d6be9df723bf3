//! Schedulers, where they are attached, and what is asked for them there.

use crate::Guarantee;
use windfall_schedulers::catalogue::Kind;
use windfall_time::Span;

/// A scheduler instance.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Scheduler {
    /// Its name; no other scheduler and no thread has it.
    pub name: String,
    /// Its kind, as the scenario's catalogue calls it.
    pub kind: String,
    /// Its settings, in alphabetical order.
    pub settings: Vec<(String, Setting)>,
    /// Its own virtual processors in order; at least one.
    pub owns: Vec<Attachment>,
}

/// What is written for a setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Setting {
    /// A length of time.
    Span(Span),
    /// A whole number.
    Integer(i64),
    /// `true` or `false`.
    Bool(bool),
    /// A word.
    Word(String),
}

/// One virtual processor: where it is registered and what is asked for it there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attachment {
    /// Where.
    pub parent: Parent,
    /// What.
    pub requires: Requirements,
}

/// Where a virtual processor is registered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Parent {
    /// At the top: a processor of its own.
    Top,
    /// At the scheduler of that name.
    Scheduler(String),
}

impl Parent {
    /// The scheduler's name; `None` is the top.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Parent::Top => None,
            Parent::Scheduler(name) => Some(name),
        }
    }
}

/// What is asked of a parent for a child.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Requirements {
    /// A guarantee; becomes the message that the parent's kind understands, and the promise.
    pub guarantee: Option<Guarantee>,
    /// A reservation, without the claim that it amounts to a guarantee.
    pub reserve: Option<Reserve>,
    /// A weight among siblings; at least 1.
    pub share: Option<u32>,
    /// How far it may borrow against its future allocation, in the processor time of one of weight 1; where
    /// guarantees are asked beside it, of one with a whole processor.
    pub warp: Option<Span>,
    /// How long it may run on what it borrows.
    pub warp_limit: Option<WarpLimit>,
    /// What its share is counted in: a currency that the scheduler's settings fund.
    pub currency: Option<u32>,
    /// Larger is served first.
    pub priority: Option<i32>,
    /// How long it runs before others of its priority have their turn.
    pub time_slice: Option<Span>,
    /// How often it works: for priorities and deadlines derived from periods. A thread with
    /// periodic or sporadic jobs tells its own where its scheduler has a use for it.
    pub rate: Option<Rate>,
}

/// So much in every period.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reserve {
    /// Processor time; above zero, at most the period.
    pub amount: Span,
    /// The period.
    pub period: Span,
}

/// How long a child may run on borrowed time at a stretch, and how long it must do without before the
/// next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WarpLimit {
    /// Processor time; above zero.
    pub limit: Span,
    /// Time on the clock.
    pub unwarp: Span,
}

/// How often a child works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Rate {
    /// Longest work of one job, when known.
    pub work: Option<Span>,
    /// Shortest time between two jobs; above zero.
    pub period: Span,
    /// Relative deadline.
    pub deadline: Span,
}

impl Rate {
    /// A job of at most so much work in each period, due before the next.
    #[must_use]
    pub fn new(work: impl Into<Option<Span>>, period: Span) -> Rate {
        Rate { work: work.into(), period, deadline: period }
    }

    /// The same, due so long after its release.
    #[must_use]
    pub const fn deadline(mut self, deadline: Span) -> Rate {
        self.deadline = deadline;
        self
    }
}

impl Scheduler {
    /// An instance of a kind with default settings, at the top with one processor.
    #[must_use]
    pub fn root(name: &str, kind: &Kind) -> Scheduler {
        Scheduler {
            name: name.to_owned(),
            kind: kind.name.to_owned(),
            settings: Vec::new(),
            owns: vec![Attachment { parent: Parent::Top, requires: Requirements::default() }],
        }
    }

    /// An instance of a kind with default settings below another.
    #[must_use]
    pub fn below(name: &str, kind: &Kind, parent: &str, requires: Requirements) -> Scheduler {
        Scheduler {
            owns: vec![Attachment { parent: Parent::Scheduler(parent.to_owned()), requires }],
            ..Scheduler::root(name, kind)
        }
    }

    /// With this setting, replacing an earlier one of the name.
    #[must_use]
    pub fn with(mut self, name: &str, value: Setting) -> Scheduler {
        self.settings.retain(|(other, _)| other != name);
        self.settings.push((name.to_owned(), value));
        self.settings.sort_by(|(a, _), (b, _)| a.cmp(b));
        self
    }

    /// With the last own virtual processor `n` times in all; at least once.
    #[must_use]
    pub fn processors(mut self, n: usize) -> Scheduler {
        if let Some(last) = self.owns.pop() {
            self.owns.extend(std::iter::repeat_n(last, n.max(1)));
        }
        self
    }

    /// With one more own virtual processor.
    #[must_use]
    pub fn and_below(mut self, parent: &str, requires: Requirements) -> Scheduler {
        let parent = Parent::Scheduler(parent.to_owned());
        self.owns.push(Attachment { parent, requires });
        self
    }
}

impl Requirements {
    /// A guarantee.
    #[must_use]
    pub fn guarantee(guarantee: Guarantee) -> Requirements {
        Requirements { guarantee: Some(guarantee), ..Requirements::default() }
    }

    /// So much in every period, without the claim that it amounts to a guarantee.
    #[must_use]
    pub fn reserve(amount: Span, period: Span) -> Requirements {
        let reserve = Some(Reserve { amount, period });
        Requirements { reserve, ..Requirements::default() }
    }

    /// A weight among siblings.
    #[must_use]
    pub fn share(share: u32) -> Requirements {
        Requirements { share: Some(share), ..Requirements::default() }
    }

    /// A priority.
    #[must_use]
    pub fn priority(priority: i32) -> Requirements {
        Requirements { priority: Some(priority), ..Requirements::default() }
    }

    /// Whether parameters are told outright, so that a guarantee is only asked for beside them.
    pub(crate) fn reports_deadlines_itself(&self) -> bool {
        self.reserve.is_some() || self.share.is_some()
    }

    /// Whether nothing is asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Requirements::default()
    }
}
