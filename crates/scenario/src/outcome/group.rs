//! Threads for display: by entry of the scenario, many equal ones as one.

use super::{Outcome, ThreadOutcome};
use crate::Scenario;
use crate::check::is_of_program;
use crate::model::Thread;

/// More threads of one `count` than this share one row.
const ALIKE: usize = 8;

/// The threads of one entry of a scenario, or processes that others made.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Group<'a> {
    /// The entry's name, or the kind of processes that others made.
    pub name: &'a str,
    /// Its threads in order.
    pub threads: &'a [ThreadOutcome],
    /// Whether they are many enough to be displayed as one.
    pub together: bool,
}

/// All threads: by entry of the scenario, then those that processes made, by their kind.
#[must_use]
pub fn groups<'a>(scenario: &'a Scenario, outcome: &'a Outcome) -> Vec<Group<'a>> {
    let mut left = outcome.threads.as_slice();
    let groups = scenario.threads.iter().map(|declared| {
        let count = match declared.external {
            // As many as the program made.
            Some(_) => left.iter().take_while(|thread| is_of(declared, thread)).count(),
            None => declared.names().count(),
        };
        let (threads, others) = left.split_at(count.min(left.len()));
        left = others;
        Group { name: &declared.name, threads, together: threads.len() > ALIKE }
    });
    let mut groups: Vec<Group<'a>> = groups.collect();
    let made = left.chunk_by(|one, next| kind_of(&one.name) == kind_of(&next.name));
    groups.extend(made.map(|threads| Group {
        name: kind_of(&threads[0].name),
        threads,
        together: threads.len() > ALIKE,
    }));
    groups
}

/// The kind of a process that another has made: its name without the number.
fn kind_of(name: &str) -> &str {
    name.rsplit_once('-').map_or(name, |(kind, _)| kind)
}

fn is_of(declared: &Thread, thread: &ThreadOutcome) -> bool {
    thread.name == declared.name || is_of_program(&thread.name, &declared.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_program_has_as_many_threads_as_it_made() {
        let text = "schema = 2\nseed = 1\nlength = \"1s\"\n\
                    [schedulers.ts]\nscheduler = \"time-sharing\"\nparent = \"top\"\n\
                    [threads.some]\nof = \"player\"\nmatch = { comm = \"x\" }\n\
                    [threads.player]\nexec = [\"mpv\"]\n\
                    [threads.two]\ncount = 2\nrun = \"spin\"\n";
        let scenario = Scenario::parse("e.toml", text).unwrap();
        for made in [0, 1, 3, 20] {
            let many = (1..=made).map(|n| format!("player-{n}"));
            let earlier = (made > 3).then(|| "player-earlier".to_owned());
            let names = many.chain(earlier).chain(["two-1".to_owned(), "two-2".to_owned()]);
            let threads = names.map(|name| ThreadOutcome::new(&name, None)).collect::<Vec<_>>();
            let processes = ["sensors-1", "planner-1", "planner-2"];
            let made_by_processes = processes.map(|name| ThreadOutcome::new(name, None));
            let threads: Vec<_> = [threads, made_by_processes.into()].concat();
            let outcome = Outcome { threads, ..Outcome::default() };
            let groups = groups(&scenario, &outcome);
            let counts: Vec<usize> = groups.iter().map(|group| group.threads.len()).collect();
            assert_eq!(counts, [0, made + usize::from(made > 3), 2, 1, 2]);
            assert_eq!(groups[4].name, "planner");
            assert_eq!(groups[1].together, made > ALIKE);
        }
    }
}
