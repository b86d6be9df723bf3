//! Changes for the worse since an earlier run, which is read from its JSON.
//!
//! Metrics are compared by name and unit. One is worse if it went in its bad direction by more than both its own and the earlier run's noise.
//!
//! Invariant: whatever makes the comparison weaker than it looks is said: other machines and lengths, runs that were ended, metrics without a partner, and nothing to compare at all.

use super::found::{Better, Level, Metric, Sentence};
use super::suite::Validation;
use core::fmt;
use serde_json::Value;
use windfall_time::Span;

/// An earlier run, as far as it is compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Earlier {
    /// Its file.
    name: String,
    machine: String,
    length: Span,
    quick: bool,
    is_stopped: bool,
    metrics: Vec<Before>,
}

/// A metric of an earlier run.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Before {
    name: String,
    value: u64,
    unit: String,
    noise: u64,
    least: u64,
}

/// Why a file is no earlier run.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EarlierError {
    /// It is no JSON.
    Json {
        /// Where and why.
        why: String,
    },
    /// It is JSON, but not of `lab validate`.
    Lacks {
        /// The key that is missing, or has another form.
        what: String,
    },
}

impl fmt::Display for EarlierError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EarlierError::Json { why } => write!(f, "it is no JSON: {why}")?,
            EarlierError::Lacks { what } => write!(f, "{what} is missing or has another form")?,
        }
        f.write_str("; give the output of `windfall lab validate --json`")
    }
}

impl std::error::Error for EarlierError {}

impl Earlier {
    /// Reads it from its text; `name` is the file's.
    ///
    /// # Errors
    /// When the text is not what `lab validate --json` prints.
    pub fn read(name: &str, text: &str) -> Result<Earlier, EarlierError> {
        let value: Value = serde_json::from_str(text)
            .map_err(|why| EarlierError::Json { why: why.to_string() })?;
        let lacks = |what: &str| EarlierError::Lacks { what: what.to_owned() };
        let machine = value["machine"].as_str().ok_or_else(|| lacks("`machine`"))?.to_owned();
        let length = value["for_ns"].as_u64().ok_or_else(|| lacks("`for_ns`"))?;
        let length = Span::from_nanos(length);
        let quick = value["quick"].as_bool().ok_or_else(|| lacks("`quick`"))?;
        let is_stopped = value["stopped"].as_bool().ok_or_else(|| lacks("`stopped`"))?;
        let metrics = value["metrics"].as_array().ok_or_else(|| lacks("`metrics`"))?;
        let metrics = metrics.iter().zip(1..).map(before).collect::<Result<_, _>>()?;
        Ok(Earlier { name: name.to_owned(), machine, length, quick, is_stopped, metrics })
    }
}

fn before((metric, number): (&Value, usize)) -> Result<Before, EarlierError> {
    let lacks = |key: &str| EarlierError::Lacks { what: format!("`{key}` of metric {number}") };
    let text = |key| metric[key].as_str().map(str::to_owned).ok_or_else(|| lacks(key));
    let count = |key| metric[key].as_u64().ok_or_else(|| lacks(key));
    Ok(Before {
        name: text("name")?,
        value: count("value")?,
        unit: text("unit")?,
        noise: count("noise_percent")?,
        least: count("noise_least")?,
    })
}

/// Whether a value is worse than an earlier one by more than the noise of both.
fn is_worse(metric: &Metric, earlier: &Before) -> bool {
    let (worse, better) = match metric.better {
        Better::Lower => (metric.value, earlier.value),
        Better::Higher => (earlier.value, metric.value),
    };
    let noise = earlier.noise.max(u64::from(metric.noise));
    let least = earlier.least.max(metric.least);
    let allowed = u128::from(better) * (100 + u128::from(noise)) / 100;
    u128::from(worse) > allowed.max(u128::from(better) + u128::from(least))
}

impl Validation {
    /// Adds what became worse since an earlier run, each as a fault, and what cannot be compared.
    pub fn compare(&mut self, earlier: &Earlier) {
        let mut said = self.unlike(earlier);
        let name = &earlier.name;
        let (mut compared, mut worse) = (0_u32, 0_u32);
        for metric in self.metrics() {
            let is_same = |of: &&Before| of.name == metric.name && of.unit == metric.unit.name();
            let Some(before) = earlier.metrics.iter().find(is_same) else { continue };
            compared += 1;
            if is_worse(metric, before) {
                worse += 1;
                let unit = &before.unit;
                let text = format!(
                    "{} became worse: it was {} {unit} in {name}, and is {} {unit}.",
                    metric.name, before.value, metric.value
                );
                said.push(Sentence::new(Level::Fault, text));
            }
        }
        if compared == 0 {
            let text = format!(
                "Nothing was compared with {name}: none of its metrics was measured in this run."
            );
            let remedy = "give a run of the same parts (`--part`)";
            said.push(Sentence::new(Level::Warning, text).remedy(remedy));
        } else if worse == 0 {
            let text = format!("None of {compared} metrics became worse since {name}.");
            said.push(Sentence::new(Level::Fact, text));
        }
        self.compared.extend(said);
    }

    /// Differences between this run and an earlier one that weaken any comparison.
    fn unlike(&self, earlier: &Earlier) -> Vec<Sentence> {
        let mut said = Vec::new();
        let mut warns = |text: String| said.push(Sentence::new(Level::Warning, text));
        let name = &earlier.name;
        if earlier.machine != self.machine {
            warns(format!(
                "{name} is of another machine, or of another kernel: {}.",
                earlier.machine
            ));
        }
        if earlier.quick != self.quick {
            warns(format!(
                "One of this run and {name} was quick, and the other was not: less is seen in less time."
            ));
        }
        if earlier.length != self.length {
            let (this, that) = (self.length, earlier.length);
            warns(format!(
                "This run measured for {this} under load, and {name} for {that}: the longest of what is taken (`interrupt-max`, `away-max`) grows with the time."
            ));
        }
        if earlier.is_stopped {
            warns(format!("{name} was ended before all was measured."));
        }
        let gone: Vec<_> = earlier.metrics.iter().filter_map(|before| self.gone(before)).collect();
        if !gone.is_empty() {
            warns(format!("Measured in {name} and not in this run: {}.", gone.join(", ")));
        }
        said
    }

    /// A metric of an earlier run that this one does not have, or has in another unit.
    fn gone(&self, before: &Before) -> Option<String> {
        match self.metrics().find(|metric| metric.name == before.name) {
            None => Some(before.name.clone()),
            Some(metric) => (metric.unit.name() != before.unit).then(|| {
                format!("{} in {} (here in {})", before.name, before.unit, metric.unit.name())
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::found::{Found, Unit};
    use super::super::results::json;
    use super::super::suite::PartFound;
    use super::*;
    use windfall_time::Span;

    fn validation(metrics: Vec<Metric>) -> Validation {
        let found = Found { metrics, ..Found::default() };
        let part = PartFound { name: "speed", title: "", question: "", found };
        Validation {
            machine: "a machine".to_owned(),
            length: Span::from_secs(1),
            quick: true,
            parts: vec![part],
            compared: Vec::new(),
            is_stopped: false,
        }
    }

    fn metric(name: &str, value: u64, better: Better) -> Metric {
        Metric::new(name, value, Unit::Nanoseconds, better).noise(10, 5)
    }

    fn faults(validation: &Validation) -> Vec<String> {
        let faults = validation.compared.iter().filter(|one| one.level == Level::Fault);
        faults.map(|one| one.text.clone()).collect()
    }

    #[test]
    fn law_only_what_is_worse_by_more_than_noise_is_said() {
        for (better, before, now, said) in [
            (Better::Lower, 1_000, 1_100, false),
            (Better::Lower, 1_000, 1_101, true),
            (Better::Lower, 1_000, 10, false),
            (Better::Lower, 10, 15, false),
            (Better::Lower, 10, 16, true),
            (Better::Higher, 1_100, 1_000, false),
            (Better::Higher, 1_101, 1_000, true),
            (Better::Higher, 1_000, 5_000, false),
            (Better::Lower, 0, 5, false),
            (Better::Lower, 0, 6, true),
        ] {
            let text = json(&validation(vec![metric("speed.x", before, better)])).to_string();
            let earlier = Earlier::read("old.json", &text).unwrap();
            let mut this = validation(vec![metric("speed.x", now, better)]);
            this.compare(&earlier);
            assert_eq!(!faults(&this).is_empty(), said, "{better:?} {before} {now}");
            assert_eq!(this.is_sound(), !said);
        }
    }

    /// The sentences beside an earlier run that was read again.
    fn beside(this: &mut Validation, earlier: &Validation) -> Vec<(Level, String)> {
        let earlier = Earlier::read("old.json", &json(earlier).to_string()).unwrap();
        this.compare(&earlier);
        this.compared.iter().map(|one| (one.level, one.text.clone())).collect()
    }

    #[test]
    fn law_the_noise_of_the_earlier_run_counts_as_well() {
        let before = metric("speed.x", 1_000, Better::Lower).noise(50, 5);
        let mut this = validation(vec![metric("speed.x", 1_500, Better::Lower)]);
        beside(&mut this, &validation(vec![before.clone()]));
        assert!(this.is_sound());
        let mut this = validation(vec![metric("speed.x", 1_501, Better::Lower)]);
        beside(&mut this, &validation(vec![before]));
        assert!(!this.is_sound());
        let before = metric("speed.x", 10, Better::Lower).noise(10, 100);
        let mut this = validation(vec![metric("speed.x", 110, Better::Lower)]);
        beside(&mut this, &validation(vec![before]));
        assert!(this.is_sound());
    }

    #[test]
    fn law_what_cannot_be_compared_is_said() {
        let mut earlier = validation(vec![
            metric("speed.gone", 1, Better::Lower),
            Metric::new("speed.unit", 1_000, Unit::Picoseconds, Better::Lower),
        ]);
        earlier.machine = "another".to_owned();
        earlier.length = Span::from_secs(600);
        earlier.quick = false;
        earlier.is_stopped = true;
        let mut this = validation(vec![metric("speed.unit", 1, Better::Lower)]);
        let said = beside(&mut this, &earlier);
        for (number, words) in [
            "another machine",
            "was quick",
            "for 1s under load, and old.json for 600s",
            "was ended before",
            "not in this run: speed.gone, speed.unit in ps (here in ns)",
            "Nothing was compared",
        ]
        .into_iter()
        .enumerate()
        {
            assert!(said[number].0 == Level::Warning && said[number].1.contains(words), "{said:?}");
        }
        assert!(said.len() == 6 && this.is_sound(), "{said:?}");
    }

    #[test]
    fn limit_runs_alike_have_no_warning_and_an_empty_one_has() {
        let of = || vec![metric("speed.x", 1, Better::Lower)];
        let said = beside(&mut validation(of()), &validation(of()));
        assert!(said.len() == 1 && said[0].1.starts_with("None of 1 "), "{said:?}");
        let said = beside(&mut validation(of()), &validation(Vec::new()));
        assert!(said.len() == 1 && said[0].0 == Level::Warning, "{said:?}");
    }

    #[test]
    fn refuses_what_is_no_earlier_run() {
        let whole = r#"{"machine":"m","quick":true,"for_ns":1,"stopped":false,"metrics":[{"name":"a","value":1,"unit":"ns","noise_percent":1,"noise_least":0}]}"#;
        assert!(Earlier::read("old.json", whole).is_ok());
        let without = |part: &str| whole.replace(part, "\"x\":0");
        for (text, why) in [
            ("{".to_owned(), "no JSON"),
            (without(r#""machine":"m""#), "`machine`"),
            (without(r#""for_ns":1"#), "`for_ns`"),
            (without(r#""stopped":false"#), "`stopped`"),
            (
                "{\"machine\":\"m\",\"quick\":true,\"for_ns\":1,\"stopped\":false}".to_owned(),
                "`metrics`",
            ),
            (without(r#""value":1"#), "`value` of metric 1"),
            (whole.replace(r#""value":1"#, r#""value":-1"#), "`value` of metric 1"),
            (without(r#""noise_percent":1"#), "`noise_percent` of metric 1"),
        ] {
            let said = Earlier::read("old.json", &text).unwrap_err().to_string();
            assert!(said.contains(why) && said.contains("lab validate --json"), "{said}");
        }
    }
}
