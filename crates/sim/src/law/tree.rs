//! Trees: schedulers below each other as they come, joins among them, and threads below all of them.

use super::drawn::{NodeSeed, Seeds, ThreadSeed};
use super::often;
use super::programs::{ms, program, tasks, us};
use super::requirements::{Above, requires};
use windfall_guarantees::Conversion;
use windfall_scenario::Scenario;
use windfall_scenario::model::{
    Attachment, Interrupts, Machine, Parent, Pattern, Requirements, Scheduler, Setting, Thread,
    Timer,
};
use windfall_schedulers::catalogue::{Catalogue, Form, Kind, Settings};
use windfall_schedulers::kinds;
use windfall_schedulers::parameters::RESERVE;
use windfall_time::Instant;
use windfall_trace::OverheadKind;

/// The tree that a seed says.
pub(super) fn scenario(seeds: &Seeds, kinds: &[&'static Kind], catalogue: &Catalogue) -> Scenario {
    let mut tree = Tree { seeds, kinds, top: usize::from(seeds.processors), nodes: Vec::new() };
    for (at, node) in seeds.nodes.iter().enumerate() {
        tree.add(at, node);
    }
    let threads = seeds.threads.iter().enumerate();
    let threads = threads.filter_map(|(at, thread)| tree.thread(at, thread)).collect();
    let pattern = Pattern::Random { gap: (us(300), ms(5)), cost: (us(1), us(80)) };
    let interrupts = Interrupts::new(OverheadKind::Interrupt, 1, pattern);
    let timer = seeds.ticks.map_or(Timer::Precise, Timer::Ticks);
    let machine = Machine::ideal(seeds.processors).timer(timer);
    let mut scenario = Scenario::new(ms(500)).seed(seeds.seed).machine(machine);
    scenario.interrupts.extend(seeds.stolen.then_some(interrupts));
    scenario.schedulers = tree.nodes.into_iter().map(|node| node.scheduler).collect();
    scenario.default = Some("s0".to_owned());
    scenario.threads = threads;
    scenario.catalogue = catalogue.clone();
    scenario
}

/// A scheduler of the tree.
struct Node {
    scheduler: Scheduler,
    kind: &'static Kind,
    conversion: Box<dyn Conversion>,
    children: usize,
    /// Whether it is a join, or stands below one.
    below_join: bool,
    by_parameters: bool,
    processors: Vec<u16>,
}

impl Node {
    /// Whether it takes one child more.
    fn has_room(&self) -> bool {
        !self.kind.properties.one_child || self.children == 0
    }

    /// Whether it gives slower processors, whose time counts by the deadlines that their owners report. One that overruns
    /// reports them too late, so that nothing can be judged.
    fn counts_by_deadlines(&self) -> bool {
        self.conversion.declares_speed()
    }

    fn above(&self) -> Above<'_> {
        Above {
            scheduler: &self.scheduler,
            kind: self.kind,
            conversion: &*self.conversion,
            by_parameters: self.by_parameters,
            processors: &self.processors,
        }
    }
}

/// A tree that grows.
struct Tree<'a> {
    seeds: &'a Seeds,
    kinds: &'a [&'static Kind],
    /// How many processors of the top are left.
    top: usize,
    nodes: Vec<Node>,
}

impl Tree<'_> {
    fn add(&mut self, at: usize, seed: &NodeSeed) {
        let kind = self.kind(at, seed);
        let (mut scheduler, mut conversion) = scheduler(format!("s{at}"), kind, seed.settings);
        let mut kind = kind;
        scheduler.owns = self.attach(at, kind, seed);
        if scheduler.owns.is_empty() || kind.properties.joins && scheduler.owns.len() < 2 {
            // Nowhere to go: a thread's worth of time sharing below the first.
            kind = kinds::TIME_SHARING;
            scheduler = Scheduler::below(&scheduler.name, kind, "s0", Requirements::default());
            conversion = kind.conversion(&Settings(&[])).unwrap();
            self.nodes[0].children += 1;
        }
        let names: Vec<&str> = scheduler.owns.iter().filter_map(|own| own.parent.name()).collect();
        let mut above = self.nodes.iter().filter(|node| node.below_join);
        let below = above.any(|node| names.contains(&node.scheduler.name.as_str()));
        let below_join = below || kind.properties.joins;
        // The top gives each that comes the lowest free one.
        let end = usize::from(self.seeds.processors) - self.top;
        let all_at_top = names.is_empty();
        let first = if all_at_top { end - scheduler.owns.len() } else { end };
        let processors = (first..end).map(|number| u16::try_from(number).unwrap()).collect();
        let by_parameters = seed.settings >> 29 == 7;
        self.nodes.push(Node {
            scheduler,
            kind,
            conversion,
            children: 0,
            below_join,
            by_parameters,
            processors,
        });
    }

    /// The kind of a scheduler; the first has room for several children.
    fn kind(&self, at: usize, seed: &NodeSeed) -> &'static Kind {
        let drawn = self.kinds[usize::from(seed.kind) % self.kinds.len()];
        if at > 0 {
            return drawn;
        }
        let rare = often::RARE_ROOTS[usize::from(seed.owns) % often::RARE_ROOTS.len()];
        if self.seeds.seed.is_multiple_of(4) && self.kinds.contains(&rare) {
            return rare;
        }
        if drawn.properties.one_child { kinds::FIXED_PRIORITY } else { drawn }
    }

    /// Finds parents for a scheduler's own virtual processors. A join has several parents; the others have several processors
    /// of one.
    fn attach(&mut self, at: usize, kind: &Kind, seed: &NodeSeed) -> Vec<Attachment> {
        let mut owns: Vec<Attachment> = Vec::new();
        let joins = kind.properties.joins;
        let count = match seed.owns {
            _ if joins => 2 + usize::from(seed.owns) % 2,
            _ if kind.properties.one_child || kind.properties.admits => 1,
            0 => 2,
            1 => 3,
            _ => 1,
        };
        for number in 0..count {
            // Joins below joins may go round in circles on several processors (CAVEATS).
            let circles = |at: usize| self.seeds.processors > 1 && self.nodes[at].below_join;
            let open: Vec<usize> = (0..at)
                .filter(|at| self.nodes[*at].has_room())
                .filter(|at| !joins || !circles(*at))
                .collect();
            let same = if joins { number } else { 0 };
            let pick = usize::from(seed.parents[same]);
            let take_top = match owns.last() {
                Some(last) if same == 0 && number > 0 => last.parent == Parent::Top && self.top > 0,
                _ => self.top > 0 && (open.is_empty() || pick % 4 == 0),
            };
            let at_top = owns.first().is_some_and(|own| own.parent == Parent::Top);
            if same == 0 && number > 0 && !take_top && at_top {
                break;
            }
            if take_top {
                self.top -= 1;
                let requires = Requirements::default();
                owns.push(Attachment { parent: Parent::Top, requires });
            } else if let Some(above) = open.get(pick / 4 % open.len().max(1)).copied() {
                let above = &mut self.nodes[above];
                above.children += 1;
                let (request, number) = (seed.requires[number], at * 3 + number);
                let requires = requires(&above.above(), request, number, false);
                let parent = Parent::Scheduler(above.scheduler.name.clone());
                owns.push(Attachment { parent, requires });
            }
        }
        owns
    }

    /// A thread below one of the schedulers, if one has room.
    fn thread(&mut self, at: usize, seed: &ThreadSeed) -> Option<Thread> {
        let open: Vec<usize> =
            (0..self.nodes.len()).filter(|at| self.nodes[*at].has_room()).collect();
        let parent = open.get(usize::from(seed.parent) % open.len().max(1)).copied()?;
        self.nodes[parent].children += 1;
        let node = &self.nodes[parent];
        let requires = requires(&node.above(), seed.request, 50 + at, true);
        let names =
            |name: &str| node.scheduler.owns.iter().any(|own| own.parent.name() == Some(name));
        let mut slower = self.nodes.iter().filter(|node| node.counts_by_deadlines());
        let above = slower.any(|node| names(&node.scheduler.name));
        let (does, run) = match node.kind.properties.admits && !seed.program.is_multiple_of(3) {
            true => ("tasks", tasks(seed)),
            false => program(seed, node.counts_by_deadlines() || above),
        };
        let name = format!("{}-{at}", does.replace(' ', "-"));
        let mut thread = Thread::new(&name, &node.scheduler.name, requires, run);
        // What is asked of a time line while it has accepted time constraints, as those of an `activity`, begins after them.
        if seed.start.is_multiple_of(4) && !node.kind.properties.begins_late {
            thread.start = Instant::ZERO + us(u64::from(seed.start) * 777);
            // Whoever comes when all is given away is refused, and then nothing in the tree is judged.
            thread.requires.set(&RESERVE, None);
        }
        Some(thread)
    }
}

/// A scheduler with settings that it accepts.
fn scheduler(name: String, kind: &Kind, seed: u32) -> (Scheduler, Box<dyn Conversion>) {
    let drawn = settings(kind, seed);
    let accepted = kind.build(&Settings(&Setting::values(&drawn))).is_ok();
    let settings = if accepted { drawn } else { Vec::new() };
    let conversion = kind.conversion(&Settings(&Setting::values(&settings))).unwrap();
    let mut scheduler = Scheduler::root(&name, kind);
    (scheduler.settings, scheduler.owns) = (settings, Vec::new());
    (scheduler, conversion)
}

/// Random settings of a scheduler of the catalogue.
fn settings(kind: &Kind, seed: u32) -> Vec<(String, Setting)> {
    let mut written = Vec::new();
    for (at, setting) in kind.settings.iter().enumerate() {
        let pick = (seed >> (at * 5 % 27)) as usize & 31;
        // Half of the settings stay as they are, but those without which a promise is not made.
        if pick.is_multiple_of(2) && !["report-deadlines", "partition"].contains(&setting.name) {
            continue;
        }
        let pick = pick / 2;
        let number = i64::try_from(pick).unwrap();
        let value = match setting.form {
            Form::Integer(..) if setting.name == "admission" => {
                Setting::Integer(1_000 - 40 * number)
            }
            Form::Span => Setting::Span([us(500), ms(1), ms(2), ms(5)][pick % 4]),
            Form::Integer(least, most) => Setting::Integer(least.saturating_add(number).min(most)),
            Form::Bool => Setting::Bool(pick.is_multiple_of(2)),
            Form::Word(words) => Setting::Word(words[pick % words.len()].to_owned()),
            Form::Name => Setting::Word(format!("name-{pick}")),
        };
        written.push((setting.name.to_owned(), value));
    }
    written
}
