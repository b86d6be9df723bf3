//! Reports the ends of quanta as deadlines, so that a proportional share can use a uniformly slower processor (HLS
//! theorem 5.1).
//!
//! While a child is ready or runs, the parent of own VP 0 is given a deadline one quantum after the last one, or
//! after the first child woke. By each of these a slower processor has given its part of the time. Since it knows
//! one deadline at a time, it runs no further ahead than to the next one. So in any window at most its part of
//! three quanta is missing, and what rounding to nanoseconds loses with each deadline.

// It stands around a scheduler and hands on every event, with a report before or after some. As a policy it would have to hand on
// the order of children as well, since the pool asks its policy for that.

use alloc::vec::Vec;
use windfall_guarantees::{
    Allowance, ChildParam, ChildParams, Conversion, Guarantee, Length, Offer, Supply, Type,
};
use windfall_hierarchy::{
    Answer, ChildVp, Context, Count, Message, OwnVp, ParentNotice, Scheduler, TimerId, View,
    VpState,
};
use windfall_time::{Instant, Ratio, Span};

const ONE: OwnVp = OwnVp(0);

/// A scheduler that reports the ends of quanta to its parent.
#[derive(Clone)]
pub(crate) struct QuantumEnds<S> {
    inner: S,
    quantum: Span,
    /// The last deadline reported; `None` while all children wait.
    reported: Option<Instant>,
    /// Number of timers of the inner scheduler, which come first.
    timers: u16,
}

impl<S: Scheduler> QuantumEnds<S> {
    pub(crate) const fn new(inner: S, quantum: Span) -> QuantumEnds<S> {
        QuantumEnds { inner, quantum, reported: None, timers: 0 }
    }

    /// Reports the next deadline if the last one has passed.
    fn look(&mut self, context: &mut Context<'_>) {
        match self.reported {
            None => self.report(context.now(), context),
            // A deadline that would have passed already is late, so the sequence begins anew.
            Some(reported) if reported.saturating_add(self.quantum) <= context.now() => {
                self.report(context.now(), context);
            }
            Some(reported) if reported <= context.now() => self.report(reported, context),
            Some(_) => {}
        }
    }

    fn report(&mut self, from: Instant, context: &mut Context<'_>) {
        let deadline = from.saturating_add(self.quantum);
        self.reported = Some(deadline);
        context.message(ONE, Message::Job { release: context.now(), deadline, work: None });
        context.set_timer(TimerId(self.timers), Some(deadline));
    }

    /// Stops reporting when all children wait.
    fn rest(&mut self, context: &mut Context<'_>) {
        if context.own(ONE) == VpState::Waiting && self.reported.take().is_some() {
            context.set_timer(TimerId(self.timers), None);
        }
    }
}

impl<S: Scheduler + Clone + 'static> Scheduler for QuantumEnds<S> {
    fn timers(&self, owns: usize) -> usize {
        self.inner.timers(owns) + 1
    }

    fn init(&mut self, context: &mut Context<'_>) {
        let timers = self.inner.timers(context.owns());
        self.timers = u16::try_from(timers).expect("timers are numbered by 16 bits");
        self.inner.init(context);
    }

    fn deinit(&mut self) {
        self.inner.deinit();
    }

    fn register(&mut self, child: ChildVp, context: &mut Context<'_>) -> Answer {
        self.inner.register(child, context)
    }

    fn unregister(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.inner.unregister(child, context);
    }

    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.look(context); // before its processor is requested
        self.inner.request(child, context);
    }

    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        self.inner.release(child, held, context);
        self.rest(context);
    }

    fn lets_yield(&self) -> bool {
        self.inner.lets_yield()
    }

    fn message(
        &mut self,
        child: Option<ChildVp>,
        message: Message,
        context: &mut Context<'_>,
    ) -> Answer {
        self.inner.message(child, message, context)?;
        if let (None, Message::Quantum(quantum)) = (child, message) {
            self.quantum = quantum;
        }
        Ok(())
    }

    fn grant(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.inner.grant(own, context);
        self.rest(context);
    }

    fn revoke(&mut self, own: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        self.inner.revoke(own, child, context);
    }

    fn parent_notice(&mut self, own: OwnVp, notice: ParentNotice, context: &mut Context<'_>) {
        self.inner.parent_notice(own, notice, context);
    }

    fn timer(&mut self, timer: TimerId, context: &mut Context<'_>) {
        if timer.0 == self.timers {
            return self.look(context);
        }
        self.inner.timer(timer, context);
        self.rest(context);
    }

    fn next(&self, own: OwnVp, view: &View<'_>) -> Option<ChildVp> {
        self.inner.next(own, view)
    }

    fn stats(
        &self,
        child: Option<ChildVp>,
        at: Instant,
        report: &mut dyn FnMut(&'static str, Count),
    ) {
        self.inner.stats(child, at, report);
    }

    fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        if (view.own(ONE) == VpState::Waiting) != self.reported.is_none() {
            return Err("deadlines are told exactly while somebody does not wait");
        }
        self.inner.check(view)
    }
}

/// The conversion `RESU -> PSBE+`, and from there the inner one.
#[derive(Clone)]
pub(crate) struct Slowed<C> {
    pub(crate) inner: C,
    pub(crate) quantum: Span,
    /// Whether the ends of quanta are reported.
    pub(crate) reports: bool,
    /// The types of guarantees that it takes when it reports, including a slower processor.
    pub(crate) takes: &'static [Type],
}

/// The most nanoseconds lost with each deadline, because budgets are whole nanoseconds.
const WHOLE: i128 = 8;

impl<C> Slowed<C> {
    fn own(&self, own: &[Guarantee]) -> Vec<Guarantee> {
        own.iter().map(|own| self.bounded(own).unwrap_or(*own)).collect()
    }

    fn bounded(&self, own: &Guarantee) -> Option<Guarantee> {
        let Guarantee::Slower(rate) = *own else { return None };
        let lost = Ratio::new(WHOLE, i128::from(self.quantum.as_nanos()))?;
        let share = rate.checked_sub(lost).filter(|share| *share > Ratio::ZERO)?;
        let error = Length::from(self.quantum).checked_mul(rate.checked_mul(Ratio::whole(3))?)?;
        Some(Guarantee::BoundedShare(share, error))
    }
}

impl<C: Conversion> Conversion for Slowed<C> {
    fn takes(&self) -> &'static [Type] {
        if self.reports { self.takes } else { self.inner.takes() }
    }

    fn parameter_for(&self, requested: &Guarantee) -> Result<ChildParam, &'static str> {
        self.inner.parameter_for(requested)
    }

    /// With ticks, deadlines are reported too late.
    fn at_ticks(&mut self, tick: Span) -> bool {
        self.reports = false;
        self.inner.at_ticks(tick)
    }

    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        self.inner.give(own.guarantees(&self.own(own.guarantees)), children)
    }

    fn behind(
        &self,
        own: Supply<'_>,
        behind: &[Allowance],
        children: &[ChildParams],
    ) -> Option<Vec<Allowance>> {
        self.inner.behind(own.guarantees(&self.own(own.guarantees)), behind, children)
    }

    fn serves_reserved_alone(&self) -> bool {
        self.inner.serves_reserved_alone()
    }

    fn makes_up(&self) -> bool {
        self.inner.makes_up()
    }
}
