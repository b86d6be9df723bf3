//! Admission by its definition, slowly; and what the law has judged.

use windfall_admission::{AdmitError, HORIZON};
use windfall_time::{Instant, Span};

/// Deadline, number of arrival, work left.
type Slot = (u64, u32, u64);

/// Accepted tasks in the order in which they are worked on.
#[derive(Clone)]
pub(crate) struct Model {
    pub(crate) now: u64,
    slots: Vec<Slot>,
    most: u32,
    next: u32,
}

impl Model {
    pub(crate) fn new(now: u64, most: u32) -> Model {
        Model { now, slots: Vec::new(), most, next: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn has(&self, number: u32) -> bool {
        self.slots.iter().any(|slot| slot.1 == number)
    }

    /// The number of some slot.
    pub(crate) fn number(&self, place: usize) -> Option<u32> {
        self.slots.get(place % self.slots.len().max(1)).map(|slot| slot.1)
    }

    pub(crate) fn head(&self) -> (u32, u64) {
        (self.slots[0].1, self.slots[0].2)
    }

    /// Whether everything is done in time if the slots are worked on in their order.
    fn in_time(&self, slots: &[Slot]) -> bool {
        let mut ends = slots.iter().scan(u128::from(self.now), |end, (deadline, _, work)| {
            *end += u128::from(*work);
            Some(*end <= u128::from(*deadline))
        });
        ends.all(|in_time| in_time)
    }

    fn with(&self, work: u64, deadline: u64) -> Vec<Slot> {
        let mut slots = self.slots.clone();
        let place = slots.iter().filter(|slot| slot.0 <= deadline).count();
        slots.insert(place, (deadline, self.next, work));
        slots
    }

    fn fits(&self, work: u64, deadline: u64) -> bool {
        work == 0 || deadline > self.now && self.in_time(&self.with(work, deadline))
    }

    /// The most work that fits, found by halving: less work always fits if more does.
    pub(crate) fn idle_before(&self, deadline: u64) -> u64 {
        let (mut fits, mut too_much) = (0, deadline.saturating_sub(self.now) + 1);
        while too_much - fits > 1 {
            let middle = fits + (too_much - fits) / 2;
            *(if self.fits(middle, deadline) { &mut fits } else { &mut too_much }) = middle;
        }
        fits
    }

    pub(crate) fn earliest_deadline(&self, work: u64) -> Result<Option<u64>, AdmitError> {
        self.check(work)?;
        Ok(self.earliest(work))
    }

    /// The earliest deadline that fits, found by halving: a later one always fits if an earlier one does.
    fn earliest(&self, work: u64) -> Option<u64> {
        let horizon = HORIZON.as_nanos();
        let (mut too_early, mut fits) = (self.now, horizon + 1);
        while fits - too_early > 1 {
            let middle = too_early + (fits - too_early) / 2;
            *(if self.fits(work, middle) { &mut fits } else { &mut too_early }) = middle;
        }
        (fits <= horizon).then_some(fits)
    }

    fn check(&self, work: u64) -> Result<(), AdmitError> {
        let most = HORIZON.as_nanos() - self.now;
        match work {
            0 => Err(AdmitError::NoWork),
            work if work > most => {
                let (work, most) = (Span::from_nanos(work), Span::from_nanos(most));
                Err(AdmitError::TooMuchWork { work, most })
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn admit(&mut self, work: u64, deadline: u64) -> Result<u32, AdmitError> {
        self.check(work)?;
        let (at, now) = (Instant::from_nanos(deadline), Instant::from_nanos(self.now));
        let earliest = || self.earliest(work).map(Instant::from_nanos);
        if at <= now {
            return Err(AdmitError::DeadlinePassed { deadline: at, now, earliest: earliest() });
        }
        if at > HORIZON {
            return Err(AdmitError::BeyondHorizon { deadline: at });
        }
        if self.slots.len() >= self.most as usize {
            return Err(AdmitError::Full { slots: self.most });
        }
        if !self.fits(work, deadline) {
            let idle = Span::from_nanos(self.idle_before(deadline));
            let work = Span::from_nanos(work);
            return Err(AdmitError::NoRoom { work, deadline: at, idle, earliest: earliest() });
        }
        self.slots = self.with(work, deadline);
        self.next += 1;
        Ok(self.next - 1)
    }

    pub(crate) fn withdraw(&mut self, number: u32) -> u64 {
        let place = self.slots.iter().position(|slot| slot.1 == number).expect("it is there");
        self.slots.remove(place).2
    }

    pub(crate) fn done(&mut self, used: u64) -> u64 {
        self.now += used;
        self.slots.remove(0).2 - used
    }

    pub(crate) fn advance(&mut self, to: u64) -> usize {
        let before = self.slots.len();
        while self.now < to {
            match self.slots.first_mut() {
                None => self.now = to,
                Some(head) => {
                    let used = head.2.min(to - self.now);
                    head.2 -= used;
                    self.now += used;
                    if head.2 == 0 {
                        self.slots.remove(0);
                    }
                }
            }
        }
        before - self.slots.len()
    }

    /// Deadlines at which answers change, and this one, in order; at most some forty.
    pub(crate) fn interesting(&self, deadline: u64) -> Vec<u64> {
        let step = self.slots.len() / 12 + 1;
        let near = |at: u64| [at.saturating_sub(1), at, at + 1];
        let mut found: Vec<_> =
            self.slots.iter().step_by(step).flat_map(|slot| near(slot.0)).collect();
        found.extend(near(deadline));
        found.sort_unstable();
        found
    }
}

/// How many of each kind were judged.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    pub(crate) admits: [u64; 2],
    pub(crate) what_if: [u64; 2],
    pub(crate) done: [u64; 2],
    pub(crate) withdrawn: u64,
    pub(crate) not_head: u64,
    pub(crate) stale: u64,
    pub(crate) collected: usize,
}

impl Tally {
    /// Each kind must have been judged often.
    pub(crate) fn check(&self) {
        let rare = [self.what_if[0], self.what_if[1], self.done[0], self.done[1], self.not_head];
        assert!(self.admits.iter().all(|judged| *judged > 2_000), "{self:?}");
        assert!(rare.iter().all(|judged| *judged > 100), "{self:?}");
        assert!(self.withdrawn.min(self.stale) > 500 && self.collected > 500, "{self:?}");
    }
}
