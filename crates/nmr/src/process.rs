//! Replicas as processes: the program kind `voting`, on any host and below any schedulers.
//!
//! `body.rs` is what each replica does, `manager.rs` the process that does something about faults, and `shared.rs` what they have in common; `caught.rs` makes a panic the end of one life. They hand values to each other through rings, as replicas on threads do, and post each other's events, so that whoever waits is woken by its scheduler.

mod body;
mod caught;
mod figures;
mod manager;
mod shared;
mod voting;

pub use body::First;
pub use voting::{Fault, Votes, Voting};

use crate::injected::Injected;
use crate::redundant::Remedy;
use crate::{Iteration, Settings};
use std::sync::Arc;
use windfall_programs::catalogue::{Chosen, Form, Kind, Setting, words};
use windfall_programs::{Program, Redundancy};
use windfall_settings::SettingError;
use windfall_time::Span;

impl Voting {
    /// So many replicas, as the kind has it by default.
    #[must_use]
    pub fn new(replicas: u8) -> Voting {
        Voting {
            settings: Settings::new(replicas).queue(16),
            iterations: 100,
            words: 1,
            work: Span::from_millis(1),
            slower: 0,
            patience: Span::from_secs(1),
            fault: None,
            remedy: Remedy::Ignore,
            on: "".into(),
            votes: Arc::default(),
            outcome: Arc::default(),
        }
    }

    /// Voters as these settings say.
    #[must_use]
    pub fn settings(self, settings: Settings) -> Voting {
        Voting { settings, ..self }
    }

    /// So many steps, each of so much work.
    #[must_use]
    pub fn steps(self, iterations: u64, work: Span) -> Voting {
        Voting { iterations, work, ..self }
    }

    /// A vote is waited for so long.
    #[must_use]
    pub fn patience(self, patience: Span) -> Voting {
        Voting { patience, ..self }
    }

    /// The last replica shows this fault.
    #[must_use]
    pub fn fault(self, fault: impl Into<Option<Fault>>) -> Voting {
        Voting { fault: fault.into(), ..self }
    }

    /// The remedy for a fault that the others agree on, and for a replica that ends.
    #[must_use]
    pub fn remedy(self, remedy: Remedy) -> Voting {
        Voting { remedy, ..self }
    }

    fn of(chosen: &Chosen<'_>) -> Result<Voting, SettingError> {
        let number = |name: &str| chosen.integer(name).unsigned_abs();
        let small = |name: &str| u32::try_from(number(name)).expect("as declared");
        let byte = |name: &str| u8::try_from(number(name)).expect("as declared");
        let (replicas, spares) = (byte("replicas"), byte("spares"));
        let settings = Settings::new(replicas).queue(small("queue")).lag(number("lag"));
        let (remedy, words) = (chosen.word("remedy", REMEDIES), byte("words"));
        if replicas == 2 && !matches!(remedy, Remedy::Ignore | Remedy::End) {
            let allowed = "3 or more with this `remedy`, because of two that differ nobody knows which is wrong; or `remedy` `none` or `end`";
            return Err(SettingError::value("replicas", replicas, allowed));
        }
        if spares > 0 && remedy != Remedy::Replace {
            let allowed = "0, or `remedy` `replace`, which is the only one that uses spares";
            return Err(SettingError::value("spares", spares, allowed));
        }
        let kind = chosen.word("fault", FAULTS).map(|shown| match shown {
            Shown::Crash => Injected::Crash,
            Shown::Hang => Injected::Hang,
            // In its last word, so that all of the state must be compared.
            Shown::Flip => Injected::Flip { bit: (words - 1) * 64 },
            Shown::WrongIteration => Injected::WrongIteration { by: number("queue") * 4 },
            Shown::Babble => Injected::Babble { values: 4 },
            Shown::TwoFaced => Injected::TwoFaced,
        });
        let from = Iteration(number("fault-from"));
        let (iterations, lives) = (number("fault-iterations"), small("fault-lives"));
        let fault = kind.map(|kind| Fault { kind, from, iterations, lives });
        let is_written = chosen.written("on").is_some();
        Ok(Voting {
            settings: settings.spares(spares),
            iterations: number("iterations"),
            words,
            work: chosen.span("work"),
            slower: number("slower"),
            patience: chosen.span("patience"),
            fault,
            remedy,
            on: if is_written { chosen.name("on").into() } else { "".into() },
            votes: Arc::default(),
            outcome: Arc::default(),
        })
    }
}

const FAULTS: &[(&str, Option<Shown>)] = &[
    ("none", None),
    ("crash", Some(Shown::Crash)),
    ("hang", Some(Shown::Hang)),
    ("flip", Some(Shown::Flip)),
    ("wrong-iteration", Some(Shown::WrongIteration)),
    ("babble", Some(Shown::Babble)),
    ("two-faced", Some(Shown::TwoFaced)),
];

const REMEDIES: &[(&str, Remedy)] = &[
    ("none", Remedy::Ignore),
    ("restart", Remedy::Restart),
    ("replace", Remedy::Replace),
    ("retire", Remedy::Retire),
    ("end", Remedy::End),
];

#[derive(Clone, Copy)]
enum Shown {
    Crash,
    Hang,
    Flip,
    WrongIteration,
    Babble,
    TwoFaced,
}

/// The kind `voting`.
pub static KIND: Kind = Kind::new(
    "voting",
    "does a computation several times, in processes that vote on each step and wait for no slow or faulty one (CMU 1982, chapter 1)",
    |settings, node| {
        let voting = Voting::of(settings)?;
        let on = (!voting.on.is_empty()).then(|| voting.on.clone());
        let redundancy = Redundancy { replicas: voting.settings.replicas, on };
        Ok(Program::process(node, First(voting)).redundant(redundancy))
    },
)
.with_settings(&[
    Setting::word("fault", &words::<_, { FAULTS.len() }>(FAULTS), "none", "what the last replica does wrong"),
    Setting::integer("fault-from", 1..=i64::MAX, "10", "in which iteration that begins"),
    Setting::integer(
        "fault-iterations",
        1..=i64::MAX,
        "1000000",
        "in how many iterations it does that",
    ),
    Setting::integer(
        "fault-lives",
        1..=1_000_000,
        "1",
        "in how many of its lives it does that, where it is restarted",
    ),
    Setting::integer("iterations", 1..=1_000_000, "100", "how many steps the computation has"),
    Setting::integer(
        "lag",
        1..=i64::MAX,
        "8",
        "a replica that is more iterations behind a majority than this is said to be faulty; something is done about it once it is silent for as long as a vote is waited for, too",
    ),
    Setting::new(
        "on",
        Form::Name,
        "",
        "replica 0 moves to the scheduler of this name with `-0` behind it, and so on; all stay where they begin when absent",
    ),
    Setting::new(
        "patience",
        Form::Span,
        "1s",
        "how long a replica waits for a vote before it gives up",
    ),
    Setting::integer(
        "queue",
        1..=4_096,
        "16",
        "how many iterations voters keep; 1 is synchronous voting",
    ),
    Setting::word(
        "remedy",
        &words::<_, { REMEDIES.len() }>(REMEDIES),
        "none",
        "what is done about a replica that ends, or that a majority finds to be faulty: it begins anew with the state of the others, is replaced by a spare, takes part no longer, or the run ends; a process `manager-1` sees to that",
    ),
    Setting::integer("replicas", 2..=16, "3", "how many processes do the computation"),
    Setting::integer(
        "slower",
        0..=100_000,
        "0",
        "by how many percent the last replica takes longer",
    ),
    Setting::integer("spares", 0..=16, "0", "how many replicas may take the place of a faulty one"),
    Setting::integer(
        "words",
        1..=4,
        "1",
        "how many words the state has; all of them are voted on, and a replica that comes back begins with those that were voted",
    ),
    Setting::new("work", Form::Span, "1ms", "what each step takes"),
]);
