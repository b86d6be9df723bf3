//! What an experiment found: tables, figures, raw numbers, and whether its claim stands.

use windfall_plot::Scene;

/// Everything that an experiment found.
#[derive(Clone, PartialEq, Debug)]
pub struct Findings {
    /// The machine and the lengths of runs, in a line each.
    pub circumstances: Vec<String>,
    /// The paper's column beside today's.
    pub tables: Vec<Table>,
    /// Drawn as the paper's.
    pub figures: Vec<Figure>,
    /// Every number that went into them.
    pub raw: Vec<Raw>,
    /// What the reader must know to weigh it.
    pub notes: Vec<String>,
    /// Whether the claim stands.
    pub verdict: Verdict,
}

/// A table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// What it shows, with its units.
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
pub struct Figure {
    /// The name of its file, without ending.
    pub name: String,
    /// What is seen, and how the paper's looks.
    pub caption: String,
    /// The picture.
    pub picture: Scene,
}

/// Raw numbers, as comma-separated values with a line of names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Raw {
    /// The name of its file.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl Raw {
    /// Values with their names.
    #[must_use]
    pub fn csv(name: &str, head: &str, rows: impl IntoIterator<Item = String>) -> Raw {
        let mut text = format!("{head}\n");
        for row in rows {
            text.push_str(&row);
            text.push('\n');
        }
        Raw { name: format!("{name}.csv"), text }
    }
}

/// Whether a claim stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// What was found agrees with it.
    Stands,
    /// What was found contradicts it.
    Refuted,
    /// What was found does not decide it.
    Open,
}

/// What the findings say about the claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// Whether it stands.
    pub standing: Standing,
    /// By which numbers.
    pub why: String,
}

impl Verdict {
    /// Stands if nothing speaks against it; what does is the reason then.
    #[must_use]
    pub fn by(against: &[String], why: &str) -> Verdict {
        if against.is_empty() {
            return Verdict { standing: Standing::Stands, why: why.to_owned() };
        }
        Verdict { standing: Standing::Refuted, why: against.join("; ") }
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
            Standing::Refuted => Verdict { why: format!("{}; {beside}", verdict.why), ..verdict },
            _ => Verdict { standing: Standing::Open, why: beside },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_disturbed_run_refutes_nothing_and_lets_nothing_stand() {
        let (one, none) = (["line 3".to_owned()], []);
        let of = |against: &[String], disturbed: &[String]| {
            Verdict::of_runs(against, disturbed, "all is well")
        };
        assert_eq!(of(&none, &none).standing, Standing::Stands);
        assert_eq!(of(&one, &none).standing, Standing::Refuted);
        let open = of(&none, &one);
        assert_eq!(open.standing, Standing::Open);
        assert!(open.why.starts_with("disturbed"), "{}", open.why);
        let many: Vec<String> = (1..=9).map(|number| format!("line {number}")).collect();
        assert!(of(&none, &many).why.ends_with("line 4; and 5 more"));
        let refuted = of(&one, &one);
        assert!(refuted.standing == Standing::Refuted && refuted.why.contains("disturbed"));
    }
}
