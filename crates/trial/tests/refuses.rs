//! Kinds that are not what they say, or break the protocol, are found out.

use windfall_hierarchy::{
    Answer, AnswerError, ChildVp, Context, Message, OwnVp, Scheduler, TimerId, VpState,
};
use windfall_schedulers::catalogue::{Form, Kind, Properties, Setting, Settings};
use windfall_schedulers::kinds;
use windfall_schedulers::parameters::{PROCESSORS, SHARE};
use windfall_trial::{kind, protocol};

/// Says nothing to its parent, so that nobody below it ever runs, or asks twice.
#[derive(Clone)]
struct Wrong {
    asks_twice: bool,
}

impl Scheduler for Wrong {
    fn timers(&self, _: usize) -> usize {
        0
    }

    fn init(&mut self, _: &mut Context<'_>) {}

    fn register(&mut self, _: ChildVp, _: &mut Context<'_>) -> Answer {
        Ok(())
    }

    fn unregister(&mut self, _: ChildVp, _: &mut Context<'_>) {}

    fn request(&mut self, _: ChildVp, context: &mut Context<'_>) {
        if self.asks_twice && context.own(OwnVp(0)) == VpState::Waiting {
            context.request(OwnVp(0));
            context.request(OwnVp(0));
        }
    }

    fn release(&mut self, _: ChildVp, _: Option<OwnVp>, _: &mut Context<'_>) {}

    fn message(&mut self, _: Option<ChildVp>, message: Message, _: &mut Context<'_>) -> Answer {
        Err(AnswerError::NotUnderstood { message: message.name(), takes: "nothing" })
    }

    fn grant(&mut self, _: OwnVp, _: &mut Context<'_>) {}

    fn revoke(&mut self, _: OwnVp, _: ChildVp, _: &mut Context<'_>) {}

    fn timer(&mut self, _: TimerId, _: &mut Context<'_>) {}
}

/// Takes shares, jobs, and a constraint of its own words; names what it is given to name.
#[derive(Clone)]
struct Says(&'static str);

impl Scheduler for Says {
    fn timers(&self, _: usize) -> usize {
        0
    }

    fn init(&mut self, _: &mut Context<'_>) {}

    fn register(&mut self, _: ChildVp, _: &mut Context<'_>) -> Answer {
        Ok(())
    }

    fn unregister(&mut self, _: ChildVp, _: &mut Context<'_>) {}

    fn request(&mut self, _: ChildVp, _: &mut Context<'_>) {}

    fn release(&mut self, _: ChildVp, _: Option<OwnVp>, _: &mut Context<'_>) {}

    fn message(&mut self, child: Option<ChildVp>, message: Message, _: &mut Context<'_>) -> Answer {
        match (child, message.name()) {
            (Some(_), "share" | "job" | "constraint") => Ok(()),
            (_, message) => Err(AnswerError::NotUnderstood { message, takes: self.0 }),
        }
    }

    fn grant(&mut self, _: OwnVp, _: &mut Context<'_>) {}

    fn revoke(&mut self, _: OwnVp, _: ChildVp, _: &mut Context<'_>) {}

    fn timer(&mut self, _: TimerId, _: &mut Context<'_>) {}
}

static SILENT: Kind =
    Kind::new("silent", "serves nobody", |_| Ok(Box::new(Wrong { asks_twice: false })));

static TWICE: Kind = Kind::new("twice", "asks twice", |_| Ok(Box::new(Wrong { asks_twice: true })))
    .with_properties(Properties::NONE.holds_back());

static BOASTS: Kind = Kind::new("boasts", "takes no share, and says that it does", |_| {
    kinds::ROUND_ROBIN.build(&Settings::default())
})
.with_parameters(&[&SHARE]);

static UNDECIDED: Kind = Kind::new("undecided", "has a default that is not allowed", |_| {
    kinds::ROUND_ROBIN.build(&Settings::default())
})
.with_settings(&[Setting { name: "most", form: Form::Integer(1, 9), default: "10", help: "" }]);

#[test]
#[should_panic(expected = "a ready thread is forgotten")]
fn refuses_one_that_forgets_who_asks() {
    protocol::holds(&SILENT);
}

#[test]
#[should_panic(expected = "twice: Test failed")]
fn refuses_one_that_is_quarantined() {
    protocol::holds(&TWICE);
}

#[test]
#[should_panic(expected = "boasts: share")]
fn refuses_one_that_does_not_take_what_it_says() {
    kind::takes_what_it_says(&BOASTS);
}

#[test]
#[should_panic(expected = "takes-more: share is taken: job, constraint (as a share)")]
fn refuses_one_that_takes_what_it_does_not_name() {
    static MORE: Kind = Kind::new("takes-more", "takes a share, and does not say so", |_| {
        Ok(Box::new(Says("job, constraint (as a share)")))
    });
    kind::names_what_it_takes(&MORE);
}

#[test]
#[should_panic(expected = "takes-less: warp is not taken: share, job, constraint and warp")]
fn refuses_one_that_names_what_it_does_not_take() {
    static LESS: Kind = Kind::new("takes-less", "takes no warp, and says that it does", |_| {
        Ok(Box::new(Says("share, job, constraint and warp")))
    });
    kind::names_what_it_takes(&LESS);
}

#[test]
#[should_panic(expected = "undecided most")]
fn refuses_a_default_that_is_not_allowed() {
    kind::settings_are_as_declared(&UNDECIDED);
}

#[test]
fn accepts_one_that_is_what_it_says() {
    static GOOD: Kind = Kind::new("good", "each ready child in turn", |_| {
        kinds::ROUND_ROBIN.build(&Settings::default())
    })
    .with_parameters(&[&PROCESSORS]);
    windfall_trial::all(&GOOD);
    for rule in windfall_hierarchy::Rule::ALL {
        use windfall_trial::quarantine::{Moment, Place, refuses};
        refuses(&GOOD, rule, Moment::Event, Place::Middle);
    }
}
