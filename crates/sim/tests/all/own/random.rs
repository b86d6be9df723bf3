//! Random requests of several processes for themselves, against a model of what is reserved.

use super::{TREE, ms};
use proptest::prelude::*;
use std::sync::{Arc, Mutex};
use windfall_programs::{Code, Node, OwnRequest, Process, ProcessError, ProcessParams};
use windfall_scenario::{Home, PlannedThread, Scenario};
use windfall_sim::Sim;
use windfall_time::Instant;

/// A random action.
#[derive(Clone, Copy, Debug)]
enum Draw {
    Reserve(u32),
    Guarantee(u32),
    Unreserve,
    Home,
    Below,
    Outside,
    Nowhere,
    Share(u32),
}

/// The reservation of each process, in milliseconds of every ten; where each stands, and how many answers were judged.
#[derive(Default)]
struct Model {
    reserved: [Option<u32>; 3],
    below: [&'static str; 3],
    judged: [u64; 5],
}

type Shared = Arc<Mutex<Model>>;

/// Makes its requests, one every 7 ms, and holds each answer against the model.
#[derive(Clone)]
struct Asker {
    number: usize,
    draws: Vec<Draw>,
    model: Shared,
}

impl Asker {
    /// The request, and whether it is to be accepted.
    fn expected(&self, draw: Draw) -> (OwnRequest, bool) {
        let model = self.model.lock().unwrap();
        let mine = model.reserved[self.number];
        let others: u32 = model.reserved.iter().flatten().sum::<u32>() - mine.unwrap_or(0);
        match draw {
            Draw::Reserve(amount) => {
                let request = OwnRequest::reserve(ms(amount), ms(10)).at("res");
                (request, others + amount <= 10 && amount > 0)
            }
            Draw::Guarantee(amount) => {
                let guarantee = format!("RESBH {amount}ms 10ms").parse().unwrap();
                (OwnRequest::guarantee(guarantee).at("res"), others + amount <= 10)
            }
            Draw::Unreserve => (OwnRequest::Unreserve, mine.is_some()),
            Draw::Home => (OwnRequest::Move("ts".to_owned()), true),
            Draw::Below => (OwnRequest::Move("low".to_owned()), true),
            Draw::Outside => (OwnRequest::Move("fp".to_owned()), false),
            Draw::Nowhere => (OwnRequest::Move("nowhere".to_owned()), false),
            Draw::Share(share) => {
                (OwnRequest::Share(share), share > 0 && model.below[self.number] == "ts")
            }
        }
    }

    fn note(&self, draw: Draw, accepted: bool) {
        let mut model = self.model.lock().unwrap();
        let kind = match (draw, accepted) {
            (_, false) => 0,
            (Draw::Reserve(_), true) => 1,
            (Draw::Unreserve, true) => 2,
            (Draw::Guarantee(_), true) => 3,
            _ => 4,
        };
        model.judged[kind] += 1;
        if !accepted {
            return;
        }
        let number = self.number;
        match draw {
            Draw::Reserve(amount) | Draw::Guarantee(amount) => {
                model.reserved[number] = Some(amount);
                model.below[number] = "res";
            }
            Draw::Unreserve | Draw::Home | Draw::Below => {
                model.reserved[number] = None;
                model.below[number] = if matches!(draw, Draw::Below) { "low" } else { "ts" };
            }
            _ => {}
        }
    }
}

impl Code for Asker {
    const NAME: &'static str = "asker";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        for (turn, draw) in (1..).zip(self.draws.clone()) {
            me.sleep_until(Instant::ZERO + ms(7 * turn)).await;
            // A change of a reservation takes effect later, so another one begins anew; and from `low` it would return there.
            if matches!(draw, Draw::Reserve(_) | Draw::Guarantee(_)) {
                self.note(Draw::Home, true);
                let home = me.request_own(OwnRequest::Move("ts".to_owned())).await;
                assert_eq!(home, Ok(()));
            }
            let (request, accepted) = self.expected(draw);
            // A request happens when it is made; its answer is heard when the process runs again.
            self.note(draw, accepted);
            let answer = me.request_own(request.clone()).await;
            assert_eq!(answer.is_ok(), accepted, "{}: {request}: {answer:?}", self.number);
            assert!(answer.is_ok() || !answer.unwrap_err().why.to_string().is_empty());
        }
        me.sleep_until(Instant::ZERO + ms(10_000)).await; // its end would end its reservation
        Ok(())
    }
}

fn draws() -> impl Strategy<Value = Vec<Draw>> {
    let draw = prop_oneof![
        4 => (0_u32..12).prop_map(Draw::Reserve),
        2 => (1_u32..=10).prop_map(Draw::Guarantee),
        2 => Just(Draw::Unreserve),
        1 => Just(Draw::Home),
        1 => Just(Draw::Below),
        1 => Just(Draw::Outside),
        1 => Just(Draw::Nowhere),
        1 => (0_u32..3).prop_map(Draw::Share),
    ];
    prop::collection::vec(draw, 1..30)
}

#[test]
fn law_each_request_happens_whole_or_changes_nothing() {
    let judged = Arc::new(Mutex::new([0; 5]));
    let all = judged.clone();
    let mut runner = proptest::test_runner::TestRunner::new_with_rng(
        ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() },
        proptest::test_runner::TestRng::deterministic_rng(prop::test_runner::RngAlgorithm::ChaCha),
    );
    let outcome = runner.run(&prop::collection::vec(draws(), 3), |lists| {
        let text = format!("schema = 2\nseed = 1\n{TREE}");
        let mut plan = Scenario::parse("test.toml", &text).unwrap().build().unwrap();
        let (_, ts) = plan.nodes.iter().find(|(name, _)| name == "ts").unwrap();
        let home = Home::new(*ts, |_| Vec::new());
        plan.processes.nodes = vec![home];
        let model = Shared::default();
        model.lock().unwrap().below = ["ts"; 3];
        for (number, draws) in lists.into_iter().enumerate() {
            let asker = Asker { number, draws, model: model.clone() };
            let params = ProcessParams::default();
            let mut thread = PlannedThread::process(Node(0), &home, &params, asker);
            thread.name = format!("asker {number}");
            plan.threads.push(thread);
        }
        let outcome = Sim::of(plan, None).unwrap().run(Instant::ZERO + ms(1_000), |_| true);
        prop_assert_eq!(outcome.failure, None);
        prop_assert!(outcome.quarantined.is_empty());
        for (count, more) in all.lock().unwrap().iter_mut().zip(model.lock().unwrap().judged) {
            *count += more;
        }
        Ok(())
    });
    outcome.unwrap();
    let judged = *judged.lock().unwrap();
    assert!(judged.iter().all(|count| *count > 100), "of a kind too few: {judged:?}");
}
