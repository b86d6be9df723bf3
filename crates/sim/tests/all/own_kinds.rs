//! The law of all trees, of kinds that are not the catalogue's.

use std::collections::VecDeque;
use windfall_guarantees::Type;
use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Message, OwnVp, Scheduler, TimerId, VpState,
};
use windfall_scenario::{Catalogue, Scenario};
use windfall_schedulers::catalogue::{CatalogueError, Kind, Settings};
use windfall_schedulers::kinds;
use windfall_schedulers::parameters::{RESERVE, SHARE};
use windfall_sim::law::Law;
use windfall_time::{Instant, Span};

static MINE: Kind = Kind::new("mine", "shares in proportion to weights", |_| {
    kinds::PROPORTIONAL_SHARE.build(&Settings::default())
})
.with_parameters(&[&SHARE])
.with_conversion(|_| kinds::PROPORTIONAL_SHARE.conversion(&Settings::default()));

/// Gives turns that are longer than the error that it promises.
static BOASTS: Kind = Kind::new("boasts", "long turns, and a small error", |_| {
    kinds::WEIGHTED_ROUND_ROBIN.build(&Settings::default())
})
.with_parameters(&[&SHARE])
.with_conversion(|_| kinds::PROPORTIONAL_SHARE.conversion(&Settings::default()));

/// Gives slower processors, whose time counts by the deadlines that their owners report.
static SLOWS: Kind =
    Kind::new("slows", "slower processors", |_| kinds::PSHED.build(&Settings::default()))
        .with_parameters(&[&RESERVE])
        .with_conversion(|_| kinds::PSHED.conversion(&Settings::default()));

/// Turns of 10 ms for each weight, or of 10 ms whatever the weight is: a scheduler of somebody who knows the public interface only.
#[derive(Clone, Default)]
struct Turns<const WEIGHS: bool> {
    line: VecDeque<ChildVp>,
    weights: Vec<u32>,
    /// By child, what is left of its turn.
    left: Vec<Span>,
    /// When the running child began.
    since: Instant,
}

const OWN: OwnVp = OwnVp(0);
const END: TimerId = TimerId(0);

impl<const WEIGHS: bool> Turns<WEIGHS> {
    fn queue(&mut self, child: ChildVp) {
        let weight = if WEIGHS { self.weights[child.index()] } else { 1 };
        self.left[child.index()] = Span::from_millis(10).saturating_mul(weight.into());
        self.line.push_back(child);
    }

    fn serve(&mut self, context: &mut Context<'_>) {
        let Some(child) = self.line.pop_front() else {
            context.set_timer(END, None);
            return context.release(OWN);
        };
        context.grant(child, OWN);
        self.since = context.now();
        context.set_timer(END, Some(self.since.saturating_add(self.left[child.index()])));
    }
}

impl<const WEIGHS: bool> Scheduler for Turns<WEIGHS> {
    fn timers(&self, _: usize) -> usize {
        1
    }
    fn init(&mut self, _: &mut Context<'_>) {}
    fn register(&mut self, child: ChildVp, _: &mut Context<'_>) -> Answer {
        self.weights.resize(self.weights.len().max(child.index() + 1), 1);
        self.weights[child.index()] = 1;
        self.left.resize(self.weights.len(), Span::ZERO);
        self.line.reserve(self.weights.len());
        Ok(())
    }
    fn unregister(&mut self, _: ChildVp, _: &mut Context<'_>) {}
    fn message(&mut self, child: Option<ChildVp>, message: Message, _: &mut Context<'_>) -> Answer {
        match (child, message) {
            (Some(child), Message::Share(weight)) => self.weights[child.index()] = weight.max(1),
            _ => {
                return Err(AnswerError::NotUnderstood { message: message.name(), takes: "share" });
            }
        }
        Ok(())
    }
    fn request(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.queue(child);
        if context.own(OWN) == VpState::Waiting {
            context.request(OWN);
        }
    }
    fn release(&mut self, child: ChildVp, held: Option<OwnVp>, context: &mut Context<'_>) {
        if held.is_some() {
            return self.serve(context);
        }
        self.line.retain(|other| *other != child);
        if self.line.is_empty() && context.own(OWN) == VpState::Ready {
            context.release(OWN);
        }
    }
    fn grant(&mut self, _: OwnVp, context: &mut Context<'_>) {
        self.serve(context);
    }
    fn revoke(&mut self, _: OwnVp, child: ChildVp, context: &mut Context<'_>) {
        context.revoke(child);
        context.set_timer(END, None);
        let left = &mut self.left[child.index()];
        *left = left.saturating_sub(context.now().saturating_since(self.since));
        if left.is_zero() {
            self.queue(child);
        } else {
            self.line.push_front(child);
        }
    }
    fn timer(&mut self, _: TimerId, context: &mut Context<'_>) {
        let Some(child) = context.held_by(OWN) else { return };
        context.revoke(child);
        self.queue(child);
        self.serve(context);
    }
}

/// The kinds with and without weights, with the same promise.
const fn turns<const WEIGHS: bool>(name: &'static str) -> Kind {
    Kind::new(name, "turns as long as weights", |_| Ok(Box::new(Turns::<WEIGHS>::default())))
        .with_parameters(&[&SHARE])
        .with_conversion(|_| kinds::WEIGHTED_ROUND_ROBIN.conversion(&Settings::default()))
}
static WEIGHS: Kind = turns::<true>("weighs");
static IGNORES: Kind = turns::<false>("ignores-weights");

#[test]
fn refuses_by_default_a_kind_of_ones_own_that_ignores_weights() {
    let law = Law::default().with(&IGNORES).unwrap();
    let unlawful = law.judge().expect_err("weights are drawn, and turns do not keep to them");
    assert!(unlawful.why.contains("was promised"), "{unlawful}");
    let scheduler = &unlawful.scenario.schedulers.iter().find(|one| one.kind == "ignores-weights");
    assert!(scheduler.is_some(), "{unlawful}");
    let weighed =
        unlawful.scenario.threads.iter().any(|thread| thread.requires.get(&SHARE).is_some());
    assert!(weighed, "{unlawful}");
}

#[test]
fn accepts_a_kind_of_ones_own_that_keeps_to_weights() {
    let law = Law::default().with(&WEIGHS).unwrap().only(&["weighs", "rez"]);
    let tested = law.trees(100).judge().unwrap_or_else(|broken| panic!("{broken}"));
    assert!(tested.types[&Type::Psbe] > 20, "{tested:?}");
}

#[test]
fn accepts_a_kind_of_ones_own_whose_children_report_deadlines_in_time() {
    let law = Law::default().with(&SLOWS).unwrap().only(&["slows", "edf"]);
    let tested = law.trees(100).judge().unwrap_or_else(|broken| panic!("{broken}"));
    assert!(tested.types[&Type::Resu] > 20, "{tested:?}");
    // As the catalogue's: who overruns reports too late, and then nothing is judged.
    assert!(
        tested.programs["light"] > 20 && !tested.programs.contains_key("periodic"),
        "{tested:?}"
    );
}

#[test]
fn accepts_a_kind_that_keeps_what_it_promises() {
    let law = Law::default().with(&MINE).unwrap().only(&["mine", "rez", "fixed-priority"]);
    let tested = law.clone().trees(100).judge().unwrap_or_else(|broken| panic!("{broken}"));
    assert!(tested.types[&Type::Psbe] > 20, "{tested:?}");
    assert_eq!(law.trees(100).judge().unwrap(), tested, "the same seed draws the same trees");
}

#[test]
fn refuses_a_kind_that_promises_too_much_with_the_smallest_tree() {
    let law = Law::default().with(&BOASTS).unwrap().only(&["boasts"]);
    let unlawful = law.trees(100).judge().unwrap_err();
    assert!(unlawful.why.contains("was promised"), "{unlawful}");
    assert!(unlawful.scenario.schedulers.len() <= 4, "{unlawful}");
    let mut catalogue = Catalogue::default();
    catalogue.register(&BOASTS).unwrap();
    let text = unlawful.scenario.write();
    let again = Scenario::parse_in(&catalogue, "unlawful.toml", &text).unwrap();
    assert_eq!(again, unlawful.scenario);
}

#[test]
fn refuses_a_kind_whose_name_is_taken() {
    static REZ: Kind = Kind::new("rez", "another", |_| kinds::REZ.build(&Settings::default()));
    assert_eq!(Law::default().with(&REZ).unwrap_err(), CatalogueError::Taken("rez"));
}

#[test]
#[should_panic(expected = "no kind is called nobody")]
fn refuses_to_draw_of_no_kind() {
    let _ = Law::default().only(&["nobody"]).judge();
}
