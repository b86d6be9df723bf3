//! Scenarios whose programs visit stations, which only the simulated machine has (decision 0044).

use windfall_os::LinuxError;
use windfall_programs::{Program, Station};
use windfall_scenario::{Plan, PlannedProgram};

/// Refuses a plan with a program whose steps visit a station. Stations that only calls visit are left out, as the costs of calls are.
pub(crate) fn refuse(plan: &Plan) -> Result<(), LinuxError> {
    for thread in &plan.threads {
        let PlannedProgram::Declared(Program::Phases { phases, .. }) = &thread.program else {
            continue;
        };
        let mut steps = phases.iter().flat_map(|phase| &phase.steps);
        if let Some(Station(number)) = steps.find_map(|step| step.station()) {
            let station = plan.machine.stations.get(*number);
            let station = station.map_or("?", |station| station.name.as_str());
            return Err(LinuxError::unavailable(
                "cannot run this scenario on real threads",
                format!(
                    "`{}` visits the station `{station}`, and only the simulated machine has stations",
                    thread.name
                ),
                "use `windfall simulate`, or write what a visit takes here as a `run` step",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use windfall_scenario::Scenario;

    fn plan(steps: &str) -> Plan {
        let text = format!(
            "schema = 2\nlength = \"1s\"\n[machine.stations.bus]\nservice = \"1us\"\ncalls = [\"decision\"]\n\
             [schedulers.rr]\nscheduler = \"round-robin\"\nparent = \"top\"\n[threads.a]\nsteps = [{{ run = \"1ms\" }}{steps}]\n"
        );
        Scenario::parse("s.toml", &text).unwrap().build().unwrap()
    }

    #[test]
    fn refuses_a_step_that_visits_a_station_and_accepts_one_that_only_calls_visit() {
        assert!(refuse(&plan("")).is_ok());
        let text = refuse(&plan(", { visit = \"bus\" }")).unwrap_err().to_string();
        for part in ["`a` visits the station `bus`", "windfall simulate"] {
            assert!(text.contains(part), "{text}");
        }
    }
}
