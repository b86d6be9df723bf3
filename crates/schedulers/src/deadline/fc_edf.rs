//! FC-EDF: earliest deadline first below a feedback controller that keeps the miss ratio low.
//!
//! Takes    any guarantee; ALL on each of its processors to be of use.
//! Gives    NULL to each child: jobs are refused and aborted to limit misses.
//! Admits   every child; of jobs with a deadline only a fraction, which the controller adjusts.
//! Assumes  as EDF; and that the host aborts a job that is noted as expired.
//! Costs    as EDF; O(1) more per job, and per sample; 107 bytes per child; one timer more.
//! Ties     as EDF. The refused jobs of a child are spread as evenly as the fraction allows.
//! Source   Lu, Stankovic, Tao, Son 1999, with their gains; HLS 2.3.1.5. Differences: the one actuator is the
//!          fraction of jobs accepted. There are no service levels (imprecise versions), and no estimates of
//!          work, so the requested utilisation is never known.
//! Checked  laws, `tests/all/fc_edf.rs`.
//!
//! In each window the controller samples the miss ratio of accepted jobs: those aborted over all that ended. The error e
//! is the set point minus that ratio. The fraction changes by p e + i (sum of e over the last windows) + d (e - e before),
//! and stays between 1 % and all: at zero, nothing could be measured any longer. Windows in which no job ended do not
//! count. Jobs that are unfinished at their deadline are aborted, whatever they have received (no domino effect).

// It stands around the scheduler of `edf`, decides on jobs, and hands events on. As a policy it would have to hand on the
// order of children as well, since the pool asks its policy for that.

use crate::catalogue::{Kind, Properties};
use crate::deadline::edf::{EXPIRY, Late, State as Edf};
use crate::parameters::RATE;
use crate::parts::policy::Pooled;
use crate::parts::slots;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use windfall_hierarchy::{
    Answer, ChildVp, Context, Message, OwnVp, Scheduler, TimerId, View, VpState,
};
use windfall_time::{Instant, Span};

/// Fires at the end of a window.
const SAMPLE: TimerId = TimerId(2);
/// The fraction that stands for all jobs; errors have the same unit.
const ALL: i64 = 1_000_000;
const LEAST: i64 = ALL / 100;

settings! { FcEdf, "fc_edf.rs":
    /// gain of the change of the error, in thousandths
    derivative: i64 = "100" in 0..=10_000,
    /// gain of the sum of the errors, in thousandths
    integral: i64 = "5" in 0..=10_000,
    /// number of windows over which errors are summed
    integral_windows: u16 = "100" in 1..=10_000,
    /// gain of the error, in thousandths
    proportional: i64 = "500" in 0..=10_000,
    /// the desired miss ratio of accepted jobs, in thousandths
    set_point: i64 = "20" in 0..=1000,
    /// how often the miss ratio is sampled
    window: Span = "500ms",
}

pub(crate) const KIND: Kind = FcEdf::kind(
    "fc-edf",
    "earliest deadline first; feedback accepts as many jobs as can be done in time",
    |settings| Ok(Box::new(State::new(FcEdf::read(settings)))),
)
.with_parameters(&[&RATE])
.with_properties(Properties::NONE.holds_back());

/// The feedback loop. All amounts are millionths, far from the ends of 64 bits.
#[derive(Clone)]
struct Controller {
    spec: FcEdf,
    /// Errors of the last windows; `oldest` is overwritten next.
    errors: Vec<i64>,
    oldest: usize,
    sum: i64,
    before: i64,
    /// The fraction of jobs that is accepted.
    fraction: i64,
    /// Accepted jobs that were finished in this window, and those that were aborted.
    met: u32,
    missed: u32,
}

impl Controller {
    fn new(spec: FcEdf) -> Controller {
        let errors = vec![0; usize::from(spec.integral_windows).max(1)];
        Controller { spec, errors, oldest: 0, sum: 0, before: 0, fraction: ALL, met: 0, missed: 0 }
    }

    /// Ends a window. Returns whether a job ended in it.
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
    /// The fraction accumulated for its next job, which is accepted from [`ALL`] on.
    credit: i64,
    /// Whether it has an accepted job with a deadline that has not ended.
    open: bool,
}

/// An EDF scheduler, and the controller by which jobs are accepted for it or refused.
#[derive(Clone)]
pub(crate) struct State {
    edf: Pooled<Edf>,
    controller: Controller,
    tenants: Vec<Tenant>,
    /// Number of open jobs.
    open: usize,
    sampling: bool,
}

impl State {
    /// Creates an instance with these controller parameters.
    #[must_use]
    pub(crate) fn new(spec: FcEdf) -> State {
        State {
            edf: Pooled::new(Edf::new(Late::Abort)),
            controller: Controller::new(spec),
            tenants: Vec::new(),
            open: 0,
            sampling: false,
        }
    }

    /// Accepts or refuses the job with this deadline that is about to begin.
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

    /// Ends the open job of `child`. Returns whether there was one.
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

impl Scheduler for State {
    fn timers(&self, owns: usize) -> usize {
        self.edf.timers(owns) + 1
    }

    fn init(&mut self, context: &mut Context<'_>) {
        self.edf.init(context);
    }

    fn register(&mut self, child: ChildVp, context: &mut Context<'_>) -> Answer {
        // Slots are spread by the golden section, so that jobs released together are not all refused.
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
                // A job that was announced before, if any, never began.
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
