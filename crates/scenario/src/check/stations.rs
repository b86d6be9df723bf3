//! Stations of the machine: that each can be written, takes time, and is one that steps name (decision 0044).

use super::Checker;
use super::names::{shown, unfit};
use crate::diagnostic::Code;
use crate::model::Step;
use crate::source::Path;
use crate::suggest;

/// How many stations a machine may have.
const MOST: usize = 1024;

pub(super) fn check(checker: &mut Checker<'_>) {
    let stations = &checker.scenario.machine.stations;
    let all = Path::of(&["machine", "stations"]);
    if stations.len() > MOST {
        let message = format!("{} stations are too many", stations.len());
        let help = format!("write at most {MOST}");
        checker.wrong(Code::TooMany, std::slice::from_ref(&all), message, &help);
    }
    for (number, station) in stations.iter().enumerate() {
        let path = all.key(&station.name);
        if let Some(why) = unfit(&station.name) {
            let message = format!("the station's name `{}` {why}", shown(&station.name));
            let help = "use letters, digits, `-`, `_`, `.` and the like, at most 64 characters";
            checker.wrong_key(Code::InvalidName, &path, message, help);
        }
        if stations[..number].iter().any(|other| other.name == station.name) {
            let message = format!("there is a station `{}` already", station.name);
            checker.wrong_key(Code::DuplicateName, &path, message, "give it another name");
        }
        if station.service.is_zero() {
            let help = "write a length of time above zero, as `service = \"10.4us\"`";
            let message = "a station that serves in no time";
            checker.wrong(Code::ZeroTime, &[path.key("service")], message, help);
        }
        for (at, call) in station.calls.iter().enumerate() {
            if station.calls[..at].contains(call) {
                let message = format!("`{}` visits `{}` already", call.text(), station.name);
                let path = path.key("calls").item(at);
                checker.wrong(Code::DuplicateName, &[path], message, "name each call once");
            }
        }
    }
}

/// A step that visits a station names one.
pub(super) fn step(checker: &mut Checker<'_>, step: &Step, path: &Path) {
    let Some(name) = step.station() else { return };
    let stations = &checker.scenario.machine.stations;
    if !stations.iter().any(|station| station.name == *name) {
        let names = stations.iter().map(|station| station.name.as_str());
        let message = format!("the machine has no station `{name}`");
        let help = match stations.len() {
            0 => format!("add `[machine.stations.{name}]` with its `service`"),
            _ => suggest::hint(name, names),
        };
        checker.wrong(Code::UnknownStation, &[path.key("visit")], message, &help);
    }
}
