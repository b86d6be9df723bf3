//! Profiles of programs: how one is made of a calibration, and where they are kept.

#[cfg(feature = "machine")]
mod made;

#[cfg(feature = "machine")]
pub(crate) use made::made;

use crate::output::print_error;
use std::path::{Path, PathBuf};
use windfall_observe::image::{Image, checksum, found};
use windfall_observe::kernel;
use windfall_scenario::model::ExternalProgram;
use windfall_scenario::{Profile, ProfileError, Profiles, read_text};

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
