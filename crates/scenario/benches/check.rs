//! How long the checker takes on a hierarchy of 10,000 nodes: best of 30 rounds, one core.

use std::hint::black_box;
use windfall_clocks::Lap;
use windfall_scenario::Scenario;

const NODES: usize = 10_000;

/// Proportional share, four children each, seven deep.
fn shares() -> String {
    let mut text = String::new();
    for at in 0..NODES {
        let parent = if at == 0 { "top".to_owned() } else { format!("s{}", (at - 1) / 4) };
        text += &format!(
            "[schedulers.s{at}]\nscheduler = \"proportional-share\"\nparent = \"{parent}\"\n"
        );
    }
    text
}

/// One reservation scheduler with a reservation for each of 1,000 proportional-share schedulers, of
/// nine threads each that ask for a bounded share.
fn reservations() -> String {
    let mut text = String::from("[schedulers.rez]\nscheduler = \"rez\"\nparent = \"top\"\n");
    for at in 0..NODES / 10 {
        text += &format!(
            "[schedulers.s{at}]\nscheduler = \"proportional-share\"\nparent = \"rez\"\n\
             guarantee = \"RESBH 1us 1ms\"\nquantum = \"1us\"\n\
             [threads.t{at}]\nparent = \"s{at}\"\nrun = \"spin\"\ncount = 9\nshare = 1\n\
             guarantee = \"PSBE 1/9000 10ms\"\n"
        );
    }
    text
}

fn main() {
    for (name, body) in [("shares, 7 deep", shares()), ("reservations and shares", reservations())]
    {
        let text = format!("schema = 2\nseed = 1\nlength = \"1 s\"\n{body}");
        let scenario = match Scenario::parse("bench.toml", &text) {
            Ok(scenario) => scenario,
            Err(mistakes) => panic!("{}", mistakes.render(false)),
        };
        let mut best = f64::INFINITY;
        for _ in 0..30 {
            let lap = Lap::begin();
            let promises = black_box(&scenario).promises();
            best = best.min(lap.passed().as_secs_f64());
            assert_eq!(promises.refused().count(), 0, "{name}");
        }
        println!("{name}: {NODES} nodes checked in {:.1} ms", best * 1e3);
    }
}
