//! `windfall calibrate -- COMMAND`, and the shelf that profiles are kept on.

pub(crate) mod json;

use crate::cli::CalibrateArgs;
use crate::output::{Destinations, document, print, print_error, table};
use crate::verbs::record::{data, summary};
use crate::{Answer, VerbError};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use windfall_observe::image::{Image, checksum, found};
use windfall_observe::kernel;
use windfall_observe::routines::language_of;
use windfall_programs::learn::{Calibration, Conservatism, Kind, learn};
use windfall_record::{Recorded, Recorder, Wanted};
use windfall_scenario::model::ExternalProgram;
use windfall_scenario::{Profile, ProfiledThread, Profiles, read_text};
use windfall_time::{Ratio, Span};
use windfall_trace::{Memory, Timeline};

pub(crate) fn run(args: &CalibrateArgs) -> Result<Answer, VerbError> {
    let conservatism = conservatism(&args.conservatism)?;
    if args.length.is_some_and(Span::is_zero) {
        return Err(VerbError("windfall: `--for 0s` is no time at all; write how long".to_owned()));
    }
    args.pid.map_or(Ok(()), is_process)?;
    let place = args.save.as_deref().map(own_place).transpose()?;
    if let Some(folder) = place.as_deref().and_then(Path::parent) {
        std::fs::create_dir_all(folder)
            .map_err(|error| VerbError(format!("windfall: {}: {error}", folder.display())))?;
    }
    let mut outputs = Destinations::new(args.force.force, [])?;
    let place = place.map(|place| outputs.claim("--save", &place)).transpose()?;
    let command = args.command.clone();
    let wanted = Wanted { command, pid: args.pid, length: args.length, routines: true };
    let mut memory = Memory::default();
    let recorded = Recorder::open()?.run(&wanted, &mut memory)?;
    let timeline = Timeline::build(memory.records.iter().cloned());
    let mut learned = learn(memory.records);
    learned.retain(|thread| thread.of_command);
    let calibration = Calibration::new(&learned, &timeline, &recorded.origins, conservatism);
    if args.json {
        print(&document(json::all(&calibration, data(&recorded))))?;
    } else {
        print_error(&summary(&recorded));
        print(&text(&calibration, &recorded, args))?;
    }
    if let (Some(place), Some(name)) = (&place, &args.save) {
        let profile = profile(&calibration, &recorded, args)?;
        let text = profile.write().map_err(VerbError)?;
        place.write(|out| out.write_all(text.as_bytes()))?;
        let wrote =
            format!("wrote {}; a scenario names it by `profile = \"{name}\"`\n", place.name());
        if args.json {
            print_error(&wrote);
        } else {
            print(&wrote)?;
        }
    }
    let some = calibration.kinds.iter().any(|kind| kind.amount.is_some());
    Ok(if some { Answer::Yes } else { Answer::No })
}

/// Refuses what is no process of this machine.
fn is_process(pid: i32) -> Result<(), VerbError> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).map_err(|_| {
        VerbError(format!("windfall: there is no process {pid}; `ps -e` lists all"))
    })?;
    let process = status.lines().find_map(|line| line.strip_prefix("Tgid:")).map(str::trim);
    match process {
        Some(process) if process != pid.to_string() => Err(VerbError(format!(
            "windfall: {pid} is a thread of process {process}; watch that one with `--pid {process}`"
        ))),
        _ => Ok(()),
    }
}

fn conservatism(text: &str) -> Result<Conservatism, VerbError> {
    if text == "p99" {
        return Ok(Conservatism::P99);
    }
    match text.parse::<Ratio>() {
        Ok(margin) if margin >= Ratio::ONE => Ok(Conservatism::Max(margin)),
        _ => Err(VerbError(format!(
            "windfall: `--conservatism {text}`: write a factor of at least 1, as `1.2`, or `p99`"
        ))),
    }
}

/// What was found, a line for each kind of thread.
fn text(calibration: &Calibration, recorded: &Recorded, args: &CalibrateArgs) -> String {
    let head =
        ["THREAD", "STARTS AT", "MADE BY", "PERIOD", "CONF", "NEED p50/p99/max", "SUGGEST", "NOTE"];
    let rows = calibration.kinds.iter().map(row).collect();
    let mut text = table(&head, head.len(), rows);
    text.push_str(&format!("{}; never applied by itself\n", chosen(calibration.conservatism)));
    match &recorded.no_routines {
        None => text.push_str(
            "threads are distinguished by start routine, name and maker; `-` started without the C library's \
             `pthread_create`, or is not known\n",
        ),
        Some(why) => text.push_str(&format!(
            "threads are distinguished by name and maker: their start routines are not known ({why})\n"
        )),
    }
    let routines = calibration.kinds.iter().filter_map(|kind| kind.routine.as_deref());
    let common: BTreeMap<_, _> =
        routines.filter_map(|routine| Some((routine, language_of(routine)?))).collect();
    for (routine, language) in common {
        text.push_str(&format!(
            "`{routine}` starts every thread of {language}: only name and maker distinguish them\n"
        ));
    }
    if args.pid.is_some() {
        text.push_str("makers and start routines of threads that existed before are not known\n");
    }
    if kernel::clock_varies() {
        text.push_str("the processors' clock varies: the same work takes longer when it is low\n");
    }
    text
}

fn row(kind: &Kind) -> Vec<String> {
    let dash = || "-".to_owned();
    let habit = &kind.habit;
    let many = if kind.count > 1 { format!(" x {}", kind.count) } else { String::new() };
    let parent = kind.parent.clone().unwrap_or_else(dash);
    let routine = kind.routine.as_deref().map_or_else(dash, in_short);
    let [p50, p99, max] = [kind.need.p50, kind.need.p99, kind.need.max].map(shown);
    let need = format!("{p50} / {p99} / {max}");
    let name = format!("{}{many}", kind.name);
    let Some((period, amount)) = habit.period.zip(kind.amount) else {
        let perhaps = habit.period.map_or_else(String::new, |period| {
            format!(
                " (perhaps {}, {} of them on time)",
                shown(period),
                hundredths(habit.confidence)
            )
        });
        let note = format!("{}{perhaps}, {} wake-ups", kind.why_not, habit.wakeups);
        return vec![
            name,
            routine,
            parent,
            dash(),
            dash(),
            format!("{need} per wake"),
            dash(),
            note,
        ];
    };
    let cut = if kind.cut { ", cut to the period" } else { "" };
    vec![
        name,
        routine,
        parent,
        format!("{} \u{b1}{}", shown(period), shown(habit.jitter)),
        hundredths(habit.confidence),
        need,
        format!("{}/{}", shown(amount), shown(period)),
        format!("{} periods{cut}", habit.periods),
    ]
}

fn chosen(conservatism: Conservatism) -> String {
    match conservatism {
        Conservatism::Max(margin) => {
            format!(
                "amounts: the most that a period took x {}, rounded up to 1us",
                hundredths(margin)
            )
        }
        Conservatism::P99 => {
            "amounts: what 99 of 100 periods took at most, rounded up to 1us".to_owned()
        }
    }
}

/// A name of at most 32 characters; of a longer one, as compilers make them, the beginning and the end.
fn in_short(name: &str) -> String {
    let all: Vec<char> = name.chars().collect();
    match all.as_slice() {
        all if all.len() <= 32 => name.to_owned(),
        all => [&all[..14], &['.', '.'], &all[all.len() - 16..]].concat().into_iter().collect(),
    }
}

/// To a microsecond.
fn shown(span: Span) -> String {
    Span::from_nanos(span.as_nanos().saturating_add(500) / 1_000 * 1_000).to_string()
}

/// Two places, cut off.
fn hundredths(ratio: Ratio) -> String {
    let all = ratio.numerator().saturating_mul(100) / ratio.denominator();
    format!("{}.{:02}", all / 100, all % 100)
}

fn profile(
    calibration: &Calibration,
    recorded: &Recorded,
    args: &CalibrateArgs,
) -> Result<Profile, VerbError> {
    let Some(Image { executable, libraries }) = &recorded.image else {
        let who = args.command.first().cloned().unwrap_or_else(|| "the process".to_owned());
        return Err(VerbError(format!(
            "windfall: what `{who}` executes could not be read, so its profile has no key; let it run longer"
        )));
    };
    let sum = |path: &Path| {
        checksum(path).map_err(|error| VerbError(format!("windfall: {}: {error}", path.display())))
    };
    let mut profile = Profile::new(executable.display().to_string(), sum(executable)?);
    (profile.kernel, profile.watched) = (kernel::release(), recorded.length.to_string());
    (profile.chosen, profile.lost) = (chosen(calibration.conservatism), calibration.lost.0);
    for library in libraries.iter().filter(|library| library.is_file()) {
        profile.libraries.insert(library.display().to_string(), sum(library)?);
    }
    profile.threads = calibration.kinds.iter().map(profiled).collect();
    Ok(profile)
}

fn profiled(kind: &Kind) -> ProfiledThread {
    let period = kind.habit.period.filter(|_| kind.amount.is_some());
    let mut thread = ProfiledThread::default();
    thread.name.clone_from(&kind.name);
    thread.routine.clone_from(&kind.routine);
    thread.parent.clone_from(&kind.parent);
    thread.count = kind.count;
    // The same amount in a shorter period is more, never less.
    thread.period = period
        .map(|period| Span::from_nanos((period.as_nanos() / 1_000 * 1_000).max(1)).to_string());
    thread.amount = kind.amount.map(|amount| amount.to_string());
    thread.confidence = hundredths(kind.habit.confidence);
    thread.periods = kind.habit.periods;
    thread.need = [kind.need.p50, kind.need.p99, kind.need.max].map(|span| span.to_string());
    thread.note = Some(kind.why_not.clone()).filter(|note| !note.is_empty());
    thread
}

/// What is another than when a profile was made, beside its executable.
fn changes(profile: &Profile) -> Vec<String> {
    let mut changes = Vec::new();
    if profile.kernel != kernel::release() {
        changes.push(format!("the kernel was {}, and is {}", profile.kernel, kernel::release()));
    }
    for (path, sum) in &profile.libraries {
        match checksum(Path::new(path)) {
            Ok(own) if own == *sum => {}
            Ok(_) => changes.push(format!("`{path}` has changed")),
            Err(error) => changes.push(format!("`{path}`: {error}")),
        }
    }
    changes
}

/// Where a user's own profile of a name lies.
fn own_place(name: &str) -> Result<PathBuf, VerbError> {
    if name.is_empty() || name.starts_with('.') || name.contains('/') {
        return Err(VerbError(format!(
            "windfall: `{name}` is no name for a profile; use letters and digits"
        )));
    }
    let set =
        |key: &str| std::env::var_os(key).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = set("XDG_CONFIG_HOME").or_else(|| set("HOME").map(|home| home.join(".config")));
    let folder = home.ok_or_else(|| {
        VerbError("windfall: no place for profiles; set XDG_CONFIG_HOME or HOME".to_owned())
    })?;
    Ok(folder.join("windfall/profiles").join(format!("{name}.toml")))
}

/// Where profiles are kept: the user's own, then the machine's, then those that came with programs.
pub(crate) struct Shelf;

impl Profiles for Shelf {
    fn profile(&self, name: &str) -> Result<Profile, String> {
        let own = own_place(name).map_err(|VerbError(why)| why)?;
        let file = format!("windfall/profiles/{name}.toml");
        let places =
            [own.clone(), PathBuf::from("/etc").join(&file), PathBuf::from("/usr/lib").join(&file)];
        let Some(place) = places.iter().find(|place| place.exists()) else {
            return Err(format!("there is none; `{}` is where yours would lie", own.display()));
        };
        let text = read_text(place).map_err(|why| format!("{}: {why}", place.display()))?;
        let profile = Profile::parse(&text).map_err(|why| format!("{}: {why}", place.display()))?;
        for change in changes(&profile) {
            print_error(&format!(
                "warning: profile `{name}`: {change}; calibrate again to be sure\n"
            ));
        }
        Ok(profile)
    }

    fn checksum(&self, program: &ExternalProgram) -> Result<(String, String), String> {
        let path = match program {
            ExternalProgram::Exec { command, .. } => {
                let program = command.first().map_or("", String::as_str);
                found(program).ok_or_else(|| format!("there is no program `{program}`"))?
            }
            ExternalProgram::Pid(pid) => {
                let image = i32::try_from(*pid).ok().and_then(Image::of);
                image
                    .ok_or_else(|| format!("what process {pid} executes cannot be read"))?
                    .executable
            }
            _ => {
                return Err("which executable is meant is only known of `exec` and `pid`; name the program so".to_owned());
            }
        };
        let sum = checksum(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok((path.display().to_string(), sum))
    }
}
