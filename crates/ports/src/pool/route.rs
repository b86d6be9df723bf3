//! The way of a submission from processor to processor: to the first that has time for it, or else to the one with the most.
//!
//! Each processor is asked when whoever has its machine analyses the submission, so nobody holds two machines, or waits for one. None counts it but the last, where it is admitted or refused.

use super::driven::Driven;
use crate::{Affinity, Processor, Request};
use std::collections::VecDeque;
use std::sync::Arc;
use windfall_time::Span;

/// Where it goes from here.
#[derive(Debug)]
pub(super) enum Route {
    /// Nowhere: it is answered here.
    Ends,
    /// On, if there is no time for it here.
    GoesOn(Box<Way>),
}

#[derive(Debug)]
pub(super) struct Way {
    /// Its work where it was submitted first; away from there it may take longer.
    work: Span,
    affinity: Option<Affinity>,
    home: Arc<Driven>,
    /// Those that were not asked, and of these the ones that were passed by.
    rest: VecDeque<Arc<Driven>>,
    busy: Vec<Arc<Driven>>,
    /// The most time that one had beyond what the way there takes, and which.
    best: Option<(Span, Arc<Driven>)>,
}

impl Route {
    /// From home to each of the others in turn, if the affinity lets it go.
    pub(super) fn over(
        request: &Request,
        home: Arc<Driven>,
        others: VecDeque<Arc<Driven>>,
        affinity: Option<Affinity>,
    ) -> Route {
        let (work, rest, busy) = (request.work, others, Vec::new());
        Route::GoesOn(Box::new(Way { work, affinity, home, rest, busy, best: None }))
    }

    /// The processor to ask before this one, whose machine is not free, with the work as it is there; `None` if it is to wait here.
    pub(super) fn passes_by(
        &mut self,
        here: &Arc<Driven>,
        request: &mut Request,
    ) -> Option<Arc<Driven>> {
        let Route::GoesOn(way) = self else { return None };
        // Home comes first where that matters.
        let may = way.affinity.is_none() || !Arc::ptr_eq(here, &way.home);
        let next = if may { way.rest.pop_front() } else { None }?;
        way.busy.push(here.clone());
        request.work = way.work_at(&next);
        Some(next)
    }

    /// The processor to go on to, with the work as it is there; `None` if the answer is given here.
    pub(super) fn goes_on(
        &mut self,
        here: &Arc<Driven>,
        processor: &Processor,
        scheduler: usize,
        request: &mut Request,
    ) -> Option<Arc<Driven>> {
        let Route::GoesOn(way) = self else { return None };
        let next = request.deadline.and_then(|deadline| {
            let idle = processor.idle_before(scheduler, deadline).ok()?;
            way.after(here, processor, request, idle)
        });
        request.work = next.as_ref().map_or(request.work, |next| way.work_at(next));
        if next.is_some() && way.best.is_none() {
            *self = Route::Ends;
        }
        next
    }
}

impl Way {
    fn price_at(&self, at: &Arc<Driven>) -> Span {
        let away = self.affinity.filter(|_| !Arc::ptr_eq(at, &self.home));
        away.map_or(Span::ZERO, Affinity::refill)
    }

    fn work_at(&self, at: &Arc<Driven>) -> Span {
        self.work.saturating_add(self.price_at(at))
    }

    /// The processor after one with so much time. When all were asked it is the best, and there is none any more.
    fn after(
        &mut self,
        here: &Arc<Driven>,
        processor: &Processor,
        request: &Request,
        idle: Span,
    ) -> Option<Arc<Driven>> {
        let stays = Arc::ptr_eq(here, &self.home)
            && self.affinity.is_some_and(|affinity| !affinity.lets_go(request, processor));
        if request.work <= idle || stays {
            return None;
        }
        let idle = idle.saturating_sub(self.price_at(here));
        if self.best.as_ref().is_none_or(|(most, _)| idle > *most) {
            self.best = Some((idle, here.clone()));
        }
        let next = self.rest.pop_front().or_else(|| self.busy.pop());
        let best = || self.best.take().map(|(_, best)| best);
        next.or_else(best).filter(|next| !Arc::ptr_eq(next, here))
    }
}
