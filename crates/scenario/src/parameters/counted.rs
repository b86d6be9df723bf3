//! What is asked of a parent, as the checker counts it: keys of the file as parameters, without the messages by which a
//! run asks.

use super::{Needed, ParamError, ParameterWriter};
use crate::model::{Rate, Requirements};
use windfall_guarantees::ChildParams;
use windfall_time::{Instant, Ratio};

impl ParameterWriter<'_> {
    /// What a child of that scheduler asks for, from `since` on where that is known; its own program works at `rate`.
    /// Where something cannot be asked, which is a mistake of the file, nothing counts but the rate.
    pub(crate) fn counted(
        &self,
        requires: &Requirements,
        parent: Option<&str>,
        rate: Option<Rate>,
        since: Option<Instant>,
    ) -> ChildParams {
        let mut asked = self.params(requires, parent).unwrap_or_default();
        let rate = rate.map(|rate| (rate.work, rate.period, rate.deadline));
        asked.rate = rate.or(asked.rate);
        asked.since(since)
    }

    fn params(
        &self,
        requires: &Requirements,
        parent: Option<&str>,
    ) -> Result<ChildParams, ParamError> {
        let needed = match requires.guarantee {
            Some(guarantee) => self.guaranteed(guarantee, parent, requires)?,
            None => None,
        };
        if parent.is_none() {
            // The top takes no parameters.
            return Ok(ChildParams::default());
        }
        let mut params = ChildParams::default();
        match needed {
            Some(Needed::Reserve { amount, period }) => params.reserve = Some((amount, period)),
            Some(Needed::Block { amount, period, at }) => {
                (params.reserve, params.at) = (Some((amount, period)), at);
            }
            Some(Needed::Weight(weight)) => params.weight = Ratio::whole(u64::from(weight)),
            None => {}
        }
        if let Some(reserve) = requires.reserve {
            params.reserve = Some((reserve.amount, reserve.period));
        }
        let weighed = matches!(needed, Some(Needed::Weight(_)));
        if let Some(share) = requires.share.or((!weighed).then_some(1)) {
            params.weight = Ratio::whole(u64::from(self.share(share, parent)?));
        }
        if let Some(warp) = requires.warp {
            params.warp = self.warp(warp, parent)?;
        }
        params.priority = requires.priority;
        params.currency = requires.currency;
        params.rate = requires.rate.map(|rate| (rate.work, rate.period, rate.deadline));
        Ok(params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;
    use crate::build::parent_of;
    use crate::model::Reserve;
    use crate::parameters::rate;
    use windfall_hierarchy::{Message, Value};
    use windfall_schedulers::parameters::CURRENCY;
    use windfall_time::Span;

    fn ms(millis: u32) -> Span {
        Span::from_millis(millis)
    }

    /// What messages come to: the slow definition.
    fn told(messages: &[(&str, Message)], since: Option<Instant>) -> ChildParams {
        let mut terms = ChildParams::default().since(since);
        for (_, message) in messages {
            match *message {
                Message::Reserve { amount, period } => terms.reserve = Some((amount, period)),
                Message::Block { amount, period, at } => {
                    (terms.reserve, terms.at) = (Some((amount, period)), at);
                }
                Message::Share(weight) => terms.weight = Ratio::whole(u64::from(weight)),
                Message::Warp(warp) => terms.warp = warp,
                Message::Priority(priority) => terms.priority = Some(priority),
                Message::Periodic { period, deadline, amount } => {
                    terms.rate = Some((amount, period, deadline));
                }
                Message::Set(key, Value::Integer(currency)) if key == CURRENCY.key => {
                    terms.currency = u32::try_from(currency).ok();
                }
                _ => {}
            }
        }
        terms
    }

    /// Whatever the checker counts is what a run says to the schedulers.
    #[test]
    fn limit_what_is_counted_is_what_is_told_in_every_shipped_scenario() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut seen = [0; 2];
        for path in files.filter(|path| path.extension().is_some_and(|ending| ending == "toml")) {
            let scenario = Scenario::load(&path).unwrap();
            let asking = ParameterWriter::of(&scenario);
            for scheduler in &scenario.schedulers {
                for own in &scheduler.owns {
                    let parent = own.parent.name();
                    let messages = asking.messages(&own.requires, parent).unwrap_or_default();
                    let counted = asking.counted(&own.requires, parent, None, None);
                    assert_eq!(
                        counted,
                        told(&messages, None),
                        "{}: {}",
                        path.display(),
                        scheduler.name
                    );
                    seen[0] += 1;
                }
            }
            for thread in &scenario.threads {
                let Some(parent) = parent_of(&scenario, thread) else { continue };
                let rate = rate(&scenario, &thread.run, &thread.requires, parent);
                let mut messages =
                    asking.messages(&thread.requires, Some(parent)).unwrap_or_default();
                messages.extend(rate.map(|rate| ("periodic", rate.message())));
                let since = Some(thread.start);
                let counted = asking.counted(&thread.requires, Some(parent), rate, since);
                assert_eq!(counted, told(&messages, since), "{}: {}", path.display(), thread.name);
                seen[1] += 1;
            }
        }
        assert!(seen[0] > 50 && seen[1] > 50, "{seen:?}");
    }

    #[test]
    fn limit_each_key_counts_as_it_is_told() {
        let text = "schema = 2\nlength = \"1s\"\n[schedulers.ps]\nscheduler = \"proportional-share\"\n\
                    parent = \"top\"\n[schedulers.rez]\nscheduler = \"rez\"\nparent = \"ps\"\n\
                    guarantee = \"PS 1/3\"\n";
        let scenario = Scenario::parse("e.toml", text).unwrap();
        let asking = ParameterWriter::of(&scenario);
        let requires = |change: fn(&mut Requirements)| {
            let mut requires = Requirements::default();
            change(&mut requires);
            requires
        };
        let each = [
            requires(|_| {}),
            requires(|r| r.share = Some(7)),
            requires(|r| r.guarantee = Some("PS 1/3".parse().unwrap())),
            requires(|r| r.guarantee = Some("RESBH 1ms 10ms".parse().unwrap())),
            requires(|r| r.reserve = Some(Reserve { amount: ms(2), period: ms(10) })),
            requires(|r| r.warp = Some(ms(5))),
            requires(|r| r.priority = Some(-3)),
            requires(|r| r.currency = Some(2)),
            requires(|r| r.rate = Some(Rate { work: None, period: ms(10), deadline: ms(9) })),
            requires(|r| (r.share, r.priority) = (Some(u32::MAX), Some(1))),
        ];
        for parent in [None, Some("ps"), Some("rez")] {
            for requires in &each {
                let messages = asking.messages(requires, parent).unwrap_or_default();
                let counted = asking.counted(requires, parent, None, None);
                assert_eq!(counted, told(&messages, None), "{parent:?}: {requires:?}");
            }
        }
    }
}
