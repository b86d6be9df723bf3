//! A replica as a process.

use super::Voting;
use super::caught::caught;
use super::figures::Figures;
use super::manager::Manager;
use super::shared::Shared;
use super::voting::{Part, State};
use crate::accuser::Accuser;
use crate::injected::{Injected, Plan};
use crate::participant::{Found, Vote};
use crate::redundant::{Ending, FaultKind, Remedy, VoteError};
use crate::remedies::Heard;
use crate::rule::Majority;
use crate::{Iteration, ReplicaNumber, Replicas, WORDS};
use std::sync::Arc;
use windfall_programs::{
    Annotation, Code, Event, OwnRequest, Process, ProcessError, ProcessParams,
};
use windfall_time::{Instant, Span};

/// The first replica, which makes the others.
#[derive(Clone)]
pub struct First(pub Voting);

/// Another one, or a life of any that comes back.
#[derive(Clone)]
pub(super) struct Other {
    pub(super) shared: Arc<Shared>,
    pub(super) number: ReplicaNumber,
    pub(super) life: u32,
    /// Those that take part, with this one.
    pub(super) active: Replicas,
}

impl Code for First {
    const NAME: &'static str = "replica";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let settings = &self.0.settings;
        let has_state = (1..=WORDS).contains(&usize::from(self.0.words));
        if settings.check().is_err() || !has_state {
            return Err(ProcessError::NotHere { why: "voters cannot be like that" });
        }
        let active = Replicas::first(settings.replicas);
        let shared = Arc::new(Shared::new(self.0));
        let node = me.node();
        let template = me.make_template::<Other>(node).await?;
        let other = |number| Other { shared: shared.clone(), number, life: 1, active };
        for number in active.without(ReplicaNumber(0)).iter() {
            me.make_process(template, node, ProcessParams::default(), other(number)).await?;
        }
        if shared.voting.is_managed() {
            let template = me.make_template::<Manager>(node).await?;
            let manager = Manager(shared.clone());
            me.make_process(template, node, ProcessParams::default(), manager).await?;
        }
        other(ReplicaNumber(0)).run(me).await
    }
}

impl Code for Other {
    const NAME: &'static str = "replica";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let (settings, who) = (&self.shared.voting.settings, (self.number, self.life));
        let is_joining = self.life > 1 || self.number.0 >= settings.replicas;
        let links = self.shared.takes_links(self.number);
        let rule = (settings, Majority::EXACT);
        let mut replica = Replica {
            part: Part::new(self.number, rule, self.active, is_joining, links),
            accuser: Accuser::default(),
            figures: Figures::default(),
            shared: &self.shared,
            who,
        };
        let events = replica.begins(&mut me).await;
        let how = match events {
            Ok(events) => caught(replica.lives(&mut me, events, is_joining)).await,
            Err(error) => Some(Err(error.into())),
        };
        self.shared.ends(who);
        replica.wakes(&mut me, self.shared.begun().without(self.number)).await;
        if let (Ok(events), Some(Ok(()))) = (events, &how) {
            replica.finishes(&mut me, events).await?;
        }
        replica.figures.annotate(&mut me, &replica.part).await;
        replica.ends(&mut me, how).await
    }
}

/// Why a life ends before it has done all.
enum Stop {
    /// Another counts, or the run is over.
    Replaced,
    NoMajority(Iteration),
    /// The host does not do something.
    Host(ProcessError),
}

impl From<ProcessError> for Stop {
    fn from(error: ProcessError) -> Stop {
        Stop::Host(error)
    }
}

/// The next state of the computation, of so many words; each depends on all before it.
fn step(mut state: State, words: u8, iteration: Iteration) -> State {
    let mut sum = iteration.0;
    for word in &mut state[..usize::from(words)] {
        *word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(sum);
        sum = *word;
    }
    state
}

/// Those that wait look into their rings.
pub(super) async fn posts(me: &mut impl Process, shared: &Shared, all: Replicas) {
    for other in all.iter() {
        if let Some(event) = shared.arrived(other) {
            // It may be posted already, or gone.
            _ = me.post(event, 0).await;
        }
    }
}

/// Until something has arrived, or that time.
pub(super) async fn sleeps(
    me: &mut impl Process,
    [arrived, time]: [Event; 2],
    until: Option<Instant>,
) -> Result<(), ProcessError> {
    if let Some(until) = until {
        me.post_at(time, 0, until).await?;
    }
    me.mwait(&[arrived, time]).await?;
    if until.is_some() {
        me.cancel(time).await?;
    }
    me.reset(time).await?;
    Ok(())
}

/// One life of a replica.
struct Replica<'a> {
    part: Part,
    accuser: Accuser,
    figures: Figures,
    shared: &'a Shared,
    who: (ReplicaNumber, u32),
}

impl Replica<'_> {
    /// Where it is to be, and what it waits for: something that arrives, and a time.
    async fn begins(&self, me: &mut impl Process) -> Result<[Event; 2], ProcessError> {
        let on = &self.shared.voting.on;
        if !on.is_empty() {
            me.request_own(OwnRequest::Move(format!("{on}-{}", self.part.number.0))).await?;
        }
        let events = [me.make_event().await?, me.make_event().await?];
        self.shared.waits_for(self.who, events);
        Ok(events)
    }

    async fn lives(
        &mut self,
        me: &mut impl Process,
        events: [Event; 2],
        is_joining: bool,
    ) -> Result<(), Stop> {
        if is_joining {
            let begun = self.part.next;
            self.waits(me, begun, events).await?;
            let (replica, life) = self.who;
            self.reports(me, Heard::Joined { replica, life }).await;
        }
        let voting = &self.shared.voting;
        let is_last = self.part.number.0 + 1 == voting.settings.replicas;
        let slower = if is_last { voting.slower } else { 0 };
        let work = u128::from(voting.work.as_nanos()) * (100 + u128::from(slower)) / 100;
        let work = u64::try_from(work).map_or(Span::MAX, Span::from_nanos);
        while self.part.next.0 <= voting.iterations {
            let iteration = self.part.next;
            me.annotate(Annotation::Begins(iteration.to_string())).await;
            me.compute(work).await;
            self.takes_mail()?;
            let state = self.part.last.map_or([0; WORDS], |vote| vote.value);
            let fault = self.fault(iteration);
            self.shows(me, fault, events).await?;
            let mut sent = Replicas::NONE;
            let value = step(state, voting.words, iteration);
            self.part.sends(value, fault, |other| sent = sent.with(other));
            self.wakes(me, sent).await;
            let vote = self.waits(me, iteration, events).await?;
            me.annotate(Annotation::Ends).await;
            if vote.iteration > iteration {
                me.annotate(Annotation::Mark(format!(
                    "it was too slow, and goes on after {}",
                    vote.iteration
                )))
                .await;
            }
            self.figures.votes += 1;
            self.figures.missed += vote.iteration.0 - iteration.0;
            self.figures.longest = self.figures.longest.max(self.part.voter.length().into());
            self.shared.votes(self.part.number, vote);
            self.figures.annotate(me, &self.part).await;
        }
        Ok(())
    }

    fn fault(&self, iteration: Iteration) -> Option<Injected> {
        let voting = &self.shared.voting;
        let fault = voting.fault?;
        let replica = ReplicaNumber(voting.settings.replicas - 1);
        let until = Iteration(fault.from.0.saturating_add(fault.iterations.saturating_sub(1)));
        let (from, lives) = (fault.from, fault.lives);
        let plan = Plan { replica, lives, from, until, fault: fault.kind };
        plan.is_due(self.who.0, self.who.1, iteration).then_some(fault.kind)
    }

    /// A fault that is shown before a value is sent; from most it does not come back.
    async fn shows(
        &self,
        me: &mut impl Process,
        fault: Option<Injected>,
        events: [Event; 2],
    ) -> Result<(), Stop> {
        if fault == Some(Injected::Crash) {
            let iteration = self.part.next;
            me.annotate(Annotation::Mark(format!("it panics before {iteration}, as it was told")))
                .await;
            // A panic that says nothing beside.
            std::panic::resume_unwind(Box::new("as it was told"));
        }
        if let Some(Injected::Slow { by }) = fault {
            me.compute(by).await;
        }
        if fault == Some(Injected::Hang) {
            // Only whoever looks after the replicas posts that.
            me.mwait(&events[1..]).await?;
            return Err(Stop::Replaced);
        }
        Ok(())
    }

    fn takes_mail(&mut self) -> Result<(), Stop> {
        for control in self.shared.takes_mail(self.who).ok_or(Stop::Replaced)? {
            control.reaches(&mut self.part);
        }
        Ok(())
    }

    async fn wakes(&self, me: &mut impl Process, all: Replicas) {
        posts(me, self.shared, all).await;
    }

    async fn waits(
        &mut self,
        me: &mut impl Process,
        iteration: Iteration,
        events: [Event; 2],
    ) -> Result<Vote<State>, Stop> {
        let end = me.now().await.saturating_add(self.shared.voting.patience);
        loop {
            self.takes_mail()?;
            let mut vote = self.part.polls(iteration);
            let now = me.now().await;
            let is_over = now >= end || self.part.voter.is_without_vote(iteration);
            if vote.is_none() && is_over {
                vote = self.part.gives_up(iteration);
            }
            self.finds(me).await;
            if let Some(vote) = vote {
                return Ok(vote);
            }
            if is_over {
                return Err(Stop::NoMajority(iteration));
            }
            sleeps(me, events, Some(end)).await?;
        }
    }

    /// Says who was found to be wrong: as marks, and to whoever looks after the replicas.
    async fn finds(&mut self, me: &mut impl Process) {
        let all = self.part.take_found();
        for found in &all {
            me.annotate(Annotation::Mark(found.to_string())).await;
        }
        if !self.shared.voting.is_managed() {
            return;
        }
        let times = (me.now().await, self.shared.voting.patience);
        let (iteration, by) = (self.part.next, self.part.number);
        let mut said = Vec::new();
        self.accuser.accuses((&self.part, &all), iteration, times, |life, found| {
            let Found { replica, kind, iteration } = found;
            said.push(Heard::Accused { by, replica, life, kind, iteration });
        });
        for heard in said {
            self.reports(me, heard).await;
        }
    }

    async fn reports(&self, me: &mut impl Process, heard: Heard) {
        if self.shared.voting.is_managed()
            && let Some(event) = self.shared.reports(heard)
        {
            // It is posted already, or nobody wants to know any longer.
            _ = me.post(event, 0).await;
        }
    }

    /// Looks at what others still send for its last iterations, so that errors in these are found, too.
    async fn finishes(
        &mut self,
        me: &mut impl Process,
        events: [Event; 2],
    ) -> Result<(), ProcessError> {
        let end = me.now().await.saturating_add(self.shared.voting.patience);
        let last = self.part.last.map(|vote| vote.iteration);
        while self.takes_mail().is_ok() {
            let is_over: Vec<bool> =
                self.part.peers.iter().map(|peer| self.is_over(peer)).collect();
            let mut sent = Replicas::NONE;
            self.part.sends_last(|other| sent = sent.with(other));
            self.wakes(me, sent).await;
            // What comes later is announced.
            for _ in 0..=self.shared.voting.settings.ring() {
                self.part.looks();
            }
            let active = self.part.voter.active();
            let mut peers = self.part.peers.iter().zip(is_over);
            let waits = peers.any(|(peer, is_over)| {
                peer.is_before(last) && !is_over && active.has(peer.replica)
            });
            if !waits || me.now().await >= end {
                break;
            }
            sleeps(me, events, Some(end)).await?;
        }
        self.finds(me).await;
        Ok(())
    }

    fn is_over(&self, peer: &crate::participant::Peer) -> bool {
        self.shared.is_over((peer.replica, peer.link.life))
    }

    /// Says how this life has ended. A fault of its own is one of the process only where nobody looks after it.
    async fn ends(
        &self,
        me: &mut impl Process,
        how: Option<Result<(), Stop>>,
    ) -> Result<(), ProcessError> {
        let ending = match how {
            None => Ending::Panicked,
            Some(Ok(())) => Ending::Returned,
            Some(Err(Stop::Replaced)) => Ending::Abandoned,
            Some(Err(Stop::Host(error))) => return Err(error),
            Some(Err(Stop::NoMajority(iteration))) => {
                me.annotate(Annotation::Mark(format!("no majority agrees in {iteration}"))).await;
                if !self.shared.voting.is_managed() {
                    return Err(ProcessError::NotHere { why: "no majority agreed in time" });
                }
                Ending::GaveUp(VoteError::NoMajority { iteration })
            }
        };
        let (replica, life) = self.who;
        self.reports(me, Heard::Ended { replica, life, how: ending }).await;
        Ok(())
    }
}

impl Voting {
    /// Whether something is done about faults.
    fn is_managed(&self) -> bool {
        self.remedy != Remedy::Ignore
    }
}

impl core::fmt::Display for Found {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Found { replica, kind, iteration } = self;
        match kind {
            FaultKind::Lagging => write!(f, "{replica} is {} iterations behind", iteration.0),
            _ => write!(f, "{replica} {kind} in {iteration}"),
        }
    }
}
