//! The findings of `windfall doctor` that delay any thread, with their remedies.

use windfall_doctor::{Check, State};

/// The purposes of its checks that matter to a thread that is to run in each period; the others are about `windfall run`.
const PURPOSES: [&str; 4] =
    ["reservations on real threads", "time for other threads", "timers", "no rivals"];

/// A remedy for each of these checks that is not well.
pub(super) fn remedies(checks: &[Check]) -> Vec<String> {
    let matters = |check: &&Check| check.state != State::Yes && PURPOSES.contains(&check.purpose);
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
    }
}
