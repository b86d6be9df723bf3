//! Profiles of programs: how one is made of a calibration, and where they are kept.

use crate::VerbError;
use crate::output::print_error;
use std::path::{Path, PathBuf};
use windfall_observe::image::{Image, checksum, found};
use windfall_observe::kernel;
use windfall_programs::learn::{Calibration, Kind};
use windfall_record::Recorded;
use windfall_report::calibrate::chosen;
use windfall_report::terminal::hundredths;
use windfall_scenario::model::ExternalProgram;
use windfall_scenario::{Profile, ProfileError, ProfiledThread, Profiles, read_text};
use windfall_time::Span;

/// The profile of a program that was recorded.
pub(crate) fn made(
    calibration: &Calibration,
    recorded: &Recorded,
    command: &[String],
) -> Result<Profile, VerbError> {
    let Some(Image { executable, libraries, .. }) = &recorded.image else {
        let who = command.first().cloned().unwrap_or_else(|| "the process".to_owned());
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

/// Everything that has changed since a profile was made, apart from the executable.
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
pub(crate) fn own_place(name: &str) -> Result<PathBuf, ProfileError> {
    if name.is_empty() || name.starts_with('.') || name.contains('/') {
        return Err(ProfileError::InvalidName(name.to_owned()));
    }
    let set =
        |key: &str| std::env::var_os(key).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = set("XDG_CONFIG_HOME").or_else(|| set("HOME").map(|home| home.join(".config")));
    let folder = home.ok_or(ProfileError::NoFolder)?;
    Ok(folder.join("windfall/profiles").join(format!("{name}.toml")))
}

/// Where profiles are kept: the user's own, then the machine's, then those that came with programs.
pub(crate) struct Shelf;

impl Profiles for Shelf {
    fn profile(&self, name: &str) -> Result<Profile, ProfileError> {
        let own = own_place(name)?;
        let file = format!("windfall/profiles/{name}.toml");
        let places =
            [own.clone(), PathBuf::from("/etc").join(&file), PathBuf::from("/usr/lib").join(&file)];
        let Some(place) = places.iter().find(|place| place.exists()) else {
            return Err(ProfileError::Absent(Some(own)));
        };
        let profile = read_text(place).map_err(ProfileError::Text);
        let profile = profile.and_then(|text| Profile::parse(&text));
        let profile = profile.map_err(|why| ProfileError::In(place.clone(), Box::new(why)))?;
        for change in changes(&profile) {
            print_error(&format!(
                "warning: profile `{name}`: {change}; calibrate again to be sure\n"
            ));
        }
        Ok(profile)
    }

    fn checksum(&self, program: &ExternalProgram) -> Result<(String, String), ProfileError> {
        let path = match program {
            ExternalProgram::Exec { command, .. } => {
                let program = command.first().map_or("", String::as_str);
                found(program).ok_or_else(|| ProfileError::NoExecutable(program.to_owned()))?
            }
            ExternalProgram::Pid(pid) => {
                let image = i32::try_from(*pid).ok().and_then(Image::of);
                image.ok_or(ProfileError::Process(*pid))?.executable
            }
            _ => return Err(ProfileError::NoOneExecutable),
        };
        let sum = checksum(&path).map_err(|why| ProfileError::Executable(path.clone(), why))?;
        Ok((path.display().to_string(), sum))
    }
}
