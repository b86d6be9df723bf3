//! Why a promise holds or fails: as data for programs, as text for people.

use crate::promises::Promises;
use serde::Serialize;
use std::fmt;
use windfall_guarantees::check::{By, Why};
use windfall_guarantees::{Guarantee, Remedy};

/// The findings about one virtual processor, in words and numbers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// Its owner; a scheduler's own virtual processor has its number after a `/` if the scheduler has several.
    pub name: String,
    /// The giver; `top` is the operating system.
    pub parent: String,
    /// The request.
    #[serde(rename = "asked")]
    pub requested: Option<String>,
    /// The checker's answer.
    pub verdict: Verdict,
    /// The guarantees that hold there at the same time, each with the steps that prove it.
    pub has: Vec<Vec<Reason>>,
    /// The steps that prove the request.
    pub chain: Vec<Reason>,
    /// Changes that would help, if it was refused.
    pub refusal: Option<Remedies>,
}

/// The checker's answer to a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict {
    /// It follows from what there is.
    Granted,
    /// It does not.
    Refused,
    /// Nothing was requested.
    NotAsked,
}

/// A step of a proof.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Reason {
    /// The guarantee that holds.
    pub guarantee: String,
    /// The rule that proves it.
    pub by: String,
    /// The scheduler that gives it, if any.
    pub scheduler: Option<String>,
}

/// Why a request is refused, and what would help.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Remedies {
    /// Why.
    pub why: String,
    /// With the requested period (or error), the largest amount (or share).
    pub largest: Option<String>,
    /// With the requested amount (or share), the shortest period (or the least error).
    pub shortest: Option<String>,
    /// Children without which it would be granted: name and request.
    pub in_the_way: Vec<(String, Option<String>)>,
    /// The least change above, from the parent upwards.
    pub above: Vec<ChangeAbove>,
}

/// A guarantee above that would have to be larger.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct ChangeAbove {
    /// The owner of the guarantee.
    pub name: String,
    /// The guarantee it has.
    pub now: String,
    /// The guarantee it would need.
    pub needs: String,
    /// The scheduler that would have to give it.
    pub parent: String,
    /// Whether that scheduler could give it at present.
    pub possible: bool,
}

impl Promises {
    /// The findings about a virtual processor, and the reasons.
    #[must_use]
    pub fn explain(&self, vp: usize) -> Explanation {
        let (requires, found) = (&self.tree.vps[vp], &self.findings.vps[vp]);
        let verdict = match (requires.requested, found.is_refused()) {
            (_, true) => Verdict::Refused,
            (Some(_), false) => Verdict::Granted,
            (None, false) => Verdict::NotAsked,
        };
        Explanation {
            name: requires.name.clone(),
            parent: self.parent(vp).to_owned(),
            requested: requires.requested.map(|requested| requested.to_string()),
            verdict,
            has: found.options.iter().map(|link| self.reasons(*link)).collect(),
            chain: found.granted.map(|link| self.reasons(link)).unwrap_or_default(),
            refusal: found.refused.as_ref().map(|why| self.remedies(why, &self.refusal(vp))),
        }
    }

    /// The virtual processors of that name: a thread's or a scheduler's.
    #[must_use]
    pub fn named(&self, name: &str) -> Vec<usize> {
        let meant = |vp: &&usize| {
            let vp = &self.tree.vps[**vp];
            vp.name == name || vp.child.is_some_and(|node| self.tree.nodes[node].name == name)
        };
        (0..self.tree.vps.len()).collect::<Vec<_>>().iter().filter(meant).copied().collect()
    }

    fn parent(&self, vp: usize) -> &str {
        self.tree.vps[vp].parent.map_or("top", |parent| &self.tree.nodes[parent].name)
    }

    fn reasons(&self, link: usize) -> Vec<Reason> {
        let reason = |link: usize| {
            let link = &self.findings.links[link];
            let (by, scheduler) = match link.by {
                By::System => ("the operating system gives a processor", None),
                By::Rule(rule) => (rule.name(), None),
                By::Scheduler(node, by) => (by, Some(self.tree.nodes[node].name.clone())),
            };
            Reason { guarantee: link.gives.to_string(), by: by.to_owned(), scheduler }
        };
        self.findings.chain(link).into_iter().map(reason).collect()
    }

    fn remedies(&self, why: &Why, refusal: &Remedy) -> Remedies {
        let text = |guarantee: Option<Guarantee>| guarantee.map(|g| g.to_string());
        let named = |vp: &usize| {
            let vp = &self.tree.vps[*vp];
            let reserved = vp.params.reserve.map(|(x, y)| format!("{x} in {y}"));
            (vp.name.clone(), text(vp.requested).or(reserved))
        };
        Remedies {
            why: why.to_string(),
            largest: text(refusal.largest),
            shortest: text(refusal.shortest),
            in_the_way: refusal.in_the_way.iter().map(named).collect(),
            above: refusal
                .above
                .iter()
                .map(|change| ChangeAbove {
                    name: self.tree.vps[change.vp].name.clone(),
                    now: change.now.to_string(),
                    needs: change.needs.to_string(),
                    parent: self.parent(change.vp).to_owned(),
                    possible: change.possible,
                })
                .collect(),
        }
    }

    /// Why a request was refused, in a line.
    #[must_use]
    pub fn why(&self, vp: usize) -> Option<String> {
        self.findings.vps[vp].refused.as_ref().map(ToString::to_string)
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Explanation { name, parent, .. } = self;
        let asked = self.requested.as_deref().unwrap_or("nothing");
        match self.verdict {
            Verdict::Granted => writeln!(f, "{name}: {asked}, granted by {parent}")?,
            Verdict::Refused => writeln!(f, "{name}: {asked}, refused by {parent}")?,
            Verdict::NotAsked => writeln!(f, "{name}: asks for nothing of {parent}")?,
        }
        proof(f, &self.chain)?;
        if let Some(remedies) = &self.refusal {
            write!(f, "{remedies}")?;
        }
        // In full only on demand: `{:#}`.
        if self.chain.is_empty() && f.alternate() {
            for has in &self.has {
                let last = has.last().map_or("NULL", |reason| &reason.guarantee);
                writeln!(f, "  it has {last}:")?;
                proof(f, has)?;
            }
        }
        Ok(())
    }
}

/// The steps below each other, with the guarantee on the left.
fn proof(f: &mut fmt::Formatter<'_>, reasons: &[Reason]) -> fmt::Result {
    let width = reasons.iter().map(|reason| reason.guarantee.len()).max().unwrap_or(0);
    for Reason { guarantee, by, scheduler } in reasons {
        match scheduler {
            Some(scheduler) => writeln!(f, "    {guarantee:width$}  {scheduler}: {by}")?,
            None => writeln!(f, "    {guarantee:width$}  {by}")?,
        }
    }
    Ok(())
}

impl fmt::Display for Remedies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  why: {}", self.why)?;
        let fits: Vec<&str> =
            [&self.largest, &self.shortest].into_iter().filter_map(|fit| fit.as_deref()).collect();
        if !fits.is_empty() {
            writeln!(f, "  fits here: {}", fits.join(", or "))?;
        }
        let named = |(name, asked): &(String, Option<String>)| match asked {
            Some(asked) => format!("{name} ({asked})"),
            None => name.clone(),
        };
        let others: Vec<String> = self.in_the_way.iter().map(named).collect();
        if !others.is_empty() {
            writeln!(f, "  fits as asked without: {}", others.join(", "))?;
        }
        for ChangeAbove { name, now, needs, parent, possible } in &self.above {
            let can = if *possible { "can give that" } else { "cannot give that as things are" };
            writeln!(f, "  fits if {name} had {needs} (now {now}); {parent} {can}")?;
        }
        Ok(())
    }
}
