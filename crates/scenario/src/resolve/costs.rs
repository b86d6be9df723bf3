//! A file that describes a machine and its interrupts and nothing else, as `windfall measure` writes it.

use super::reader::Reader;
use super::{HEAD, PARTS, file, machine, many, origin, split, version};
use crate::catalogues::Catalogues;
use crate::check::check_machine;
use crate::decode::decode;
use crate::diagnostic::{Code, Diagnostics};
use crate::file::HeadFile;
use crate::model::{Interrupts, Machine, Scenario};
use crate::source::{Origin, Path};
use crate::tree;
use std::sync::Arc;
use windfall_time::Span;

impl Machine {
    /// Reads the machine and the interrupts of a text that has nothing else. `name` is its name in mistakes.
    ///
    /// ```
    /// use windfall_scenario::model::Machine;
    /// use windfall_time::Span;
    ///
    /// let text = "schema = 2\n[machine]\ncosts = { switch = \"2us\" }\n";
    /// let (machine, interrupts) = Machine::read("costs.toml", text)?;
    /// assert_eq!(machine.costs.switch, Span::from_nanos(2_000));
    /// assert!(interrupts.is_empty());
    /// # Ok::<(), windfall_scenario::Diagnostics>(())
    /// ```
    ///
    /// # Errors
    /// Every mistake in it.
    pub fn read(name: &str, text: &str) -> Result<(Machine, Vec<Interrupts>), Diagnostics> {
        let own = file(name, text, 0);
        let root = tree::parse(&own.text, 0);
        let root = root.map_err(|list| many(&origin(vec![own.clone()]), list))?;
        let origin =
            Origin { files: Arc::new(vec![own.clone()]), places: Arc::new(tree::places(&root)) };
        let catalogues = Catalogues::default();
        let mut reader = Reader::new(&origin, &catalogues.schedulers, &catalogues.programs);
        let (head, parts) = split(root, &mut reader);
        let head: HeadFile = decode(head, &mut reader.mistakes).unwrap_or_default();
        version::needed(head.schema, &mut reader);
        let mut parts = PARTS.into_iter().zip(parts);
        let mut part = || parts.next().and_then(|(_, node)| node);
        let read = part().map(|node| machine::machine(node, &mut reader));
        let interrupts = machine::interrupts(part(), &mut reader);
        let others = parts.filter(|(_, node)| node.is_some()).map(|(key, _)| key);
        let of_scenarios = HEAD.into_iter().filter(|key| *key != "schema");
        let written = of_scenarios.filter(|key| origin.has(&Path::of(&[key])));
        for key in others.chain(written) {
            let message = format!("`{key}` says nothing of a machine");
            let help = "a file of costs has `machine` and `interrupts` only; leave it out";
            reader.wrong_key(Code::MisplacedKey, &Path::of(&[key]), message, help);
        }
        let mut mistakes = reader.mistakes;
        let scenario = Scenario {
            machine: read.unwrap_or_else(|| Machine::ideal(1)),
            interrupts,
            origin,
            ..Scenario::new(Span::from_secs(1))
        };
        check_machine(&scenario, &mut mistakes);
        match Diagnostics::of(&scenario.origin, mistakes) {
            Some(diagnostics) => Err(diagnostics),
            None => Ok((scenario.machine, scenario.interrupts)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Machine::read("costs.toml", text).map(drop).expect_err(text).to_string()
    }

    #[test]
    fn accepts_a_machine_its_interrupts_and_neither() {
        let text = "schema = 2\n[machine]\ntimer = \"100Hz\"\n[[interrupts]]\nevery = \"1ms\"\ncost = \"1us\"\n";
        let read = Machine::read("costs.toml", text).expect(text);
        assert_eq!((read.0.timer, read.1.len()), (crate::model::Timer::Ticks(100), 1));
        let nothing = Machine::read("costs.toml", "schema = 2\n").expect("nothing");
        assert_eq!(nothing, (Machine::ideal(1), Vec::new()));
    }

    #[test]
    fn refuses_what_is_no_machine_or_a_wrong_one_at_its_place() {
        for (text, expected) in [
            ("[machine]\n", "`schema` is missing"),
            ("schema = 2\n[machine]\ncosts = { swich = \"1us\" }\n", "costs.toml:3"),
            ("schema = 2\nmachine.timer = \"0Hz\"\n", "costs.toml:2"),
            ("schema = 2\n[threads.a]\nrun = \"spin\"\n", "`threads` says nothing of a machine"),
            ("schema = 2\ninherits = \"a.toml\"\n", "`inherits` says nothing of a machine"),
            ("schema = 2\nlength = \"1s\"\n", "`length` says nothing of a machine"),
            ("schema = 2\ndefault = \"a\"\n", "`default` says nothing of a machine"),
            ("schema = 2\n[machine\n", "costs.toml:2"),
        ] {
            let why = refused(text);
            assert!(why.contains(expected), "{text}: {why}");
        }
    }
}
