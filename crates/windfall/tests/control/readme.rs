//! The requests that the README shows.

use super::{Run, words::words};

#[test]
fn accepts_the_requests_of_the_readme_on_its_scenario() {
    let scenario = include_str!("../../../../scenarios/real-programs.toml");
    let long = scenario.replace("\"5 s\"", "\"60 s\""); // however slow this machine is
    assert_ne!(long, scenario);
    let Some((run, _alone)) = Run::of("readme", &long) else { return };
    let readme = include_str!("../../../../README.md");
    let lines = readme.lines().filter_map(|line| line.strip_prefix("# windfall ctl "));
    let requests: Vec<_> = lines.map(words).filter(|words| words[0] != "stop").collect();
    assert!(requests.len() > 4, "{requests:?}");
    for request in &requests {
        run.done(request);
    }
    let tree = run.tree();
    assert!(tree.iter().any(|line| line.contains("late")), "{tree:?}");
    let list = run.list();
    let granted = &list["cpus"][0];
    let threads = list["threads"].as_array().unwrap();
    let on: Vec<_> = threads.iter().filter(|thread| !thread["cpu"].is_null()).collect();
    assert_eq!(on.len(), 1, "two threads spin: {list}");
    assert_eq!((&on[0]["name"], &on[0]["cpu"]), (&granted["granted"], &granted["number"]));
    run.stop();
}
