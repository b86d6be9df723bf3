use super::*;
use windfall_programs::Work;

struct Store(&'static str);

impl Profiles for Store {
    fn profile(&self, name: &str) -> Result<Profile, ProfileError> {
        if name != "player" {
            return Err(ProfileError::Absent(None));
        }
        let mut profile = Profile::new("/usr/bin/player".to_owned(), "abc".to_owned());
        let threads = [
            ("loop", None, Some("10ms")),
            ("other", None, Some("10ms")),
            ("ui", None, None),
            ("twin", Some("player:fast"), Some("10ms")),
            ("twin", Some("player:slow"), Some("25ms")),
        ];
        for (name, routine, period) in threads {
            let period = period.map(str::to_owned);
            let amount = period.as_ref().map(|_| "3ms".to_owned());
            let (name, routine) = (name.to_owned(), routine.map(str::to_owned));
            profile.threads.push(ProfiledThread {
                name,
                routine,
                period,
                amount,
                ..ProfiledThread::default()
            });
        }
        Profile::parse(&profile.write())
    }

    fn checksum(&self, _: &ExternalProgram) -> Result<(String, String), ProfileError> {
        Ok(("/usr/bin/player".to_owned(), self.0.to_owned()))
    }
}

fn applied(entry: &str, sum: &'static str) -> Result<Scenario, String> {
    let text = format!(
        "schema = 2\nseed = 1\nlength = \"1s\"\n[schedulers.res]\nscheduler = \"rez\"\nparent = \"top\"\n\
         [threads.a]\nparent = \"res\"\nexec = [\"player\"]\n{entry}\n"
    );
    let mut scenario = Scenario::parse("a.toml", &text).map_err(|d| d.render(false))?;
    scenario.apply_profiles(&Store(sum)).map_err(|d| d.render(false))?;
    Ok(scenario)
}

#[test]
fn accepts_a_profile_of_the_same_executable() {
    let scenario = applied("profile = \"player\"\nmatch = { comm = \"lo*\" }", "abc").unwrap();
    let thread = &scenario.threads[0];
    assert_eq!(thread.requires.guarantee, "RESBH 3ms 10ms".parse().ok());
    let Run::Jobs(jobs) = &thread.run else { panic!("{:?}", thread.run) };
    assert_eq!(jobs.work, Work::Fixed(Span::from_millis(3)));
}

#[test]
fn accepts_a_profile_below_whatever_reserves() {
    let below = |kind: &str| {
        let text = format!(
            "schema = 2\nseed = 1\nlength = \"1s\"\n[schedulers.s]\nscheduler = \"{kind}\"\nparent = \"top\"\n\
             [threads.a]\nparent = \"s\"\nexec = [\"player\"]\nprofile = \"player\"\nmatch = {{ comm = \"loop\" }}\n"
        );
        let mut scenario = Scenario::parse("a.toml", &text).unwrap();
        scenario.apply_profiles(&Store("abc")).unwrap();
        scenario.threads[0].requires.guarantee
    };
    for kind in ["rez", "rez-c", "cbs", "resource-kernel"] {
        assert_eq!(below(kind), "RESBH 3ms 10ms".parse().ok(), "{kind}");
    }
    assert_eq!(below("round-robin"), None);
}

#[test]
fn paper_threads_of_one_name_are_told_apart_by_their_start_routines() {
    let of = |only: &str| applied(&format!("profile = \"player\"\nmatch = {only}"), "abc");
    let slow = of("{ comm = \"twin\", routine = \"*:slow\" }").unwrap();
    assert_eq!(slow.threads[0].requires.guarantee, "RESBH 3ms 25ms".parse().ok());
    let both = of("{ comm = \"twin\" }").unwrap_err();
    assert!(both.contains("several kinds") && both.contains("starts at `player:fast`"), "{both}");
    let none = of("{ comm = \"twin\", routine = \"*:main\" }").unwrap_err();
    assert!(none.contains("starts at `*:main`, but"), "{none}");
    // A profile without routines is matched by names alone.
    let older = of("{ comm = \"loop\", routine = \"*:main\" }").unwrap();
    assert_eq!(older.threads[0].requires.guarantee, "RESBH 3ms 10ms".parse().ok());
}

#[test]
fn refuses_a_routine_without_its_file() {
    let bare = "profile = \"player\"\nmatch = { routine = \"main\" }";
    let text = format!(
        "schema = 2\nseed = 1\nlength = \"1s\"\n[threads.a]\nparent = \"top\"\nexec = [\"player\"]\n{bare}\n"
    );
    let scenario = Scenario::parse("a.toml", &text).map_err(|d| d.render(false));
    assert!(scenario.is_err_and(|why| why.contains("`*:main`")));
}

#[test]
fn refuses_a_profile_of_another_executable_and_one_that_is_not_there() {
    let other = applied("profile = \"player\"\nmatch = { comm = \"loop\" }", "abd").unwrap_err();
    assert!(other.contains("the program has changed"), "{other}");
    let none = applied("profile = \"gone\"", "abc").unwrap_err();
    assert!(none.contains("there is no such profile") && none.contains("calibrate"), "{none}");
}

#[test]
fn refuses_to_choose_between_kinds_of_threads() {
    let several = applied("profile = \"player\"", "abc").unwrap_err();
    assert!(several.contains("several kinds") && several.contains("`other`"), "{several}");
    let none = applied("profile = \"player\"\nmatch = { comm = \"ui\" }", "abc").unwrap_err();
    assert!(none.contains("is called `ui`"), "{none}");
}

/// Why one thread that is to run as the profile's only kind of thread does not.
fn unfit(only: &ProfiledThread) -> ProfileError {
    let mut profile = Profile::new("/usr/bin/player".to_owned(), "abc".to_owned());
    profile.threads.push(only.clone());
    profile.of(&ThreadMatch::default()).unwrap_err()
}

#[test]
fn refuses_threads_without_a_period_and_times_that_are_none() {
    let some = |text: &str| Some(text.to_owned());
    let idle = ProfiledThread { name: "ui".to_owned(), ..ProfiledThread::default() };
    assert!(matches!(unfit(&idle), ProfileError::NonePeriodic));
    for (amount, period) in [("soon", "10ms"), ("0ms", "10ms"), ("11ms", "10ms")] {
        let odd = ProfiledThread { amount: some(amount), period: some(period), ..idle.clone() };
        assert!(matches!(unfit(&odd), ProfileError::NoTimes(name) if name == "ui"), "{amount}");
    }
}

#[test]
fn refuses_texts_that_are_no_profile_of_this_version() {
    assert!(matches!(Profile::parse("version = "), Err(ProfileError::Syntax(_))));
    let profile = Profile::new("/usr/bin/player".to_owned(), "abc".to_owned());
    let other = profile.write().replace("version = 1", "version = 2");
    let why = Profile::parse(&other).unwrap_err();
    assert!(matches!(why, ProfileError::Version(2)));
    assert_eq!(why.to_string(), "it is of version 2; this program reads 1");
}

#[test]
fn refuses_a_thread_that_names_no_program_or_one_that_is_not_there() {
    let mut scenario = applied("profile = \"player\"\nmatch = { comm = \"loop\" }", "abc").unwrap();
    let mut why = |external: Option<crate::model::External>| {
        let thread = &mut scenario.threads[0];
        (thread.external, thread.run) = (external, Run::Profile("player".to_owned()));
        scenario.look_up(&scenario.threads[0], "player", &Store("abc")).unwrap_err()
    };
    assert!(matches!(why(None), ProfileError::NoProgram));
    let program = ExternalProgram::Of("gone".to_owned());
    let threads = ThreadMatch::default();
    let of = crate::model::External { program, threads, each: false };
    assert!(matches!(why(Some(of)), ProfileError::UnknownProgram(name) if name == "gone"));
}
