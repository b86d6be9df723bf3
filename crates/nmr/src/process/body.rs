//! What a replica does as a process.

use super::Voting;
use crate::injected::{Injected, Plan};
use crate::participant::{Found, Link, Participant, Vote, link};
use crate::rule::Majority;
use crate::{Iteration, ReplicaNumber, Replicas};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use windfall_programs::{Code, Event, OwnRequest, Process, ProcessError, ProcessParams, Told};
use windfall_time::{Instant, Span};

type Part = Participant<u64, Majority>;

/// What all replicas of a computation share beside their rings.
struct Shared {
    voting: Voting,
    /// The ends of those that have not begun.
    links: Mutex<Vec<Vec<(ReplicaNumber, Link)>>>,
    /// What each waits for, once it is there.
    events: Mutex<Vec<Option<Event>>>,
    /// Those that send nothing any longer.
    ended: Mutex<Replicas>,
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first replica, which makes the others.
#[derive(Clone)]
pub struct First(pub Voting);

#[derive(Clone)]
struct Other(Arc<Shared>, ReplicaNumber);

impl Code for First {
    const NAME: &'static str = "replica";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let settings = &self.0.settings;
        if settings.check().is_err() {
            return Err(ProcessError::NotHere { why: "voters cannot be like that" });
        }
        let count = settings.replicas;
        let mut links: Vec<Vec<(ReplicaNumber, Link)>> = (0..count).map(|_| Vec::new()).collect();
        for one in 0..count {
            for other in one + 1..count {
                let (here, there) = link(1, 1, settings);
                links[usize::from(one)].push((ReplicaNumber(other), here));
                links[usize::from(other)].push((ReplicaNumber(one), there));
            }
        }
        *open(&self.0.votes) = vec![Vec::new(); usize::from(count)];
        let events = Mutex::new(vec![None; usize::from(count)]);
        let (links, ended) = (Mutex::new(links), Mutex::new(Replicas::NONE));
        let shared = Arc::new(Shared { voting: self.0, links, events, ended });
        let node = me.node();
        let template = me.make_template::<Other>(node).await?;
        for number in (1..count).map(ReplicaNumber) {
            let other = Other(shared.clone(), number);
            me.make_process(template, node, ProcessParams::default(), other).await?;
        }
        votes(me, shared, ReplicaNumber(0)).await
    }
}

impl Code for Other {
    const NAME: &'static str = "replica";

    async fn run(self, me: impl Process) -> Result<(), ProcessError> {
        votes(me, self.0, self.1).await
    }
}

/// The next state of the computation.
const fn step(state: u64, iteration: Iteration) -> u64 {
    state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(iteration.0)
}

async fn votes(
    mut me: impl Process,
    shared: Arc<Shared>,
    number: ReplicaNumber,
) -> Result<(), ProcessError> {
    let voting = &shared.voting;
    let links = std::mem::take(&mut open(&shared.links)[number.index()]);
    let all = Replicas::first(voting.settings.replicas);
    let mut part = Part::new(number, (&voting.settings, Majority::EXACT), all, false, links);
    let mut told = Figures::default();
    let result = match begins(&mut me, &shared, number).await {
        Ok(events) => {
            computes(&mut me, &shared, &mut part, events, &mut told).await.map(|()| events)
        }
        Err(error) => Err(error),
    };
    {
        let mut ended = open(&shared.ended);
        *ended = ended.with(number);
    }
    wakes(&mut me, &shared, all.without(number)).await;
    if let Ok(events) = result {
        finishes(&mut me, &shared, &mut part, events).await?;
        told.finds(&mut me, &mut part).await;
    }
    told.tells(&mut me, &part).await;
    result.map(|_| ())
}

/// Where it is to be, and what it waits for: news, and a time.
async fn begins(
    me: &mut impl Process,
    shared: &Shared,
    number: ReplicaNumber,
) -> Result<[Event; 2], ProcessError> {
    let on = &shared.voting.on;
    if !on.is_empty() {
        me.ask(OwnRequest::Move(format!("{on}-{}", number.0))).await?;
    }
    let events = [me.make_event().await?, me.make_event().await?];
    open(&shared.events)[number.index()] = Some(events[0]);
    Ok(events)
}

async fn computes(
    me: &mut impl Process,
    shared: &Shared,
    part: &mut Part,
    events: [Event; 2],
    told: &mut Figures,
) -> Result<(), ProcessError> {
    let voting = &shared.voting;
    let is_last = part.number.0 + 1 == voting.settings.replicas;
    let slower = if is_last { voting.slower } else { 0 };
    let work = u128::from(voting.work.as_nanos()) * (100 + u128::from(slower)) / 100;
    let work = u64::try_from(work).map_or(Span::MAX, Span::from_nanos);
    while part.next.0 <= voting.iterations {
        let iteration = part.next;
        me.compute(work).await;
        let state = part.last.map_or(0, |vote| vote.value);
        let fault = fault(voting, part.number, iteration);
        match fault {
            Some(Injected::Crash) => {
                me.tell(Told::Mark(format!("it ends before {iteration}, as it was told"))).await;
                return Ok(());
            }
            Some(Injected::Hang) => {
                // Nobody posts that.
                me.mwait(&events[1..]).await?;
            }
            _ => {}
        }
        let mut sent = Replicas::NONE;
        part.sends(step(state, iteration), fault, |other| sent = sent.with(other));
        wakes(me, shared, sent).await;
        let vote = waits(me, part, iteration, voting.patience, events).await?;
        told.finds(me, part).await;
        let Some(vote) = vote else {
            me.tell(Told::Mark(format!("no majority agrees in {iteration}"))).await;
            return Err(ProcessError::NotHere { why: "no majority agreed in time" });
        };
        told.votes += 1;
        told.missed += vote.iteration.0 - iteration.0;
        told.longest = told.longest.max(part.voter.length().into());
        open(&voting.votes)[part.number.index()].push((vote.iteration, vote.value));
    }
    Ok(())
}

fn fault(voting: &Voting, number: ReplicaNumber, iteration: Iteration) -> Option<Injected> {
    let fault = voting.fault?;
    let replica = ReplicaNumber(voting.settings.replicas - 1);
    let until = Iteration(fault.from.0.saturating_add(fault.iterations.saturating_sub(1)));
    let plan = Plan { replica, life: 1, from: fault.from, until, fault: fault.kind };
    plan.is_due(number, 1, iteration).then_some(fault.kind)
}

/// Those that wait look into their rings.
async fn wakes(me: &mut impl Process, shared: &Shared, all: Replicas) {
    for other in all.iter() {
        let event = open(&shared.events)[other.index()];
        if let Some(event) = event {
            // It may be posted already, or gone.
            _ = me.post(event, 0).await;
        }
    }
}

async fn waits(
    me: &mut impl Process,
    part: &mut Part,
    iteration: Iteration,
    patience: Span,
    events: [Event; 2],
) -> Result<Option<Vote<u64>>, ProcessError> {
    let end = me.now().await.saturating_add(patience);
    loop {
        if let Some(vote) = part.polls(iteration) {
            return Ok(Some(vote));
        }
        if me.now().await >= end || part.voter.is_without_vote(iteration) {
            return Ok(part.gives_up(iteration));
        }
        sleeps(me, events, end).await?;
    }
}

/// Until there is something in its rings, or that time.
async fn sleeps(
    me: &mut impl Process,
    [news, time]: [Event; 2],
    until: Instant,
) -> Result<(), ProcessError> {
    me.post_at(time, 0, until).await?;
    me.mwait(&[news, time]).await?;
    me.cancel(time).await?;
    me.reset(time).await?;
    Ok(())
}

/// Looks at what others still send for its last iterations, so that errors in these are found, too.
async fn finishes(
    me: &mut impl Process,
    shared: &Shared,
    part: &mut Part,
    events: [Event; 2],
) -> Result<(), ProcessError> {
    let end = me.now().await.saturating_add(shared.voting.patience);
    let last = part.last.map(|vote| vote.iteration);
    loop {
        let ended = *open(&shared.ended);
        let mut sent = Replicas::NONE;
        part.sends_last(|other| sent = sent.with(other));
        wakes(me, shared, sent).await;
        // What comes later is announced.
        for _ in 0..=shared.voting.settings.ring() {
            part.looks();
        }
        let waits = part.peers.iter().any(|peer| peer.is_before(last) && !ended.has(peer.replica));
        if !waits || me.now().await >= end {
            return Ok(());
        }
        sleeps(me, events, end).await?;
    }
}

/// What it tells of itself and of others.
#[derive(Default)]
struct Figures {
    votes: u64,
    missed: u64,
    longest: u64,
}

impl Figures {
    /// Who was found to be wrong.
    async fn finds(&self, me: &mut impl Process, part: &mut Part) {
        for Found { replica, kind, iteration } in part.take_found() {
            if replica != part.number {
                me.tell(Told::Mark(format!("{replica} {kind}, seen in {iteration}"))).await;
            }
        }
    }

    async fn tells(&self, me: &mut impl Process, part: &Part) {
        let mut sums = [0; 4];
        for replica in (0..ReplicaNumber::MOST).map(ReplicaNumber) {
            let Some(record) = part.voter.record(replica) else { break };
            for (sum, one) in
                sums.iter_mut().zip([record.wrong, record.absent, record.late, record.ahead])
            {
                *sum += one;
            }
        }
        let [wrong, absent, late, ahead] = sums;
        for (name, count) in [
            ("votes", self.votes),
            ("votes-missed", self.missed),
            ("longest-queue", self.longest),
            ("wrong-values", wrong),
            ("absent-values", absent),
            ("late-values", late),
            ("wrong-iterations", ahead),
        ] {
            me.tell(Told::Count(name, count)).await;
        }
    }
}
