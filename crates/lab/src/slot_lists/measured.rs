//! Measurements of a structure: an admission in all, in parts, and a query.

use super::load::{Begin, Tasks};
use super::{host_now, taken};
use std::hint::black_box;
use windfall_admission::{
    BPlusTree, GuessList, HashList, HashPointerList, ImprovedList, Key, List, Step, Structure,
};
use windfall_time::{Instant, Span};

/// A structure that can be built at once, and says when a part of an admission is over.
pub(super) trait Measured: Structure {
    fn restored(now: Instant, slots: &[(Key, Span)]) -> Self;
    fn offer_in_parts(&mut self, work: Span, key: Key, passed: impl FnMut(Step)) -> bool;
}

macro_rules! lists {
    ($($list:ty),+ $(,)?) => {$(
        impl Measured for $list {
            fn restored(now: Instant, slots: &[(Key, Span)]) -> Self {
                <$list>::restore(now, slots)
            }

            fn offer_in_parts(&mut self, work: Span, key: Key, passed: impl FnMut(Step)) -> bool {
                self.offer_in_steps(work, key, passed).is_ok()
            }
        }
    )+};
}

lists!(List, HashList, GuessList, ImprovedList, HashPointerList);

/// Its admissions have no parts: all is counted as the last.
impl Measured for BPlusTree {
    fn restored(now: Instant, slots: &[(Key, Span)]) -> Self {
        let mut tree = BPlusTree::new(now);
        for (key, work) in slots {
            let _ = tree.offer(*work, *key);
        }
        tree
    }

    fn offer_in_parts(&mut self, work: Span, key: Key, mut passed: impl FnMut(Step)) -> bool {
        let admitted = self.offer(work, key).is_ok();
        passed(if admitted { Step::Update } else { Step::Idle });
        admitted
    }
}

/// Nanoseconds a task that was offered, by part.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Parts {
    pub(crate) find: f64,
    pub(crate) idle: f64,
    /// Insert and update.
    pub(crate) insert: f64,
    /// Collection, once for many.
    pub(crate) collect: f64,
    /// A task that was admitted: find its place and insert it, without update (table 1).
    pub(crate) insertion: f64,
    /// How many of the tasks were admitted, 0 to 1.
    pub(crate) admitted: f64,
}

impl Parts {
    /// Each part of its own.
    pub(super) fn taken(rounds: &[Parts]) -> Parts {
        let of = |part: fn(&Parts) -> f64| taken(&rounds.iter().map(part).collect::<Vec<_>>());
        Parts {
            find: of(|parts| parts.find),
            idle: of(|parts| parts.idle),
            insert: of(|parts| parts.insert),
            collect: of(|parts| parts.collect),
            insertion: of(|parts| parts.insertion),
            admitted: of(|parts| parts.admitted),
        }
    }

    /// The second line of figure 1.
    pub(crate) fn sum(&self) -> f64 {
        self.find + self.idle + self.insert
    }
}

/// Exact and inexact queries: how many said yes, 0 to 1, and nanoseconds each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inexact {
    pub(crate) exact: f64,
    pub(crate) inexact: f64,
    pub(crate) exact_ns: f64,
    pub(crate) inexact_ns: f64,
}

/// A structure under load.
pub(super) struct Run<S> {
    list: S,
    tasks: Tasks,
    most: usize,
    /// The work of a tenth of the slots.
    step: Span,
    next: u32,
}

/// The same, whatever the structure is.
pub(crate) trait Runs {
    /// Nanoseconds a task, collection included.
    fn total(&mut self, tasks: usize) -> f64;
    /// By part; a reading of the clock takes so many nanoseconds, which are taken out.
    fn parts(&mut self, tasks: usize, clock: f64) -> Parts;
    fn inexact(&mut self, queries: usize) -> Inexact;
}

/// Nanoseconds that a reading of the clock takes at least.
pub(super) fn clock_cost() -> f64 {
    let mut last = host_now();
    (0..10_000).map(|_| nanos_since(&mut last)).fold(f64::INFINITY, f64::min)
}

/// Since then; and then is now.
#[expect(clippy::cast_precision_loss, reason = "shown, not compared")]
fn nanos_since(last: &mut Instant) -> f64 {
    let now = host_now();
    let ns = now.saturating_since(*last).as_nanos() as f64;
    *last = now;
    ns
}

impl<S: Measured> Run<S> {
    pub(super) fn new(begin: &Begin) -> Run<S> {
        let list = S::restored(begin.now, &begin.slots);
        let work = begin.slots.iter().fold(Span::ZERO, |sum, slot| sum.saturating_add(slot.1));
        let step = Span::from_nanos(work.as_nanos() / 10);
        // Above the numbers of all slots that are there, which a list does not compare.
        Run { list, tasks: begin.tasks.clone(), most: begin.most, step, next: 1 << 31 }
    }

    fn offer(&mut self, passed: impl FnMut(Step)) -> bool {
        let (work, deadline) = self.tasks.draw(self.list.now());
        self.next = self.next.wrapping_add(1);
        self.list.offer_in_parts(work, Key { deadline, number: self.next }, passed)
    }

    fn collect(&mut self) {
        self.list.advance(self.list.now() + self.step);
    }
}

#[expect(clippy::cast_precision_loss, reason = "tasks and queries are few")]
impl<S: Measured> Runs for Run<S> {
    fn total(&mut self, tasks: usize) -> f64 {
        let mut begun = host_now();
        for _ in 0..tasks {
            black_box(self.offer(|_| ()));
            if self.list.len() >= self.most {
                self.collect();
            }
        }
        nanos_since(&mut begun) / tasks as f64
    }

    fn parts(&mut self, tasks: usize, clock: f64) -> Parts {
        let (mut parts, mut admitted) = (Parts::default(), 0.0);
        for _ in 0..tasks {
            let [mut find, mut idle, mut insert, mut update] = [0.0; 4];
            let mut last = host_now();
            let taken = self.offer(|step| {
                let ns = nanos_since(&mut last) - clock;
                match step {
                    Step::Find => find = ns,
                    Step::Idle => idle = ns,
                    Step::Insert => insert = ns,
                    Step::Update => update = ns,
                }
            });
            parts.find += find;
            parts.idle += idle;
            parts.insert += insert + update;
            if taken {
                admitted += 1.0;
                parts.insertion += find + insert;
            }
            if self.list.len() >= self.most {
                let mut last = host_now();
                self.collect();
                parts.collect += nanos_since(&mut last) - clock;
            }
        }
        let each = tasks as f64;
        Parts {
            find: parts.find / each,
            idle: parts.idle / each,
            insert: parts.insert / each,
            collect: parts.collect / each,
            insertion: parts.insertion / admitted,
            admitted: admitted / each,
        }
    }

    fn inexact(&mut self, queries: usize) -> Inexact {
        let now = self.list.now();
        let asked: Vec<_> = (0..queries).map(|_| self.tasks.draw(now)).collect();
        let (mut exact_ns, mut inexact_ns, mut yes) = (Vec::new(), Vec::new(), [0_usize; 2]);
        for _ in 0..super::ROUNDS {
            let mut last = host_now();
            let fits = |(work, at): &&(Span, Instant)| self.list.room(*at) >= *work;
            yes[0] = asked.iter().filter(fits).count();
            exact_ns.push(nanos_since(&mut last) / queries as f64);
            let fits = |(work, at): &&(Span, Instant)| self.list.room_at_least(*at) >= *work;
            yes[1] = asked.iter().filter(fits).count();
            inexact_ns.push(nanos_since(&mut last) / queries as f64);
        }
        let [exact, inexact] = yes.map(|yes| yes as f64 / queries as f64);
        Inexact { exact, inexact, exact_ns: taken(&exact_ns), inexact_ns: taken(&inexact_ns) }
    }
}
