//! The suite on simulated machines in each of which something is wrong: whether it finds and names that, and nothing else.

use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Findings, Table, Verdict};
use crate::validate::machine::{Planted, Simulated, Taken};
use crate::validate::suite::validate_on;
use crate::validate::{Level, Options};
use std::sync::Arc;
use windfall_time::Span;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "validate-planted",
    also: &[],
    title: "whether the suite finds what is wrong with a machine",
    source: "CMU 1982, AIRLAB, 3",
    question: "of machines with one thing wrong each, what does the suite say?",
    claim: "each planted fault is found, by its part and with its processor, and a sound machine has neither faults nor warnings",
    hosts: &[Host::Sim],
    absent: "a real machine has the faults that it has",
    run: findings,
};

/// A machine, and what has to be said of it: the part, and words of its sentence.
struct Trial {
    name: &'static str,
    planted: Vec<Planted>,
    said: Option<(&'static str, [&'static str; 2])>,
}

/// Those that measure the machine, and not a model or a program.
const PARTS: [&str; 6] = ["conditions", "timing", "speed", "time", "communication", "cores"];

const SOUND: Planted = Planted {
    slower: 0,
    drift_ppb: 0,
    farther: Span::ZERO,
    stolen: None,
    wrong_adder: false,
    hangs: false,
    silent: false,
    stops_in: None,
};

fn trials() -> Vec<Trial> {
    let stolen = Some(Taken { every: Span::from_millis(90), length: Span::from_millis(5) });
    let on = |processor: usize, wrong: Planted| {
        let mut all = vec![SOUND; 3];
        all[processor] = wrong;
        all
    };
    vec![
        Trial { name: "nothing", planted: vec![SOUND; 3], said: None },
        Trial {
            name: "processor 1 is a quarter slower",
            planted: on(1, Planted { slower: 25, ..SOUND }),
            said: Some(("speed", ["Processor 1 is slow", "% more time"])),
        },
        Trial {
            name: "the counter of processor 2 gains 200 ppm",
            planted: on(2, Planted { drift_ppb: 200_000, ..SOUND }),
            said: Some(("time", ["counter of processor 2 drifts", "gains"])),
        },
        Trial {
            name: "a word to processor 1 takes 1.5 us more",
            planted: on(1, Planted { farther: Span::from_nanos(1_500), ..SOUND }),
            said: Some((
                "communication",
                ["A word takes", "1 more far apart, all with processor 1"],
            )),
        },
        Trial {
            name: "5 ms are stolen from processor 0 in every 90 ms",
            planted: on(0, Planted { stolen, ..SOUND }),
            said: Some(("conditions", ["Processor 0 was taken away", "5 ms"])),
        },
        Trial {
            name: "the adder of processor 1 is wrong now and then",
            planted: on(1, Planted { wrong_adder: true, ..SOUND }),
            said: Some(("cores", ["Processor 1: integer work is wrong", "the vote name it"])),
        },
        Trial {
            name: "processor 2 stops in the middle of its work",
            planted: on(2, Planted { hangs: true, ..SOUND }),
            said: Some(("cores", ["Processor 2 does not answer", "integer work did not end"])),
        },
        Trial {
            name: "no thread gets to processor 1",
            planted: on(1, Planted { silent: true, ..SOUND }),
            said: Some((
                "conditions",
                ["Processor 1 does not answer", "all was measured without it"],
            )),
        },
    ]
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let head = ["wrong", "part", "level", "what is said"];
    let mut table =
        Table::new("what the suite says of each machine, but for plain results", 4, &head);
    let mut against = Vec::new();
    let length = settings.either(Span::from_secs(10), Span::from_secs(1));
    for Trial { name, planted, said } in trials() {
        (settings.progress)(name);
        let parts = PARTS.map(str::to_owned).to_vec();
        let options = Options { parts, ..Options::quick(length) };
        let validation = validate_on(Arc::new(Simulated::new(planted)), &options)?;
        let sentences = validation.sentences();
        let notable: Vec<_> = sentences
            .iter()
            .filter(|(_, sentence)| matches!(sentence.level, Level::Fault | Level::Warning))
            .collect();
        for (part, sentence) in &notable {
            let level = sentence.level.name();
            table.rows.push([name, part, level, &sentence.text].map(str::to_owned).to_vec());
        }
        let found = |(part, words): (&str, [&str; 2])| {
            notable.iter().any(|(of, sentence)| {
                *of == part && words.iter().all(|words| sentence.text.contains(words))
            })
        };
        match said {
            None if !notable.is_empty() => {
                against.push(format!("of a sound machine it says: {}", notable[0].1.text))
            }
            Some((part, _)) if !found(said.unwrap_or_default()) => {
                against.push(format!("not found: {name}, by {part}"))
            }
            _ => {}
        }
    }
    Ok(Findings {
        circumstances: vec![format!("simulated machines of three processors, {length} under load each")],
        tables: vec![table],
        figures: Vec::new(),
        raw: Vec::new(),
        notes: vec!["A fault may show in other parts as well: time that is stolen is missing in periods, too.".to_owned()],
        verdict: Verdict::by(&against, "each fault is found by its part, with its processor; of the sound machine nothing is said"),
    })
}
