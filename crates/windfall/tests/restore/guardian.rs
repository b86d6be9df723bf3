//! Guardians that are killed, alone or with their run.

use super::*;

#[test]
fn law_a_guardian_that_is_killed_is_replaced() {
    if !real::is_ready() {
        return;
    }
    let _alone = alone();
    let before = throttle();
    let run = Run::begin(&scenario("guardian", "20s", BUSY));
    let supervisor = run.pid();
    let mut quickest = Duration::MAX;
    for _ in 0..3 {
        let guardian = run.guardian().unwrap();
        let killed = Instant::now();
        send(guardian, Signal::KILL);
        let another = || run.guardian().is_some_and(|pid| pid != guardian);
        assert!(until(Duration::from_secs(2), another), "nobody guards the run");
        println!("another guardian after {:?}", killed.elapsed());
        quickest = quickest.min(killed.elapsed());
    }
    assert!(quickest <= Duration::from_millis(100), "{quickest:?}");
    // The last one works as the first does, and says so.
    run.signal(Signal::KILL);
    let (_, said) = run.results();
    let ordinary = || children(1).into_iter().all(|pid| !matches!(class(pid), Some((1, 70..=74))));
    assert!(until(Duration::from_secs(1), || ordinary() && throttle() == before));
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("restore/guardian.errors");
    let words = || fs::read_to_string(&file).unwrap();
    assert!(
        until(Duration::from_secs(1), || words().contains("the guardian ended the run")),
        "{said}"
    );
    assert!(words().contains(&format!("process {supervisor} ended")), "{}", words());
    let doctor = String::from_utf8_lossy(&windfall(&["doctor", "--json"]).stdout).into_owned();
    assert!(doctor.contains("the guardian ended the run"), "{doctor}");
    end_busy();
}

/// A control group in which nobody may fork; it goes when it is dropped, after its processes have ended.
struct NoForks(PathBuf);

impl NoForks {
    /// Nothing, and why, where such a group cannot be made.
    fn new() -> Option<NoForks> {
        let name = format!("windfall-test-{}", std::process::id());
        let places = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"];
        for group in places.map(|place| Path::new(place).join(&name)) {
            if fs::create_dir(&group).is_err() {
                continue;
            }
            let group = NoForks(group);
            if fs::write(group.0.join("pids.max"), "1").is_ok() {
                return Some(group);
            }
        }
        skip(Needs::Other, "there is no control group with a limit of processes".to_owned());
        None
    }

    fn take(&self, pid: i32) {
        fs::write(self.0.join("cgroup.procs"), pid.to_string()).unwrap();
    }
}

impl Drop for NoForks {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn law_a_run_that_cannot_post_another_guardian_ends() {
    if !real::is_ready() {
        return;
    }
    let Some(no_forks) = NoForks::new() else { return };
    let _alone = alone();
    let before = throttle();
    let mut run = Run::begin(&scenario("unguarded", "20s", BUSY));
    let (supervisor, guardian) = (run.pid(), run.guardian().unwrap());
    no_forks.take(supervisor);
    send(guardian, Signal::KILL);
    let killed = Instant::now();
    let ordinary = || throttle() == before && !run.supervises();
    assert!(until(Duration::from_secs(1), ordinary), "it goes on without a guardian");
    println!("everything is given back after {:?}", killed.elapsed());
    assert!(until(Duration::from_secs(5), || run.has_ended()));
    let (status, said) = run.results();
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("the guardian had ended, and no other could be posted"), "{said}");
    assert!(said.contains("hard-1"), "results: {said}");
    assert_eq!(groups(supervisor), "");
}

#[test]
fn law_what_a_run_and_its_guardian_leave_is_restored() {
    if !real::is_ready() {
        return;
    }
    let _alone = alone();
    let before = throttle();
    for by_next_run in [false, true] {
        let file = scenario("both", "20s", BUSY);
        let mut run = Run::begin(&file);
        let programs = descendants(run.pid());
        let guardian = run.guardian().unwrap();
        send(guardian, Signal::STOP);
        run.signal(Signal::KILL);
        send(guardian, Signal::KILL);
        let supervisor = run.pid();
        // While one of them is about to end, a run is under way.
        let has_ended = |pid| fields(pid).is_none_or(|fields| fields[0] == "Z");
        let ended = || has_ended(supervisor) && has_ended(guardian);
        assert!(until(Duration::from_secs(5), ended), "the run and its guardian have not ended");
        let program = programs.into_iter().find(|pid| *pid != guardian).unwrap();
        assert!(matches!(class(program), Some((1, 70..=74))), "{:?}", class(program));
        let doctor = String::from_utf8_lossy(&windfall(&["doctor"]).stdout).into_owned();
        assert!(doctor.contains("windfall restore"), "{doctor}");
        if by_next_run {
            let next = Run::begin(&scenario("next", "20s", BUSY));
            next.signal(Signal::TERM);
            let (_, said) = next.results();
            assert!(said.contains(&format!("the run of process {supervisor} had died")), "{said}");
        } else {
            let output = windfall(&["restore"]);
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(said.contains(&format!("the run of process {supervisor} had died")), "{said}");
            let again = String::from_utf8_lossy(&windfall(&["restore"]).stdout).into_owned();
            assert_eq!(again, "nothing is left to restore\n");
        }
        let _ = run.child.wait();
        assert_eq!(class(program), Some((0, 0)));
        assert_eq!(affinity(program), affinity(std::process::id().cast_signed()));
        assert_eq!(throttle(), before);
        assert_eq!(groups(supervisor), "");
        end_busy();
    }
}
