//! The checker of HLS 5.1.2: from the root down, a chain of conversions for every request.
//!
//! At each virtual processor there is a small set of guarantees that hold at once (its *options*), each
//! with the link that proves it. A scheduler's own virtual processors stand for what their contracts
//! say: what was asked and granted, or else all that is offered. Each of these is rewritten to the types
//! that the scheduler can make use of; the scheduler says what its children are given; what is asked
//! is granted when it follows from one of the options.
//!
//! Invariants: a granted request has a chain from `ALL` to it, each link of which is a rule or a
//! scheduler's own conversion; the verdict on one virtual processor depends on what is above it and
//! beside it, never on what is below (HLS 5.1.1, local knowledge).
//! Read next: `remedy.rs`, which says what would help.

mod why;

pub use why::Why;

use crate::allowance::Allowance;
use crate::conversion::{ChildParams, Conversion, Given, Supply};
use crate::guarantee::{Guarantee, Type};
use crate::rewrite::{RewriteError, Rule, Step, form, rewrite};
use crate::ways::{Choice, Held, ways};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use windfall_time::{Instant, Ratio, Span};

/// A hierarchy, as far as guarantees are concerned.
#[non_exhaustive]
pub struct Tree {
    /// The schedulers, each after those above it.
    pub nodes: Vec<Node>,
    /// The virtual processors between them, and those of threads.
    pub vps: Vec<Vp>,
    /// How much weight a share of a whole processor is.
    pub scale: Ratio,
}

impl Tree {
    /// A hierarchy in which nobody is yet.
    #[must_use]
    pub const fn new(scale: Ratio) -> Tree {
        Tree { nodes: Vec::new(), vps: Vec::new(), scale }
    }
}

/// An instance of a scheduler.
#[non_exhaustive]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: &'static str,
    /// The guarantees that it turns others into.
    pub conversion: Box<dyn Conversion>,
    /// Its own virtual processors, by number; at least one.
    pub own: Vec<usize>,
    /// Its children's virtual processors, in the order in which they were created.
    pub children: Vec<usize>,
}

impl Node {
    /// An instance without children.
    #[must_use]
    pub fn new(
        name: String,
        kind: &'static str,
        conversion: Box<dyn Conversion>,
        own: Vec<usize>,
    ) -> Node {
        Node { name, kind, conversion, own, children: Vec::new() }
    }
}

/// A virtual processor: one parent, one child.
#[non_exhaustive]
pub struct Vp {
    /// The name of its owner, a thread or a scheduler.
    pub name: String,
    /// The scheduler that gives; `None` is the top, or nobody.
    pub parent: Option<usize>,
    /// Whether nobody gives, because a request has taken the parent away.
    pub orphaned: bool,
    /// The scheduler that has it; `None` is a thread.
    pub child: Option<usize>,
    /// The guarantee that its owner requests.
    pub requested: Option<Guarantee>,
    /// Parameters that its owner has sent to the parent.
    pub params: ChildParams,
    /// Whether its owner sends them whatever it requests.
    pub outright: bool,
}

impl Vp {
    /// A virtual processor whose owner requests nothing.
    #[must_use]
    pub fn new(name: String, parent: Option<usize>, child: Option<usize>) -> Vp {
        let params = ChildParams::default();
        Vp { name, parent, child, orphaned: false, requested: None, params, outright: false }
    }
}

/// A proved guarantee: what it is, and from which others it follows.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Link {
    /// The guarantee.
    pub gives: Guarantee,
    /// Why it holds.
    pub by: By,
    /// The links that it follows from, by index.
    pub from: Vec<usize>,
    /// By how much it may be behind, where it is a `PS`.
    pub behind: Allowance,
    /// Since when its periods follow each other, where it is a reservation of which that is known.
    pub since: Option<Instant>,
}

/// Why a link holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// The operating system gives each processor whole (HLS 5.2.2.1).
    System,
    /// A rewrite rule.
    Rule(Rule),
    /// A scheduler: its index, and its rule.
    Scheduler(usize, &'static str),
}

/// The checker's findings about a hierarchy.
pub struct Findings {
    /// All links.
    pub links: Vec<Link>,
    /// About each virtual processor, by index.
    pub vps: Vec<Found>,
    /// For each scheduler: whether all its own virtual processors stem from one processor.
    pub(crate) on_one: Vec<bool>,
}

/// The checker's findings about a virtual processor.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct Found {
    /// All that holds at once, none following from another; indices of links.
    pub options: Vec<usize>,
    /// The link that proves the request.
    pub granted: Option<usize>,
    /// Why the request does not hold.
    pub refused: Option<Why>,
}

impl Found {
    /// Whether something was asked and does not hold.
    #[must_use]
    pub const fn is_refused(&self) -> bool {
        self.refused.is_some()
    }
}

/// Assumed distance of deadlines below a slower processor.
const COARSE: Span = Span::from_millis(10);

/// The link that says that nothing is promised.
const NOTHING: usize = 0;

/// Finds out what follows for every virtual processor.
#[must_use]
pub fn check(tree: &Tree) -> Findings {
    let vps = vec![Found::default(); tree.vps.len()];
    let mut findings = Findings { links: Vec::new(), vps, on_one: tree.on_one() };
    findings.link(Guarantee::Null, By::Rule(Rule::Nothing), Vec::new());
    for (at, vp) in tree.vps.iter().enumerate().filter(|(_, vp)| vp.parent.is_none()) {
        if !vp.orphaned {
            let all = findings.link(Guarantee::All, By::System, Vec::new());
            findings.vps[at].options.push(all);
        }
        findings.answer(at, vp, None);
    }
    for (at, node) in tree.nodes.iter().enumerate() {
        findings.convert(tree, at, node);
    }
    findings
}

impl Findings {
    fn link(&mut self, gives: Guarantee, by: By, from: Vec<usize>) -> usize {
        let behind = match (gives, from.first()) {
            (Guarantee::Share(_), Some(first)) => self.behind(*first),
            _ => Allowance::ZERO,
        };
        self.links.push(Link { gives, by, from, behind, since: None });
        self.links.len() - 1
    }

    /// By how much what holds there may be behind its share.
    #[must_use]
    pub fn behind(&self, link: usize) -> Allowance {
        let Link { gives, behind, .. } = &self.links[link];
        let bound = |gives: &Guarantee| {
            let steps = form(gives, Type::Psbe)?;
            Some(steps.last().map_or(*gives, |step| step.gives))
        };
        match (gives, bound(gives)) {
            (Guarantee::Share(_), _) => *behind,
            (_, Some(Guarantee::BoundedShare(_, error))) => Allowance::fixed(error),
            // A slower processor's granularity is that of deadlines, which nobody bounds.
            (Guarantee::Slower(_), _) => Allowance::lots(COARSE),
            _ => Allowance::ZERO,
        }
    }

    fn steps(&mut self, mut from: usize, steps: Vec<Step>) -> usize {
        for step in steps {
            let since = self.links[from].since.filter(|_| step.rule.keeps_periods());
            from = self.link(step.gives, By::Rule(step.rule), vec![from]);
            self.links[from].since = since;
        }
        from
    }

    /// The links that a scheduler may count on at one of its own virtual processors.
    fn links_at(&self, vp: usize) -> &[usize] {
        match &self.vps[vp].granted {
            Some(link) => core::slice::from_ref(link),
            None if self.vps[vp].options.is_empty() => &[NOTHING],
            None => &self.vps[vp].options,
        }
    }

    /// The guarantees that a scheduler may count on there.
    #[must_use]
    pub fn counted_on(&self, vp: usize) -> Vec<Guarantee> {
        self.held(vp).into_iter().map(|(has, _)| has).collect()
    }

    /// The same, and since when their periods follow each other.
    pub(crate) fn held(&self, vp: usize) -> Vec<Held> {
        let links = self.links_at(vp).iter().map(|link| &self.links[*link]);
        links.map(|link| (link.gives, link.since)).collect()
    }

    fn convert(&mut self, tree: &Tree, at: usize, node: &Node) {
        let has: Vec<Vec<Held>> = node.own.iter().map(|own| self.held(*own)).collect();
        let params: Vec<_> = node.children.iter().map(|vp| tree.vps[*vp].params).collect();
        let mut lacks = vec![None; node.children.len()];
        let ways = ways(node.conversion.takes(), &has);
        for way in &ways {
            let supply = self.supply(node, way);
            let links = supply.iter().map(|link| &self.links[*link]);
            let (gives, since): (Vec<_>, Vec<_>) =
                links.map(|link| (link.gives, link.since)).unzip();
            let (on_one, declared) = (self.on_one[at], tree.is_declared(node));
            let own = Supply { guarantees: &gives, since: &since, on_one, declared };
            let offers = node.conversion.give(own, &params);
            let behind: Vec<Allowance> = supply.iter().map(|link| self.behind(*link)).collect();
            let behind = node.conversion.behind(own, &behind, &params);
            for (number, (offer, vp)) in offers.into_iter().zip(&node.children).enumerate() {
                let behind = behind.as_ref().and_then(|all| all.get(number).copied());
                for given in offer.gives {
                    let by = By::Scheduler(at, given.by);
                    self.offer(*vp, given, by, (&supply, behind));
                }
                let lack = &mut lacks[number];
                *lack = lack.take().or(offer.lacks);
            }
        }
        let unusable = ways.is_empty().then(|| {
            let has = has.iter().flatten().map(|(has, _)| *has).collect();
            Why::Unusable(node.conversion.takes(), has)
        });
        for (vp, lack) in node.children.iter().zip(lacks) {
            let lack = unusable.clone().or(lack.map(Why::Lacks));
            self.answer(*vp, &tree.vps[*vp], lack);
        }
    }

    /// The links of a way to supply a scheduler, one for each own virtual processor.
    fn supply(&mut self, node: &Node, way: &[Choice]) -> Vec<usize> {
        let mut supply = Vec::with_capacity(way.len());
        for ((option, steps), own) in way.iter().zip(&node.own) {
            let link = self.links_at(*own)[*option];
            supply.push(self.steps(link, steps.clone()));
        }
        supply
    }

    /// A scheduler gives this: an option, unless it follows from another; those that follow from it
    /// are none any longer.
    fn offer(
        &mut self,
        vp: usize,
        Given { guarantee: gives, since, .. }: Given,
        by: By,
        (from, behind): (&[usize], Option<Allowance>),
    ) {
        if gives == Guarantee::Null {
            return;
        }
        let follows = |link: &usize, links: &[Link]| rewrite(&links[*link].gives, &gives).is_ok();
        if self.vps[vp].options.iter().any(|link| follows(link, &self.links)) {
            return;
        }
        let mut options = core::mem::take(&mut self.vps[vp].options);
        options.retain(|link| rewrite(&gives, &self.links[*link].gives).is_err());
        let link = self.link(gives, by, from.to_vec());
        self.links[link].behind = behind.unwrap_or(Allowance::ZERO);
        self.links[link].since = since;
        options.push(link);
        self.vps[vp].options = options;
    }

    /// Decides on the request: the shortest chain that proves it, or why there is none.
    fn answer(&mut self, at: usize, vp: &Vp, lack: Option<Why>) {
        let Some(requested) = vp.requested else { return };
        let mut best: Option<(usize, Vec<Step>)> = None;
        let mut closest: Option<(Guarantee, RewriteError)> = None;
        for link in &self.vps[at].options {
            let gives = self.links[*link].gives;
            match rewrite(&gives, &requested) {
                Ok(steps) if best.as_ref().is_none_or(|(_, best)| steps.len() < best.len()) => {
                    best = Some((*link, steps));
                }
                Ok(_) => {}
                Err(why) => {
                    let numbers = matches!(why, RewriteError::TooMuch { .. });
                    if closest.is_none() || numbers {
                        closest = Some((gives, why));
                    }
                }
            }
        }
        if best.is_none() && requested == Guarantee::Null {
            best = Some((NOTHING, Vec::new()));
        }
        match best {
            Some((link, steps)) => self.vps[at].granted = Some(self.steps(link, steps)),
            None => {
                let nothing = || format!("it gives nothing to `{}`", vp.name);
                let weaker = closest.map(|(gives, why)| Why::Weaker(gives, why));
                let why = lack.or(weaker).unwrap_or_else(|| Why::Lacks(nothing()));
                self.vps[at].refused = Some(why);
            }
        }
    }

    /// The links that lead to `link`, each after those that it follows from, itself last; without
    /// those that promise nothing.
    #[must_use]
    pub fn chain(&self, link: usize) -> Vec<usize> {
        let mut chain: Vec<usize> = Vec::new();
        let mut stack = vec![(link, false)];
        while let Some((link, expanded)) = stack.pop() {
            if expanded {
                chain.push(link);
            } else if !chain.contains(&link) && !stack.contains(&(link, true)) {
                stack.push((link, true));
                let from = self.links[link].from.iter().rev();
                let of_use = from.filter(|from| self.links[**from].gives != Guarantee::Null);
                stack.extend(of_use.map(|from| (*from, false)));
            }
        }
        chain
    }
}
