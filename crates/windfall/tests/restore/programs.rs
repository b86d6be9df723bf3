//! How programs of a run end, and what they leave.

use super::*;

#[test]
fn law_no_control_group_stays_behind_a_program_that_forks() {
    if !real::is_ready() {
        return;
    }
    let _alone = alone();
    let forks = r#"
[threads.forks]
parent    = "res"
guarantee = "RESBH 3ms 10ms"
exec      = ["sh", "-c", "while :; do (:) & (:) & wait; done"]
"#;
    for round in 0..6 {
        let run = Run::begin(&scenario("forks", "20s", forks));
        std::thread::sleep(Duration::from_millis(300 + 50 * round));
        let supervisor = run.pid();
        let killed = round % 3 == 2;
        run.signal(if killed { Signal::KILL } else { Signal::TERM });
        let (_, said) = run.results();
        let gone = || groups(supervisor).is_empty();
        assert!(
            until(Duration::from_secs(1), gone),
            "round {round}: {}\n{said}",
            groups(supervisor)
        );
        end_busy();
    }
}

#[test]
fn law_what_a_program_has_made_ends_with_the_run() {
    if !real::is_ready() {
        return;
    }
    let _alone = alone();
    let makes = r#"
[threads.makes]
parent = "ts"
exec   = ["sh", "-c", "sleep 313 & (sleep 313 &) ; sleep 313"]
"#;
    let run = Run::begin(&scenario("makes", "20s", makes));
    let sleeping = || {
        let words = |pid: &i32| fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        numbers("/proc").into_iter().filter(|pid| words(pid) == b"sleep\x00313\0").count()
    };
    assert!(until(Duration::from_secs(5), || sleeping() == 3), "{}", sleeping());
    run.signal(Signal::TERM);
    let (_, said) = run.results();
    assert_eq!(sleeping(), 0, "{said}");
    assert!(
        said.contains("processes that the run's programs had left behind ended with it"),
        "{said}"
    );
}

#[test]
fn accepts_programs_that_end_badly_and_says_how() {
    if !real::is_ready() {
        return;
    }
    let _alone = alone();
    let program = |name: &str, end: &str| {
        let command = format!("exec = [\"sh\", \"-c\", \"sleep 2; {end}\"]");
        format!("[threads.{name}]\nparent = \"ts\"\n{command}\n")
    };
    let all =
        [program("well", "exit 0"), program("badly", "exit 3"), program("killed", "kill -9 $$")];
    let (status, said) = Run::begin(&scenario("badly", "20s", &all.concat())).results();
    assert_eq!(status, Some(0), "{said}");
    for line in ["`badly` ended with status 3", "`killed` was ended by signal 9", "had ended after"]
    {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert!(!said.contains("`well`"), "{said}");
}
