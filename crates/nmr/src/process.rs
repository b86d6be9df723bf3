//! Replicas as processes: the program kind `voting`, on any host and below any schedulers.
//!
//! `body.rs` is what each replica does. They hand values to each other through rings, as replicas on threads do, and post each other's events, so that whoever waits is woken by its scheduler.

mod body;

pub use body::First;

use crate::injected::Injected;
use crate::{Iteration, Settings};
use std::sync::{Arc, Mutex};
use windfall_programs::Program;
use windfall_programs::catalogue::{Chosen, Form, Kind, Setting};
use windfall_settings::SettingError;
use windfall_time::Span;

/// A fault that the last replica shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Fault {
    /// What.
    pub kind: Injected,
    /// From which iteration on.
    pub from: Iteration,
    /// In how many iterations.
    pub iterations: u64,
}

impl Fault {
    /// In every iteration.
    #[must_use]
    pub const fn new(kind: Injected) -> Fault {
        Fault { kind, from: Iteration(1), iterations: u64::MAX }
    }
}

/// What was voted, by replica.
pub type Votes = Vec<Vec<(Iteration, u64)>>;

/// A computation of several steps that replicas do and vote on after each.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Voting {
    /// How the voters are.
    pub settings: Settings,
    /// How many steps.
    pub iterations: u64,
    /// What each step takes.
    pub work: Span,
    /// How much longer it takes the last replica, in percent.
    pub slower: u64,
    /// How long a vote is waited for.
    pub patience: Span,
    /// What the last replica does wrong.
    pub fault: Option<Fault>,
    /// Replica 0 moves to the scheduler of this name with `-0` behind it, and so on; they stay where they begin when it is empty.
    pub on: Arc<str>,
    /// What was voted, for those who started it.
    pub votes: Arc<Mutex<Votes>>,
}

impl Voting {
    /// So many replicas, as the kind has it by default.
    #[must_use]
    pub fn new(replicas: u8) -> Voting {
        Voting {
            settings: Settings::new(replicas).queue(16),
            iterations: 100,
            work: Span::from_millis(1),
            slower: 0,
            patience: Span::from_secs(1),
            fault: None,
            on: "".into(),
            votes: Arc::default(),
        }
    }

    fn of(chosen: &Chosen<'_>) -> Result<Voting, SettingError> {
        let number = |name: &str| chosen.integer(name).unsigned_abs();
        let small = |name: &str| u32::try_from(number(name)).expect("as declared");
        let replicas = u8::try_from(number("replicas")).expect("as declared");
        let settings = Settings::new(replicas).queue(small("queue")).lag(number("lag"));
        let kind = match chosen.word("fault", FAULTS) {
            Shown::None => None,
            Shown::Crash => Some(Injected::Crash),
            Shown::Hang => Some(Injected::Hang),
            Shown::Flip => Some(Injected::Flip { bit: 0 }),
            Shown::WrongIteration => Some(Injected::WrongIteration { by: number("queue") * 4 }),
            Shown::Babble => Some(Injected::Babble { values: 4 }),
            Shown::TwoFaced => Some(Injected::TwoFaced),
        };
        let from = Iteration(number("fault-from"));
        let fault = kind.map(|kind| Fault { kind, from, iterations: number("fault-iterations") });
        let is_written = chosen.written("on").is_some();
        Ok(Voting {
            settings,
            iterations: number("iterations"),
            work: chosen.span("work"),
            slower: number("slower"),
            patience: chosen.span("patience"),
            fault,
            on: if is_written { chosen.name("on").into() } else { "".into() },
            votes: Arc::default(),
        })
    }
}

#[derive(Clone, Copy)]
enum Shown {
    None,
    Crash,
    Hang,
    Flip,
    WrongIteration,
    Babble,
    TwoFaced,
}

const FAULTS: &[(&str, Shown)] = &[
    ("none", Shown::None),
    ("crash", Shown::Crash),
    ("hang", Shown::Hang),
    ("flip", Shown::Flip),
    ("wrong-iteration", Shown::WrongIteration),
    ("babble", Shown::Babble),
    ("two-faced", Shown::TwoFaced),
];

const FAULT_WORDS: &[&str] =
    &["none", "crash", "hang", "flip", "wrong-iteration", "babble", "two-faced"];

const fn integer(
    name: &'static str,
    (least, most): (i64, i64),
    default: &'static str,
    help: &'static str,
) -> Setting {
    Setting { name, form: Form::Integer(least, most), default, help }
}

/// The kind `voting`.
pub static KIND: Kind = Kind::new(
    "voting",
    "does a computation several times, in processes that vote on each step and wait for no slow or faulty one (CMU 1982, chapter 1)",
    |settings, node| Ok(Program::process(node, First(Voting::of(settings)?))),
)
.with_settings(&[
    Setting {
        name: "fault",
        form: Form::Word(FAULT_WORDS),
        default: "none",
        help: "what the last replica does wrong",
    },
    integer("fault-from", (1, i64::MAX), "10", "in which iteration that begins"),
    integer("fault-iterations", (1, i64::MAX), "1000000", "in how many iterations it does that"),
    integer("iterations", (1, 1_000_000), "100", "how many steps the computation has"),
    integer(
        "lag",
        (1, i64::MAX),
        "8",
        "a replica that is more iterations behind a majority than this is said to be faulty",
    ),
    Setting {
        name: "on",
        form: Form::Name,
        default: "",
        help: "replica 0 moves to the scheduler of this name with `-0` behind it, and so on; all stay where they begin when absent",
    },
    Setting {
        name: "patience",
        form: Form::Span,
        default: "1s",
        help: "how long a replica waits for a vote before it gives up",
    },
    integer(
        "queue",
        (1, 4_096),
        "16",
        "how many iterations voters keep; 1 is synchronous voting",
    ),
    integer("replicas", (2, 16), "3", "how many processes do the computation"),
    integer("slower", (0, 100_000), "0", "by how many percent the last replica takes longer"),
    Setting { name: "work", form: Form::Span, default: "1ms", help: "what each step takes" },
]);
