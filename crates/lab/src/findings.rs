//! The findings of an experiment: tables, figures, raw numbers, and whether its claim holds.

use windfall_plot::Scene;

/// Everything that an experiment found.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Findings {
    /// The machine and the lengths of runs, in a line each.
    pub circumstances: Vec<String>,
    /// The paper's column beside today's.
    pub tables: Vec<Table>,
    /// Drawn as the paper's.
    pub figures: Vec<Figure>,
    /// Every number that went into them.
    pub raw: Vec<Raw>,
    /// Facts that the reader needs to judge it.
    pub notes: Vec<String>,
    /// Whether the claim stands.
    pub verdict: Verdict,
}

/// A table.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Table {
    /// Its subject, with the units.
    pub title: String,
    /// The names of the columns.
    pub head: Vec<String>,
    /// How many of the first columns are words; the others are numbers.
    pub words: usize,
    /// A cell for each column.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    #[must_use]
    pub fn new(title: &str, words: usize, head: &[&str]) -> Table {
        let head = head.iter().map(|name| (*name).to_owned()).collect();
        Table { title: title.to_owned(), head, words, rows: Vec::new() }
    }
}

/// A figure.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Figure {
    /// The name of its file, without ending.
    pub name: String,
    /// A description of the picture, and of the paper's.
    pub caption: String,
    /// The picture.
    pub picture: Scene,
}

/// Raw numbers, as comma-separated values with a line of names.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Raw {
    /// The name of its file.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl Raw {
    /// Records with the names of their fields, which are separated by commas in `head`. A field with a comma is quoted.
    #[must_use]
    pub fn csv(name: &str, head: &str, rows: impl IntoIterator<Item = Vec<String>>) -> Raw {
        Raw {
            name: format!("{name}.csv"),
            text: windfall_report::csv::table(head.split(','), rows),
        }
    }
}

/// A record of [`Raw::csv`]: each value as it is displayed.
macro_rules! record {
    ($($value:expr),+ $(,)?) => { vec![$($value.to_string()),+] };
}
pub(crate) use record;

/// Whether a claim stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClaimStatus {
    /// The results agree with it.
    Stands,
    /// The results agree with it, but they rest on the paper's own figures: it could be calibrated, which confirms nothing.
    Calibrated,
    /// The results contradict it.
    Refuted,
    /// The results do not decide it.
    Open,
}

/// The verdict of the findings on the claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// Whether it stands.
    pub standing: ClaimStatus,
    /// By which numbers.
    pub why: String,
}

impl Verdict {
    /// The claim stands if there is no evidence against it; otherwise the evidence is the reason.
    #[must_use]
    pub fn by(against: &[String], why: &str) -> Verdict {
        if against.is_empty() {
            return Verdict { standing: ClaimStatus::Stands, why: why.to_owned() };
        }
        Verdict { standing: ClaimStatus::Refuted, why: against.join("; ") }
    }

    /// The same where the figures that it is about were put in.
    #[must_use]
    pub fn calibrated(self) -> Verdict {
        match self.standing {
            ClaimStatus::Stands => Verdict { standing: ClaimStatus::Calibrated, ..self },
            _ => self,
        }
    }

    /// The same of runs with real threads, some of which may have been `disturbed`: those refute nothing, and
    /// without them nothing stands.
    #[must_use]
    pub fn of_runs(against: &[String], disturbed: &[String], why: &str) -> Verdict {
        let verdict = Verdict::by(against, why);
        if disturbed.is_empty() {
            return verdict;
        }
        // In full as far as that can be read; where much is disturbed, one is like the other.
        let (told, more) = disturbed.split_at(disturbed.len().min(4));
        let mut beside = format!("disturbed, and not counted: {}", told.join("; "));
        if !more.is_empty() {
            beside.push_str(&format!("; and {} more", more.len()));
        }
        match verdict.standing {
            ClaimStatus::Refuted => {
                Verdict { why: format!("{}; {beside}", verdict.why), ..verdict }
            }
            _ => Verdict { standing: ClaimStatus::Open, why: beside },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_field_with_a_comma_is_one_field() {
        let rows = [record!["queue on the same node, \"near\"", 1], record!["two\nlines", -2.5]];
        let raw = Raw::csv("names", "what,how much", rows.clone());
        assert_eq!(raw.name, "names.csv");
        let mut reader = csv::Reader::from_reader(raw.text.as_bytes());
        let head: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        assert_eq!(head, ["what", "how much"]);
        let again: Vec<Vec<String>> = reader.deserialize().map(Result::unwrap).collect();
        assert_eq!(again, rows);
    }

    #[test]
    fn law_what_was_put_in_is_calibrated_and_can_be_refuted() {
        let of = |against: &[String]| Verdict::by(against, "it fits").calibrated().standing;
        assert_eq!(
            (of(&[]), of(&["far".to_owned()])),
            (ClaimStatus::Calibrated, ClaimStatus::Refuted)
        );
    }

    #[test]
    fn law_a_disturbed_run_refutes_nothing_and_lets_nothing_stand() {
        let (one, none) = (["line 3".to_owned()], []);
        let of = |against: &[String], disturbed: &[String]| {
            Verdict::of_runs(against, disturbed, "all is well")
        };
        assert_eq!(of(&none, &none).standing, ClaimStatus::Stands);
        assert_eq!(of(&one, &none).standing, ClaimStatus::Refuted);
        let open = of(&none, &one);
        assert_eq!(open.standing, ClaimStatus::Open);
        assert!(open.why.starts_with("disturbed"), "{}", open.why);
        let many: Vec<String> = (1..=9).map(|number| format!("line {number}")).collect();
        assert!(of(&none, &many).why.ends_with("line 4; and 5 more"));
        let refuted = of(&one, &one);
        assert!(refuted.standing == ClaimStatus::Refuted && refuted.why.contains("disturbed"));
    }
}
