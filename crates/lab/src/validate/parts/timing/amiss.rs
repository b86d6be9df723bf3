//! The findings of `windfall doctor` that delay any thread, with their remedies.

use windfall_doctor::{Check, State};

/// The purposes of its checks that matter to a thread that is to run in each period; the others are about `windfall run`.
const PURPOSES: [&str; 4] =
    ["reservations on real threads", "time for other threads", "timers", "no rivals"];

/// Of other purposes, what takes time from such a thread as well.
const SUBJECTS: [&str; 2] = ["hypervisor", "stays on the processor"];

/// A remedy for each of these checks that is not well.
pub(super) fn remedies(checks: &[Check]) -> Vec<String> {
    let matters = |check: &&Check| {
        let of_threads = PURPOSES.contains(&check.purpose) || SUBJECTS.contains(&check.subject);
        check.state != State::Yes && of_threads
    };
    let remedy = |check: &Check| {
        let Check { subject, found, remedy, .. } = check;
        remedy.as_ref().map(|remedy| format!("{subject} ({found}): {remedy}"))
    };
    checks.iter().filter(matters).filter_map(remedy).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_each_check_that_matters_and_is_not_well_has_its_remedy() {
        let mut checks = windfall_doctor::examine().unwrap().checks;
        for purpose in PURPOSES {
            assert!(checks.iter().any(|check| check.purpose == purpose), "{purpose}");
        }
        let hypervisor = checks.iter().position(|check| check.subject == "hypervisor").unwrap();
        for check in &mut checks {
            check.state = State::Yes;
        }
        assert_eq!(remedies(&checks), Vec::<String>::new());
        let mut wrong = checks.iter_mut().filter(|check| check.purpose == "timers");
        let wrong = wrong.next().unwrap();
        (wrong.state, wrong.found) = (State::Limited, "4 ms".to_owned());
        wrong.remedy = Some("boot with highres=on".to_owned());
        let subject = wrong.subject;
        let other = checks.iter_mut().find(|check| check.purpose == "rights").unwrap();
        (other.state, other.remedy) = (State::No, Some("be root".to_owned()));
        assert_eq!(remedies(&checks), [format!("{subject} (4 ms): boot with highres=on")]);
        checks[hypervisor].state = State::Limited;
        checks[hypervisor].remedy = Some("a processor of its own".to_owned());
        assert_eq!(remedies(&checks).len(), 2);
    }
}
