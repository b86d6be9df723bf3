//! The cost model as a file that a scenario inherits from (decisions 0003 and 0007).

use super::{Cost, Costs, Interruption};
use windfall_time::Span;

impl Costs {
    /// All costs, those of the model first.
    #[must_use]
    pub fn all(&self) -> Vec<&Cost> {
        let model = [&self.switch, &self.event, &self.cache.1];
        model.into_iter().chain(&self.migration).chain(&self.further).collect()
    }

    /// The file; `command` and `date` say how and when it came to be.
    #[must_use]
    pub fn toml(&self, command: &str, date: &str) -> String {
        let mut text = format!(
            "# What a machine costs: inherit from this file, or read it beside a simulation.\n\
             # {date}; {command}, processor {}\n# {}\n",
            self.cpu,
            self.machine.replace(char::is_control, " "),
        );
        if cfg!(debug_assertions) {
            text += "# By a build for debugging: decision and notification are too large.\n";
        }
        text += "#\n# median, 99th percentile, least and largest median of the repetitions, samples, discarded\n";
        for cost in self.all() {
            let Cost { what, median, p99, spread: (least, most), samples, discarded } = cost;
            text +=
                &format!("# {what}: {median}, {p99}, {least}..{most}, {samples}, {discarded}\n");
        }
        let timer = match self.timer {
            Ok(()) => "precise".to_owned(),
            Err(tick) => format!("{}Hz", (1_000_000_000 / tick.as_nanos().max(1)).max(1)),
        };
        let (size, refill) = (self.cache.0, self.cache.1.median);
        let migration = self.migration.as_ref().map(|cost| cost.median);
        let migration = migration.map(|cost| format!("migration = \"{cost}\", "));
        let migration = migration.unwrap_or_default();
        text += &format!(
            "\nschema = 2\n\n[machine]\ntimer = \"{timer}\"\n\
             costs = {{ switch = \"{}\", {migration}decision = \"{}\", notification = \"{}\" }}\n\
             cache = {{ size = \"{size}KB\", refill = \"{refill}\" }}\n",
            self.switch.median, self.decision, self.notification,
        );
        self.interruptions.iter().for_each(|overhead| text += &overhead.toml());
        text
    }
}

impl Interruption {
    /// Interrupts come evenly, each with the mean cost; a processor is lost at random, and for times that
    /// have the mean found. So the time stolen is what was measured.
    fn toml(&self) -> String {
        let Interruption { steal, count, every, cost: (least, mean, most) } = self;
        let head = format!("\n# {count} seen: {least} to {most}, mean {mean}\n[[interrupts]]\n");
        if !steal && mean < every {
            return format!(
                "{head}kind  = \"interrupt\"\nevery = \"{every}\"\ncost  = \"{mean}\"\n"
            );
        }
        let half = Span::from_nanos((every.as_nanos() / 2).max(1));
        let longest = Span::from_nanos(2 * mean.as_nanos() - least.as_nanos().min(mean.as_nanos()));
        let kind = if *steal { "steal" } else { "interrupt" };
        format!(
            "{head}kind = \"{kind}\"\ngap  = \"{half}..{}\"\ncost = \"{least}..{longest}\"\n",
            half + *every,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windfall_scenario::Scenario;
    use windfall_scenario::model::{Pattern, Timer};

    fn cost(ns: u64) -> Cost {
        let median = Span::from_nanos(ns);
        Cost {
            what: "something",
            median,
            p99: median,
            spread: (median, median),
            samples: 9,
            discarded: 1,
        }
    }

    fn costs() -> Costs {
        let us = |n: u64| Span::from_nanos(1_000 * n);
        Costs {
            machine: "Linux \"6\"\nof somebody".to_owned(),
            cpu: 1,
            timer: Err(Span::from_millis(4)),
            switch: cost(2_016),
            migration: Some(cost(3_500)),
            event: cost(150),
            decision: Span::from_nanos(50),
            notification: Span::from_nanos(25),
            cache: (1024, cost(31)),
            further: vec![cost(0)],
            interruptions: vec![
                Interruption {
                    steal: false,
                    count: 7,
                    every: us(4_000),
                    cost: (us(1), us(13), us(90)),
                },
                Interruption {
                    steal: true,
                    count: 1,
                    every: us(900),
                    cost: (us(300), us(300), us(300)),
                },
                Interruption {
                    steal: true,
                    count: 3,
                    every: us(500),
                    cost: (us(200), us(900), us(9_000)),
                },
            ],
        }
    }

    const OWN: &str = "schema = 2\ninherits = \"costs.toml\"\nseed = 1\nlength = \"1s\"\n\
        [schedulers.rr]\nscheduler = \"round-robin\"\nparent = \"top\"\n\
        [threads.a]\nparent = \"rr\"\nrun = \"spin\"\n";

    #[test]
    fn accepts_a_scenario_that_inherits_costs() {
        let text = costs().toml("windfall measure", "2026-11-21");
        let read =
            Scenario::parse_with("own.toml", OWN, |name| Ok((name.to_owned(), text.clone())));
        let scenario = read.unwrap_or_else(|mistakes| panic!("{}\n{text}", mistakes.to_json()));
        let machine = &scenario.machine;
        assert_eq!(machine.timer, Timer::Ticks(250));
        assert_eq!(machine.costs.switch, Span::from_nanos(2_016));
        assert_eq!(machine.costs.migration, Span::from_nanos(3_500));
        assert_eq!(machine.costs.decision, Span::from_nanos(50));
        assert_eq!(machine.costs.notification, Span::from_nanos(25));
        let cache = machine.cache.unwrap();
        assert_eq!((cache.size_kib, cache.refill), (1024, Span::from_nanos(31)));
        assert_eq!(scenario.interrupts.len(), 3);
        assert!(scenario.build().is_ok());
    }

    #[test]
    fn law_the_time_stolen_is_the_time_measured() {
        let text = costs().toml("windfall measure", "2026-11-21");
        let read = Scenario::parse_with("own.toml", OWN, |name| Ok((name.to_owned(), text)));
        for (source, overhead) in read.unwrap().interrupts.iter().zip(costs().interruptions) {
            let twice = |(least, most): (Span, Span)| least + most;
            let (every, cost) = match source.pattern {
                Pattern::Periodic { period, cost, .. } => (period + period, cost + cost),
                Pattern::Random { gap, cost } => (twice(gap), twice(cost)),
                Pattern::Recorded(_) => panic!("nothing was recorded"),
            };
            assert_eq!(
                (every, cost),
                (overhead.every + overhead.every, overhead.cost.1 + overhead.cost.1)
            );
        }
    }
}
