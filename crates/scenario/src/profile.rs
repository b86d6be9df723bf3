//! Profiles: the results of calibrating an executable, kept in a file (HLS 8.5.2), and put into scenarios.
//!
//! A profile belongs to one executable, known by its SHA-256. A scenario's thread that names a profile gets the period and amount of the
//! kind of thread that it matches, by name, and by start routine if both have one: as its model, and, below a scheduler of reservations,
//! as its guarantee if it requires none. If the executable has changed since, this is refused.
//!
//! Absent on purpose: the folder of profiles, and the checksum of a file ([`Profiles`] provides both).

mod error;

pub use error::ProfileError;

use crate::diagnostic::{Code, Diagnostics, ScenarioError};
use crate::model::{ExternalProgram, Run, Scenario, Thread, ThreadMatch};
use crate::source::Path;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use windfall_time::Span;
use windfall_trace::glob::fits;

/// The version of the files that are written, and the only one that is read.
const VERSION: u32 = 1;

/// The data about an executable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Profile {
    /// Version of the form.
    pub version: u32,
    /// The executable's path when it was calibrated.
    pub executable: String,
    /// Its SHA-256 in hexadecimal digits.
    pub sha256: String,
    /// The kernel's release then.
    pub kernel: String,
    /// How long it was watched.
    pub watched: String,
    /// How amounts were chosen.
    pub chosen: String,
    /// How many events were lost meanwhile.
    pub lost: u64,
    /// Its kinds of threads.
    #[serde(default)]
    pub threads: Vec<ProfiledThread>,
    /// SHA-256 of the shared libraries that it had loaded.
    #[serde(default)]
    pub libraries: BTreeMap<String, String>,
}

/// Threads of an executable that are considered equal. Times are as in scenarios.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct ProfiledThread {
    /// Their name.
    pub name: String,
    /// The routine that they start with, if it is known: a file's name and a symbol (`player:decode`), or the offset in
    /// the file (`libstdc++.so.6+0xe1a20`).
    pub routine: Option<String>,
    /// The name of the thread that made them.
    pub parent: Option<String>,
    /// How many there were.
    pub count: usize,
    /// Their period, if they have one.
    pub period: Option<String>,
    /// The suggested amount for each period.
    pub amount: Option<String>,
    /// The share of periods that began on time.
    pub confidence: String,
    /// The number of periods.
    pub periods: u64,
    /// The most that half of the periods, or wake-ups, took; 99 of 100; all.
    pub need: [String; 3],
    /// Why there is no period.
    pub note: Option<String>,
}

/// A store of profiles.
///
/// ```
/// use windfall_scenario::model::ExternalProgram;
/// use windfall_scenario::{Profile, ProfileError, Profiles, Scenario};
///
/// /// One profile, of one executable.
/// struct One(Profile);
///
/// impl Profiles for One {
///     fn profile(&self, name: &str) -> Result<Profile, ProfileError> {
///         if name == "player" { Ok(self.0.clone()) } else { Err(ProfileError::Absent(None)) }
///     }
///     fn checksum(&self, _: &ExternalProgram) -> Result<(String, String), ProfileError> {
///         Ok((self.0.executable.clone(), self.0.sha256.clone()))
///     }
/// }
///
/// let profiles = One(Profile::new("/usr/bin/player".to_owned(), "0".repeat(64)));
/// let text = r#"
/// schema = 2
/// length = "1 s"
/// schedulers.root = { scheduler = "round-robin", parent = "top" }
/// threads.player  = { parent = "root", exec = ["player"], profile = "play" }
/// "#;
/// let mut scenario = Scenario::parse("a.toml", text).map_err(|mistakes| mistakes.render(false))?;
/// let refused = scenario.apply_profiles(&profiles).expect_err("it has another name");
/// assert!(refused.render(false).contains("there is no such profile"));
/// # Ok::<(), String>(())
/// ```
pub trait Profiles {
    /// The profile of a name.
    ///
    /// # Errors
    /// Why there is none.
    fn profile(&self, name: &str) -> Result<Profile, ProfileError>;

    /// The path and the SHA-256 of a program's executable.
    ///
    /// # Errors
    /// Why they cannot be determined.
    fn checksum(&self, program: &ExternalProgram) -> Result<(String, String), ProfileError>;
}

impl Profile {
    /// A profile without threads.
    #[must_use]
    pub fn new(executable: String, sha256: String) -> Profile {
        let (kernel, watched, chosen) = (String::new(), String::new(), String::new());
        let (threads, libraries) = (Vec::new(), BTreeMap::new());
        Profile {
            version: VERSION,
            executable,
            sha256,
            kernel,
            watched,
            chosen,
            lost: 0,
            threads,
            libraries,
        }
    }

    /// Reads a profile's file.
    ///
    /// # Errors
    /// The first mistake in it.
    pub fn parse(text: &str) -> Result<Profile, ProfileError> {
        let profile: Profile = toml::from_str(text).map_err(ProfileError::Syntax)?;
        if profile.version != VERSION {
            return Err(ProfileError::Version(profile.version));
        }
        Ok(profile)
    }

    /// The file.
    #[must_use]
    pub fn write(&self) -> String {
        toml::to_string(self).expect("texts and numbers, and tables behind them, are TOML")
    }

    /// Amount and period of the one kind of periodic threads that fits.
    fn of(&self, wanted: &ThreadMatch) -> Result<(Span, Span), ProfileError> {
        let comm = wanted.comm.as_deref().unwrap_or("*");
        let starts = |thread: &&ProfiledThread| match (&wanted.routine, &thread.routine) {
            (Some(pattern), Some(routine)) => fits(pattern, routine),
            _ => true,
        };
        let periodic =
            |thread: &&ProfiledThread| thread.period.is_some() && thread.amount.is_some();
        let fitting: Vec<&ProfiledThread> = self
            .threads
            .iter()
            .filter(periodic)
            .filter(|thread| fits(comm, &thread.name))
            .filter(starts)
            .collect();
        let words = |threads: &[&ProfiledThread]| threads.iter().map(|one| one.words()).collect();
        match fitting.as_slice() {
            [thread] => {
                let span = |text: &Option<String>| {
                    text.as_deref()
                        .and_then(|text| text.parse::<Span>().ok())
                        .filter(|s| !s.is_zero())
                };
                span(&thread.amount)
                    .zip(span(&thread.period))
                    .filter(|(amount, period)| amount <= period)
                    .ok_or_else(|| ProfileError::NoTimes(thread.name.clone()))
            }
            [] => {
                let all: Vec<&ProfiledThread> = self.threads.iter().filter(periodic).collect();
                Err(match all.as_slice() {
                    [] => ProfileError::NonePeriodic,
                    all => ProfileError::NoneFits {
                        name: comm.to_owned(),
                        routine: wanted.routine.clone(),
                        periodic: words(all),
                    },
                })
            }
            several => Err(ProfileError::SeveralFit(words(several))),
        }
    }
}

impl ProfiledThread {
    /// Its name, and where it starts.
    fn words(&self) -> String {
        let routine = self.routine.as_ref().map(|routine| format!(" (starts at `{routine}`)"));
        format!("`{}`{}", self.name, routine.unwrap_or_default())
    }
}

impl Scenario {
    /// Replaces the names of profiles by their contents.
    ///
    /// # Errors
    /// A profile that cannot be had, does not know the thread, or belongs to another executable.
    pub fn apply_profiles(&mut self, profiles: &dyn Profiles) -> Result<(), Diagnostics> {
        let mut mistakes = Vec::new();
        for at in 0..self.threads.len() {
            let thread = &self.threads[at];
            let Run::Profile(name) = &thread.run else { continue };
            match self.look_up(thread, name, profiles) {
                Ok((amount, period)) => {
                    let parent =
                        thread.parent.as_deref().and_then(|name| self.scheduler_named(name));
                    let reserves = parent
                        .and_then(|parent| self.kind_of(parent))
                        .is_some_and(|kind| kind.properties.reserves);
                    let requires = &thread.requires;
                    let wanting = reserves
                        && requires.guarantee.is_none()
                        && requires.reservation().is_none();
                    let guarantee =
                        format!("RESBH {amount} {period}").parse().ok().filter(|_| wanting);
                    let thread = &mut self.threads[at];
                    thread.requires.guarantee = thread.requires.guarantee.take().or(guarantee);
                    thread.run = Run::periodic(amount, period);
                }
                Err(why) => {
                    let path = Path::of(&["threads", &thread.name]).key("profile");
                    let place = self.origin.find(&[path]);
                    let help = "calibrate it again: `windfall calibrate --save NAME -- COMMAND`";
                    mistakes.push(
                        ScenarioError::new(
                            Code::Profile,
                            format!("profile `{name}`: {why}"),
                            place,
                        )
                        .help(help),
                    );
                }
            }
        }
        Diagnostics::of(&self.origin, mistakes).map_or(Ok(()), Err)
    }

    fn look_up(
        &self,
        thread: &Thread,
        name: &str,
        profiles: &dyn Profiles,
    ) -> Result<(Span, Span), ProfileError> {
        let profile = profiles.profile(name)?;
        let external = thread.external.as_ref().ok_or(ProfileError::NoProgram)?;
        let mut program = &external.program;
        if let ExternalProgram::Of(other) = program {
            let found = self.threads.iter().find(|thread| thread.name == *other);
            let found = found.and_then(|thread| thread.external.as_ref());
            let unknown = || ProfileError::UnknownProgram(other.clone());
            program = &found.ok_or_else(unknown)?.program;
        }
        let (path, sha256) = profiles.checksum(program)?;
        if sha256 != profile.sha256 {
            let (profiled, own_sha256) = (profile.executable, sha256);
            let sha256 = profile.sha256;
            return Err(ProfileError::Changed { profiled, sha256, path, own_sha256 });
        }
        profile.of(&external.threads)
    }
}

#[cfg(test)]
mod tests;
