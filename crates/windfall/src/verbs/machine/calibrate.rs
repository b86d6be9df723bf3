//! `windfall calibrate -- COMMAND`

use crate::cli::CalibrateArgs;
use crate::output::{Destinations, print_error, print_json, print_text, width};
use crate::{Answer, VerbError, profiles};
use std::io::Write;
use std::path::Path;
use windfall_observe::kernel;
use windfall_programs::learn::{Calibration, Conservatism, learn};
use windfall_record::{Recorded, Recorder, Wanted};
use windfall_report::calibrate::{self, Watched};
use windfall_report::record;
use windfall_scenario::Profile;
use windfall_time::{Ratio, Span};
use windfall_trace::{Memory, Timeline};

pub(crate) fn run(args: &CalibrateArgs) -> Result<Answer, VerbError> {
    let conservatism = conservatism(&args.conservatism)?;
    args.pid.map_or(Ok(()), is_process)?;
    let place = args.save.as_deref().map(profiles::own_place).transpose()?;
    if let Some(folder) = place.as_deref().and_then(Path::parent) {
        std::fs::create_dir_all(folder)
            .map_err(|error| VerbError(format!("windfall: {}: {error}", folder.display())))?;
    }
    let mut outputs = Destinations::new(args.force.force, [])?;
    let place = place.map(|place| outputs.claim("--save", &place)).transpose()?;
    if args.json {
        outputs.claim_standard("`--json`")?;
    }
    outputs.keep_programs_apart()?;
    let command = args.command.clone();
    let wanted = Wanted { command, pid: args.pid, length: args.length, routines: true };
    let mut memory = Memory::default();
    let recorded = Recorder::open()?.run(&wanted, &mut memory)?;
    let timeline = Timeline::build(memory.records.iter().cloned());
    let mut learned = learn(memory.records);
    learned.retain(|thread| thread.of_command);
    let calibration = Calibration::new(&learned, &timeline, &recorded.origins, conservatism);
    if args.json {
        print_json(calibrate::json(&calibration, &recorded))?;
    } else {
        print_error(&record::text(&recorded));
        let watched = Watched { joined: args.pid.is_some(), clock_varies: kernel::clock_varies() };
        print_text(&calibrate::text(&calibration, &recorded, watched, width()))?;
    }
    if let (Some(place), Some(name)) = (&place, &args.save) {
        keeps_a_longer_one(&profiles::own_place(name)?, &recorded)?;
        let profile = profiles::made(&calibration, &recorded, &args.command)?;
        place.write(|out| out.write_all(profile.write().as_bytes()))?;
        let ended = match recorded.interrupted {
            true => format!("; a signal ended the calibration after {}", recorded.length),
            false => String::new(),
        };
        let wrote = place.wrote(&format!("; a scenario names it by `profile = \"{name}\"`{ended}"));
        if args.json {
            print_error(&wrote);
        } else {
            print_text(&wrote)?;
        }
    }
    let some = calibration.kinds.iter().any(|kind| kind.amount.is_some());
    Ok(if some { Answer::Yes } else { Answer::No })
}

/// Refuses to replace a profile by one that a signal ended sooner.
fn keeps_a_longer_one(place: &Path, recorded: &Recorded) -> Result<(), VerbError> {
    let there = std::fs::read_to_string(place).ok().and_then(|text| Profile::parse(&text).ok());
    let watched = there.and_then(|profile| profile.watched.parse::<Span>().ok());
    match watched.filter(|watched| recorded.interrupted && *watched > recorded.length) {
        None => Ok(()),
        Some(watched) => Err(VerbError(format!(
            "windfall: {} stays as it was: its program was watched for {watched}, and a signal ended this calibration after {}; \
             calibrate again, or name another profile with `--save`",
            place.display(),
            recorded.length
        ))),
    }
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
