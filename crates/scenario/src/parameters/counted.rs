//! Requirements at a parent, as the checker counts them: keys of the file as parameters, without the messages that a
//! run sends.

use super::{Needed, ParamError, ParameterWriter};
use crate::model::Requirements;
use windfall_guarantees::ChildParams;
use windfall_schedulers::parameters::Rate;
use windfall_time::{Instant, Ratio};

impl ParameterWriter<'_> {
    /// The parameters of a child of that scheduler, from `since` on if that is known; its own program works at `rate`.
    /// If the scheduler does not take a key, which is a mistake of the file, only the rate counts.
    pub(crate) fn counted(
        &self,
        requires: &Requirements,
        parent: Option<&str>,
        rate: Option<Rate>,
        since: Option<Instant>,
    ) -> ChildParams {
        let mut requested = self.params(requires, parent).unwrap_or_default();
        let rate = rate.map(|rate| (rate.work, rate.period, rate.deadline));
        requested.rate = rate.or(requested.rate);
        requested.since(since)
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
        self.all_taken(requires, parent)?;
        let mut params = ChildParams::default();
        match needed {
            Some(Needed::Reserve { amount, period }) => params.reserve = Some((amount, period)),
            Some(Needed::Block { amount, period, at }) => {
                (params.reserve, params.at) = (Some((amount, period)), at);
            }
            Some(Needed::Weight(weight)) => params.weight = Ratio::whole(u64::from(weight)),
            None => {}
        }
        if !matches!(needed, Some(Needed::Weight(_))) {
            params.weight = Ratio::whole(u64::from(self.share(1, parent)?));
        }
        for (parameter, value) in requires.parameters().filter(|(one, _)| one.counts()) {
            if let Some(value) = self.adapted(parameter, value, parent)? {
                parameter.count(&mut params, value);
            }
        }
        params.bound = parent.is_some_and(|parent| self.processors().is_bound(requires, parent));
        Ok(params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;
    use crate::build::parent_of;
    use crate::parameters::rate;
    use windfall_hierarchy::Message;
    use windfall_schedulers::parameters::{
        CURRENCY, PRIORITY, ParameterValue, RATE, WARP, read_block, read_currency, read_processors,
        read_warp,
    };
    use windfall_time::Span;

    fn ms(millis: u32) -> Span {
        Span::from_millis(millis)
    }

    /// The parameters that result from messages at a scheduler with so many own virtual processors: the slow definition.
    fn sent(messages: &[(&str, Message)], owns: usize, since: Option<Instant>) -> ChildParams {
        let mut all = ChildParams::default().since(since);
        for (_, message) in messages {
            match *message {
                Message::Reserve { amount, period } => all.reserve = Some((amount, period)),
                Message::Share(weight) => all.weight = Ratio::whole(u64::from(weight)),
                Message::Priority(priority) => all.priority = Some(priority),
                Message::Periodic { period, deadline, amount } => {
                    all.rate = Some((amount, period, deadline));
                }
                message => {
                    if let Some((amount, period, at)) = read_block(message) {
                        (all.reserve, all.at) = (Some((amount, period)), Some(at));
                    }
                    all.warp = read_warp(message).unwrap_or(all.warp);
                    if let Some(own_vps) = read_processors(message) {
                        all.bound = own_vps.iter().count() < owns;
                    }
                    let currency = read_currency(message);
                    all.currency = currency.map_or(all.currency, |n| u32::try_from(n).ok());
                }
            }
        }
        all
    }

    /// The checker counts exactly the parameters that a run sends to the schedulers.
    #[test]
    fn limit_what_is_counted_is_what_is_sent_in_every_shipped_scenario() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut seen = [0; 2];
        for path in files.filter(|path| path.extension().is_some_and(|ending| ending == "toml")) {
            let scenario = Scenario::load(&path).unwrap();
            let writer = ParameterWriter::of(&scenario);
            for scheduler in &scenario.schedulers {
                for own in &scheduler.owns {
                    let parent = own.parent.name();
                    let messages = writer.messages(&own.requires, parent).unwrap_or_default();
                    let counted = writer.counted(&own.requires, parent, None, None);
                    assert_eq!(
                        counted,
                        sent(&messages, 1, None),
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
                    writer.messages(&thread.requires, Some(parent)).unwrap_or_default();
                messages.extend(rate.map(|rate| ("rate", rate.message())));
                let since = Some(thread.start);
                let counted = writer.counted(&thread.requires, Some(parent), rate, since);
                let owns = scenario.scheduler_named(parent).map_or(0, |found| found.owns.len());
                assert_eq!(
                    counted,
                    sent(&messages, owns, since),
                    "{}: {}",
                    path.display(),
                    thread.name
                );
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
        let writer = ParameterWriter::of(&scenario);
        let rate = Rate::new(None, ms(10)).deadline(ms(9));
        let none = Requirements::default;
        let each = [
            none(),
            Requirements::share(7),
            Requirements::guarantee("PS 1/3".parse().unwrap()),
            Requirements::guarantee("RESBH 1ms 10ms".parse().unwrap()),
            Requirements::reserve(ms(2), ms(10)),
            none().with(&WARP, ParameterValue::Span(ms(5))),
            Requirements::priority(-3),
            none().with(&CURRENCY, ParameterValue::Integer(2)),
            none().with(&RATE, ParameterValue::Rate(rate)),
            Requirements::share(u32::MAX).with(&PRIORITY, ParameterValue::Integer(1)),
        ];
        for parent in [None, Some("ps"), Some("rez")] {
            for requires in &each {
                let messages = writer.messages(requires, parent).unwrap_or_default();
                let counted = writer.counted(requires, parent, None, None);
                assert_eq!(counted, sent(&messages, 1, None), "{parent:?}: {requires:?}");
            }
        }
    }
}
