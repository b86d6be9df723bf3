//! Requests of processes for themselves, and the notices that they are given.

use super::*;
use windfall_programs::{Notice, Notices};
use windfall_scenario::outcome::RunError;

type Log = Arc<Mutex<Vec<String>>>;

/// Reserves, works, and notes each answer and notice.
#[derive(Clone)]
struct Reserver(Log);

impl Code for Reserver {
    const NAME: &'static str = "reserver";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let note = |text: String| self.0.lock().unwrap().push(text);
        let event = me.make_event().await?;
        me.notices(event).await?;
        let too_much = OwnRequest::reserve(ms(11), ms(10)).at("res");
        note(me.request_own(too_much).await.unwrap_err().to_string());
        let outside = OwnRequest::Move("res".to_owned());
        note(me.request_own(outside).await.unwrap_err().to_string());
        me.request_own(OwnRequest::reserve(ms(3), ms(10)).at("res")).await?;
        me.compute(ms(5)).await;
        loop {
            let notices = Notices::from_word(me.wait().await?.datum);
            note(notices.iter().map(Notice::name).collect::<Vec<_>>().join(" "));
            if notices.contains(Notice::ReservationEnded) {
                return me.request_own(OwnRequest::Unreserve).await.map_err(ProcessError::from);
            }
        }
    }
}

#[test]
fn accepts_requests_of_a_process_which_hears_why_not_and_when_it_ends() {
    let log = Log::default();
    let more = "[[at]]\ntime = \"500ms\"\ndo = \"destroy\"\nscheduler = \"res\"\n";
    let outcome = finish(plan(more, Reserver(log.clone())));
    let log = log.lock().unwrap().clone();
    assert!(log[0].starts_with("reserve 11ms/10ms at `res`: refused: "), "{log:?}");
    assert!(log[1].contains("`res` does not lie below `ts`"), "{log:?}");
    assert_eq!(log[2..], ["budget-used-up", "reservation-ended"], "{log:?}");
    let failure = outcome.failure.unwrap().to_string();
    assert_eq!(
        failure,
        "process `reserver` ends at 500ms: unreserve: refused: it has no reservation"
    );
}

/// Requests these in turn, whatever the answers, and returns the general error.
#[derive(Clone)]
struct Returns(Vec<OwnRequest>);

impl Code for Returns {
    const NAME: &'static str = "returns";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        for request in self.0 {
            _ = me.request_own(request).await;
        }
        Err(ProcessError::RequestError)
    }
}

#[test]
fn law_a_process_that_ends_by_a_refusal_names_the_request_that_was_refused_last() {
    let fails = |asks: &[OwnRequest]| {
        let failure = finish(plan("", Returns(asks.to_vec()))).failure.unwrap();
        (matches!(failure, RunError::RequestRefused { .. }), failure.to_string())
    };
    let [much, outside] = [OwnRequest::reserve(ms(11), ms(10)), OwnRequest::Move("res".into())];
    let (names, text) = fails(&[outside.clone(), much.clone()]);
    assert!(names && text.contains("reserve 11ms/10ms: refused"), "{text}");
    let (names, text) = fails(&[much, outside.clone()]);
    assert!(names && text.contains("move to `res`: refused"), "{text}");
    // Nothing was refused, or something was accepted afterwards.
    for asks in [&[][..], &[outside, OwnRequest::Share(2)]] {
        let (names, text) = fails(asks);
        assert!(!names && text.contains("its body returned the refusal"), "{text}");
    }
}

/// Waits for notices and notes them.
#[derive(Clone)]
struct Listener(Log);

impl Code for Listener {
    const NAME: &'static str = "listener";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        me.notices(event).await?;
        loop {
            let datum = me.wait().await?.datum;
            let at = me.now().await;
            let notices = Notices::from_word(datum);
            let names = notices.iter().map(Notice::name).collect::<Vec<_>>().join(" ");
            self.0.lock().unwrap().push(format!("{at} {names}"));
        }
    }
}

#[test]
fn accepts_what_others_ask_for_a_process_with_a_notice_of_each_answer() {
    let log = Log::default();
    let mut plan = plan("", Listener(log.clone()));
    let requests = [
        (100, OwnRequest::Share(2)),
        (200, OwnRequest::reserve(ms(1), ms(10))),
        (300, OwnRequest::reserve(ms(1), ms(10)).at("res")),
        (400, OwnRequest::Move("ts".to_owned())),
    ];
    for (at, request) in requests {
        let planned = windfall_scenario::PlannedRequest::own(0, &request, 1).unwrap();
        plan.requests.push((Instant::ZERO + ms(at), planned));
    }
    let outcome = finish(plan);
    assert_eq!(outcome.failure, None);
    let log = log.lock().unwrap().clone();
    assert_eq!(
        log,
        ["100ms accepted", "200ms refused", "300ms accepted", "400ms accepted reservation-ended"]
    );
}

/// Computes without end, and notes nothing but that a promise to it is broken.
#[derive(Clone)]
struct Promised(Log);

impl Code for Promised {
    const NAME: &'static str = "promised";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        me.notices(event).await?;
        loop {
            me.compute(ms(1)).await;
            if let Some(datum) = me.reset(event).await?
                && Notices::from_word(datum).contains(Notice::PromiseBroken)
            {
                let at = me.now().await;
                self.0.lock().unwrap().push(at.to_string());
            }
        }
    }
}

#[test]
fn law_a_promise_that_is_broken_is_told_once() {
    for (stolen, told) in [("0us", false), ("8ms", true)] {
        let log = Log::default();
        let interrupts = match told {
            true => {
                format!(
                    "[[interrupts]]\nkind = \"interrupt\"\ngap = \"10ms\"\ncost = \"{stolen}\"\n"
                )
            }
            false => String::new(),
        };
        let plan = plan(&interrupts, Promised(log.clone()));
        let mut sim = Sim::of(plan, None).unwrap();
        let guarantee = "RESBH 3ms 10ms".parse().unwrap();
        sim.judge_promises(&[windfall_scenario::outcome::Promise::new("promised", guarantee)]);
        let outcome = sim.run(Instant::ZERO + ms(1_000), |_| true);
        assert_eq!(outcome.failure, None);
        assert_eq!(log.lock().unwrap().len(), usize::from(told), "{stolen}");
    }
}
