//! The settings of a robot, and its kind as scenarios name it.

use crate::body::Motors;
use crate::journey::Report;
use crate::reservation::Reservation;
use crate::terrain::{MOST_CELLS, Random, Size, Terrain};
use std::ops::RangeInclusive;
use std::sync::Arc;
use windfall_programs::Program;
use windfall_programs::catalogue::{Chosen, Form, Kind, Setting, SettingError};
use windfall_speculation::Ahead;
use windfall_time::Span;

/// The settings of a robot.
// Fields: settings, which are independent of each other.
#[derive(Clone)]
#[non_exhaustive]
pub struct Robot {
    /// Where it goes.
    pub terrain: Arc<Terrain>,
    /// Time from one step to the next.
    pub step: Span,
    /// Time from one look of its sensors to the next.
    pub look: Span,
    /// How many cells away its sensors see.
    pub sight: u16,
    /// The work of sensors for each look, and of motors for each step.
    pub reacts: Span,
    /// The work of looking at a cell in planning, and of taking back an event.
    pub cell: Span,
    /// For each step it looks at so many cells at most.
    pub most: u32,
    /// How many events it handles ahead at most; none: each step is planned when the one before has been taken.
    pub ahead: u32,
    /// The further work of each decision to handle an event (the scheduling latency of PORTS 2.1).
    pub latency: Span,
    /// For how long map and planner may be without a processor: what is new takes effect so much later, and until then the robot goes on as planned ahead.
    pub away: Span,
    /// The reservation that map and planner request of their scheduler; `None`: they count on a whole processor, less sensors and motors.
    pub reservation: Option<Reservation>,
    /// The scheduler of its sensors and motors, and that of map and planner; empty: the one where each begins.
    pub schedulers: [Arc<str>; 2],
    /// Its course, for those who started it.
    pub report: Report,
}

impl Robot {
    /// A robot in this terrain, as the kind has it by default.
    #[must_use]
    pub fn new(terrain: Terrain) -> Robot {
        Robot {
            terrain: Arc::new(terrain),
            step: Span::from_millis(50),
            look: Span::from_millis(25),
            sight: 4,
            reacts: Span::from_nanos(500_000),
            cell: Span::from_nanos(20_000),
            most: 1_000,
            ahead: 4,
            latency: Span::from_nanos(100_000),
            away: Span::ZERO,
            reservation: None,
            schedulers: ["".into(), "".into()],
            report: Report::default(),
        }
    }

    fn of(settings: &Chosen<'_>) -> Result<Robot, SettingError> {
        let number = |name: &str| u32::try_from(settings.integer(name)).expect("as declared");
        let small = |name: &str| u16::try_from(settings.integer(name)).expect("as declared");
        let random = Random {
            size: Size { wide: small("wide"), high: small("high") },
            blocked: u8::try_from(settings.integer("blocked")).expect("as declared"),
            later: small("later"),
            until: settings.span("later-until"),
            seed: settings.integer("terrain").unsigned_abs(),
        };
        let scheduler = |name: &str| {
            let is_written = settings.written(name).is_some();
            if is_written { settings.name(name).into() } else { "".into() }
        };
        let reservation = reserved(settings)?;
        let latency = reservation.map_or(Span::ZERO, |reserved| reserved.supply().latency());
        Ok(Robot {
            step: settings.span("step"),
            look: settings.span("look"),
            sight: small("sight"),
            reacts: settings.span("reacts"),
            cell: settings.span("cell"),
            most: number("most"),
            ahead: number("ahead"),
            latency: settings.span("latency"),
            away: settings.optional_span("away").unwrap_or(latency),
            reservation,
            schedulers: [scheduler("reactive"), scheduler("deliberative")],
            ..Robot::new(random.terrain())
        })
    }

    /// How far it goes ahead.
    pub(crate) const fn goes_ahead(&self) -> Ahead {
        Ahead { most: self.ahead, undo: self.cell }
    }
}

/// The reservation for map and planner, if anything is written.
fn reserved(settings: &Chosen<'_>) -> Result<Option<Reservation>, SettingError> {
    let (amount, period) = (settings.optional_span("amount"), settings.optional_span("period"));
    let both = "processor time in each `period`, at most the whole of it; write both";
    match (amount, period) {
        (None, None) => Ok(None),
        (Some(amount), Some(period)) => match Reservation::new(amount, period) {
            Ok(reservation) => Ok(Some(reservation)),
            Err(_) => Err(SettingError::value("amount", amount, both)),
        },
        (Some(amount), None) => {
            Err(SettingError::value("amount", format!("{amount} without `period`"), both))
        }
        (None, Some(period)) => {
            let allowed = "the period of an `amount`; write both";
            Err(SettingError::value("period", format!("{period} without `amount`"), allowed))
        }
    }
}

const fn span(name: &'static str, default: &'static str, help: &'static str) -> Setting {
    Setting::new(name, Form::Span, default, help)
}

const fn scheduler(name: &'static str, help: &'static str) -> Setting {
    Setting::new(name, Form::Name, "", help)
}

const SIDE: RangeInclusive<i64> = 2..=MOST_CELLS as i64;

/// The kind `robot`.
pub static KIND: Kind = Kind::new(
    "robot",
    "goes through unknown terrain; sensors and motors are jobs with deadlines, map and planner run ahead in idle time (PORTS 2.1)",
    |settings, node| Ok(Program::process(node, Motors(Robot::of(settings)?))),
)
.with_settings(&[
    Setting::integer("ahead", 0..=1_000, "4", "how many events it handles ahead at most; with 0 each step is planned when the one before has been taken"),
    span(
        "amount",
        "",
        "the processor time that map and planner ask their scheduler to promise in each `period`, and count on; when absent, a whole processor less sensors and motors, which is asked of nobody",
    ),
    span(
        "away",
        "",
        "for how long map and planner may be without a processor: what is new takes effect so much later; when absent, as long as what they are promised allows, or at once",
    ),
    Setting::integer("blocked", 0..=60, "25", "how many of a hundred cells are obstacles at the beginning, which it does not know"),
    span("cell", "20us", "what looking at a cell takes, in planning; and taking back an event"),
    scheduler("deliberative", "the scheduler that map and planner move to; they stay where they begin when absent"),
    Setting::integer("high", SIDE, "24", "rows of the terrain"),
    span("latency", "100us", "what each decision to handle an event takes, beside handling it"),
    Setting::integer("later", 0..=10_000, "20", "how many obstacles appear while it is on its way"),
    span("later-until", "4s", "when the last of them appears at the latest"),
    span("look", "25ms", "the time from one look of its sensors to the next"),
    Setting::integer("most", 1..=100_000, "1000", "how many cells it looks at for each step at most"),
    span("period", "", "the length of a period of what map and planner ask for"),
    scheduler("reactive", "the scheduler that sensors and motors move to; they stay where they begin when absent"),
    span("reacts", "500us", "what sensors compute for each look, and motors for each step"),
    Setting::integer("sight", 1..=50, "4", "how many cells away its sensors see"),
    span("step", "50ms", "the time from one step to the next"),
    Setting::integer("terrain", 0..=i64::MAX, "1", "equal numbers make equal terrain"),
    Setting::integer("wide", SIDE, "40", "cells in each row of the terrain"),
]);
