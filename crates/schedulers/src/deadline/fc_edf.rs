//! FC-EDF: earliest deadline first below a feedback controller that keeps few deadlines missed.
//!
//! Takes    any guarantee; ALL on each of its processors to be of use.
//! Gives    NULL to each child: jobs are refused and given up for the good of all.
//! Admits   every child; of jobs with a deadline only a fraction, which the controller moves.
//! Assumes  as EDF; that the host gives up a job that is noted as expired.
//! Costs    as EDF; O(1) more per job, and per sample; 107 bytes per child; one timer more.
//! Ties     as EDF. Which of a child's jobs are refused: as evenly spread as the fraction allows.
//! Source   Lu, Stankovic, Tao, Son 1999, with their gains; HLS 2.3.1.5. Ours differs: the one
//!          actuator is the fraction of jobs accepted. There are no service levels (imprecise
//!          versions), and no estimates of work, so that requested utilisation is never known.
//! Checked  laws, `tests/fc_edf.rs`.
//!
//! In each window the controller samples the miss ratio among accepted jobs, those that were given
//! up over all that ended. The error e is the set point less that. The fraction moves by
//! p e + i (sum of e over the last windows) + d (e - e before), and stays between 1 % and all: were
//! it zero, nothing would be measured any longer. Windows in which no job ended say nothing. Jobs
//! that are not done at their deadline are given up, whatever they have received (no dominoes).

use crate::catalogue::{Form, Kind, Properties, Setting};
use crate::deadline::edf::{EXPIRY, Edf, Late};
use crate::parameters::RATE;
use crate::parts::best_effort::BestEffort;
use crate::parts::policy::Pooled;
use crate::parts::slots;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use windfall_hierarchy::{
    Answer, ChildVp, Context, Message, OwnVp, Scheduler, TimerId, View, VpState,
};
use windfall_time::{Instant, Span};

/// The end of a window.
const SAMPLE: TimerId = TimerId(2);
/// All jobs, as a fraction; errors are in the same unit.
const ALL: i64 = 1_000_000;
const LEAST: i64 = ALL / 100;

pub(crate) const KIND: Kind = Kind {
    name: "fc-edf",
    summary: "earliest deadline first; feedback accepts as many jobs as can be done in time",
    source: source!("fc_edf.rs"),
    settings: &[
        Setting {
            name: "derivative",
            form: Form::Integer(0, 10_000),
            default: "100",
            help: "gain of the change of the error, in thousandths",
        },
        Setting {
            name: "integral",
            form: Form::Integer(0, 10_000),
            default: "5",
            help: "gain of the sum of the errors, in thousandths",
        },
        Setting {
            name: "integral-windows",
            form: Form::Integer(1, 10_000),
            default: "100",
            help: "over how many windows errors are summed",
        },
        Setting {
            name: "proportional",
            form: Form::Integer(0, 10_000),
            default: "500",
            help: "gain of the error, in thousandths",
        },
        Setting {
            name: "set-point",
            form: Form::Integer(0, 1000),
            default: "20",
            help: "the miss ratio aimed at among accepted jobs, in thousandths",
        },
        Setting {
            name: "window",
            form: Form::Span,
            default: "500ms",
            help: "how often the miss ratio is sampled",
        },
    ],
    takes: &[&RATE],
    properties: Properties::NONE,
    build: |settings| {
        let windows = settings.integer("integral-windows");
        Ok(Box::new(FcEdf::new(FcEdfSpec {
            proportional: settings.integer("proportional"),
            integral: settings.integer("integral"),
            derivative: settings.integer("derivative"),
            integral_windows: usize::try_from(windows).expect("its setting has bounds"),
            set_point: settings.integer("set-point"),
            window: settings.span("window"),
        })))
    },
    conversion: |_| Ok(Box::new(BestEffort)),
};

/// The controller's parameters. Gains and the set point are in thousandths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FcEdfSpec {
    /// Gain of the error; 0 to 10,000.
    pub(crate) proportional: i64,
    /// Gain of the sum of errors; 0 to 10,000.
    pub(crate) integral: i64,
    /// Gain of the change of the error; 0 to 10,000.
    pub(crate) derivative: i64,
    /// Over how many windows errors are summed; 1 to 10,000.
    pub(crate) integral_windows: usize,
    /// The miss ratio aimed at among accepted jobs; 0 to 1000.
    pub(crate) set_point: i64,
    /// How often the miss ratio is sampled; above zero.
    pub(crate) window: Span,
}

/// The feedback loop. All amounts are millionths, far from the ends of 64 bits.
struct Controller {
    spec: FcEdfSpec,
    /// Errors of the last windows, `oldest` being overwritten next.
    errors: Vec<i64>,
    oldest: usize,
    sum: i64,
    before: i64,
    /// Which part of all jobs is accepted.
    fraction: i64,
    /// Accepted jobs that were done in this window, and that were given up.
    met: u32,
    missed: u32,
}

impl Controller {
    fn new(spec: FcEdfSpec) -> Controller {
        let errors = vec![0; spec.integral_windows.max(1)];
        Controller { spec, errors, oldest: 0, sum: 0, before: 0, fraction: ALL, met: 0, missed: 0 }
    }

    /// A window ends. Whether a job ended in it.
    fn sample(&mut self) -> bool {
        let (met, missed) = (i64::from(self.met), i64::from(self.missed));
        (self.met, self.missed) = (0, 0);
        let Some(ratio) = (missed * ALL).checked_div(met + missed) else {
            return false;
        };
        let error = self.spec.set_point * (ALL / 1000) - ratio;
        self.sum += error - core::mem::replace(&mut self.errors[self.oldest], error);
        self.oldest = (self.oldest + 1) % self.errors.len();
        let change = error - core::mem::replace(&mut self.before, error);
        let moved = self.spec.proportional * error
            + self.spec.integral * self.sum
            + self.spec.derivative * change;
        self.fraction = (self.fraction + moved / 1000).clamp(LEAST, ALL);
        true
    }
}

#[derive(Clone, Copy)]
struct Tenant {
    /// What has come together for its next job, which is accepted from [`ALL`] on.
    credit: i64,
    /// Whether an accepted job with a deadline is under way.
    open: bool,
}

/// The scheduler.
pub(crate) struct FcEdf {
    edf: Pooled<Edf>,
    controller: Controller,
    tenants: Vec<Tenant>,
    /// How many jobs are open.
    open: usize,
    sampling: bool,
}

impl FcEdf {
    /// With the controller's parameters.
    #[must_use]
    pub(crate) fn new(spec: FcEdfSpec) -> FcEdf {
        FcEdf {
            edf: Pooled::new(Edf::new(Late::Abort)),
            controller: Controller::new(spec),
            tenants: Vec::new(),
            open: 0,
            sampling: false,
        }
    }

    /// A job with this deadline is about to begin: accepts or refuses it.
    fn decide(&mut self, child: ChildVp, deadline: Instant, context: &mut Context<'_>) {
        if deadline == Instant::MAX {
            return;
        }
        let tenant = &mut self.tenants[child.index()];
        tenant.credit += self.controller.fraction;
        if tenant.credit < ALL {
            return self.edf.policy.refuse_next();
        }
        tenant.credit -= ALL;
        tenant.open = true;
        self.open += 1;
        if !core::mem::replace(&mut self.sampling, true) {
            self.arm(context);
        }
    }

    fn arm(&self, context: &mut Context<'_>) {
        let end = context.now().saturating_add(self.controller.spec.window);
        context.set_timer(SAMPLE, Some(end));
    }

    /// The job of `child` ends, if one is open. Whether it was.
    fn close(&mut self, child: ChildVp) -> bool {
        let open = core::mem::take(&mut self.tenants[child.index()].open);
        self.open -= usize::from(open);
        open
    }

    fn done(&mut self, child: ChildVp) {
        if self.close(child) {
            self.controller.met = self.controller.met.saturating_add(1);
        }
    }
}

impl Scheduler for FcEdf {
    fn timers(&self, owns: usize) -> usize {
        self.edf.timers(owns) + 1
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.edf.init(context);
    }

    fn register(&mut self, child: ChildVp, context: &mut Context<'_>) -> Answer {
        // Spread by the golden section, so that jobs released together are not refused together.
        let spread = i64::from(child.0) * 618_034 % ALL;
        let unknown = Tenant { credit: spread, open: false };
        slots::put(&mut self.tenants, child, unknown);
        self.edf.register(child, context)
    }

    fn unregister(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.close(child);
        self.edf.unregister(child, context);
    }

    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        if let Some(deadline) = self.edf.policy.due_on_waking(child, context.now()) {
            self.decide(child, deadline, context);
        }
        self.edf.request(child, context);
    }

    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        self.done(child);
        self.edf.release(child, held, context);
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        context: &mut Context<'_>,
    ) -> Answer {
        if let (Some(child), Message::Job { deadline, .. }) = (child, message) {
            if context.child(child) == VpState::Waiting {
                // The job that was told before, if any, never began.
                self.close(child);
            } else {
                self.done(child);
            }
            self.decide(child, deadline, context);
        }
        self.edf.message(child, message, context)
    }

    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.edf.grant(own, context);
    }

    fn revoke(&mut self, own: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        self.edf.revoke(own, child, context);
    }

    fn timer(&mut self, timer: TimerId, context: &mut Context<'_>) {
        match timer {
            SAMPLE => {
                let ended = self.controller.sample();
                self.sampling = ended || self.open > 0;
                if self.sampling {
                    self.arm(context);
                }
            }
            EXPIRY => {
                if let Some(child) = self.edf.policy.expire(&mut self.edf.pool, context)
                    && self.close(child)
                {
                    self.controller.missed = self.controller.missed.saturating_add(1);
                }
            }
            _ => self.edf.timer(timer, context),
        }
    }

    fn next(&self, own: OwnVp, view: &View<'_>) -> Option<ChildVp> {
        self.edf.next(own, view)
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        let open = view.children().filter(|child| self.tenants[child.index()].open);
        if open.count() != self.open {
            return Err("the number of open jobs is wrong");
        }
        if self.open > 0 && !self.sampling {
            return Err("jobs are open and nobody samples");
        }
        self.edf.check(view)
    }
}
