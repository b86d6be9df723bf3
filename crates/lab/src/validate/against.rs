//! Changes for the worse since an earlier run, which is read from its JSON.
//!
//! Metrics are compared by name. One is worse if it went in its bad direction by more than both its own and the earlier run's noise.

use super::found::{Better, Level, Metric, Sentence};
use super::suite::Validation;
use core::fmt;
use serde_json::Value;

/// An earlier run, as far as it is compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Earlier {
    /// Its file.
    name: String,
    machine: String,
    quick: bool,
    metrics: Vec<(String, u64, String)>,
}

/// Why a file is no earlier run.
#[derive(Clone, PartialEq, Eq, Debug)]
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
        let quick = value["quick"].as_bool().ok_or_else(|| lacks("`quick`"))?;
        let metrics = value["metrics"].as_array().ok_or_else(|| lacks("`metrics`"))?;
        let metric = |(index, metric): (usize, &Value)| {
            let place = |key: &str| EarlierError::Lacks {
                what: format!("`{key}` of metric {}", index + 1),
            };
            let name = metric["name"].as_str().ok_or_else(|| place("name"))?;
            let value = metric["value"].as_u64().ok_or_else(|| place("value"))?;
            let unit = metric["unit"].as_str().ok_or_else(|| place("unit"))?;
            Ok((name.to_owned(), value, unit.to_owned()))
        };
        let metrics = metrics.iter().enumerate().map(metric).collect::<Result<_, _>>()?;
        Ok(Earlier { name: name.to_owned(), machine, quick, metrics })
    }
}

/// Whether a value is worse than an earlier one by more than noise.
fn is_worse(metric: &Metric, earlier: u64) -> bool {
    let (worse, better) = match metric.better {
        Better::Lower => (metric.value, earlier),
        Better::Higher => (earlier, metric.value),
    };
    let allowed = u128::from(better) * u128::from(100 + metric.noise) / 100;
    u128::from(worse) > allowed.max(u128::from(better) + u128::from(metric.least))
}

impl Validation {
    /// Adds what became worse since an earlier run, each as a fault, and what cannot be compared.
    pub fn compare(&mut self, earlier: &Earlier) {
        let mut said = Vec::new();
        let name = &earlier.name;
        if earlier.machine != self.machine {
            let text =
                format!("{name} is of another machine, or of another kernel: {}.", earlier.machine);
            said.push(Sentence::new(Level::Warning, text));
        }
        if earlier.quick != self.quick {
            said.push(Sentence::new(Level::Warning, format!("One of this run and {name} was quick, and the other was not: less is seen in less time.")));
        }
        let (mut compared, mut worse) = (0_u32, 0_u32);
        for metric in self.metrics() {
            let of = earlier
                .metrics
                .iter()
                .find(|(name, _, unit)| *name == metric.name && unit == metric.unit.name());
            let Some((_, before, unit)) = of else { continue };
            compared += 1;
            if is_worse(metric, *before) {
                worse += 1;
                let text = format!(
                    "{} became worse: it was {before} {unit} in {name}, and is {} {unit}.",
                    metric.name, metric.value
                );
                said.push(Sentence::new(Level::Fault, text));
            }
        }
        let gone: Vec<_> = earlier
            .metrics
            .iter()
            .filter(|(name, _, _)| self.metrics().all(|metric| metric.name != *name))
            .map(|(name, _, _)| name.as_str())
            .collect();
        if !gone.is_empty() {
            said.push(Sentence::new(
                Level::Warning,
                format!("Measured in {name} and not in this run: {}.", gone.join(", ")),
            ));
        }
        if worse == 0 {
            said.push(Sentence::new(
                Level::Fact,
                format!("None of {compared} metrics became worse since {name}."),
            ));
        }
        self.compared.extend(said);
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

    #[test]
    fn law_what_cannot_be_compared_is_said() {
        let text = json(&validation(vec![metric("speed.gone", 1, Better::Lower)])).to_string();
        let mut earlier = Earlier::read("old.json", &text).unwrap();
        earlier.machine = "another".to_owned();
        let mut this = validation(Vec::new());
        this.compare(&earlier);
        let said: Vec<_> = this.compared.iter().map(|one| one.text.as_str()).collect();
        assert!(
            said[0].contains("another machine")
                && said[1].contains("speed.gone")
                && this.is_sound(),
            "{said:?}"
        );
    }

    #[test]
    fn refuses_what_is_no_earlier_run() {
        for (text, why) in [
            ("{", "no JSON"),
            ("{}", "`machine`"),
            (r#"{"machine":"m","quick":true}"#, "`metrics`"),
            (
                r#"{"machine":"m","quick":true,"metrics":[{"name":"a","value":-1,"unit":"ns"}]}"#,
                "`value` of metric 1",
            ),
        ] {
            let said = Earlier::read("old.json", text).unwrap_err().to_string();
            assert!(said.contains(why) && said.contains("lab validate --json"), "{said}");
        }
    }
}
