//! A service whose requests are admitted: every request is counted in one place, a refusal says what would fit, and bounds are learnt.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "world/draw.rs"]
mod draw;
mod on_threads;
#[path = "layer/refused.rs"]
mod refused;

use draw::Draw;
use http::{HeaderMap, Request, Response, StatusCode};
use on_threads::pool;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tower_layer::Layer;
use tower_service::Service;
use windfall_os::usage;
use windfall_ports::Share;
use windfall_ports::layer::{
    AdmissionLayer, AdmissionService, Costs, Deadline, RequestCounts, RequestError, WithoutDeadline,
};
use windfall_ports::pool::{Awaited, Pool};
use windfall_time::Span;

type Body = &'static str;
type Answer = Result<Response<Body>, Body>;

fn ms(n: u32) -> Span {
    Span::from_millis(n)
}

fn layer(costs: Costs, without: WithoutDeadline) -> AdmissionLayer {
    let pool = Awaited::new(pool(100, Share::WHOLE, |_| ())).unwrap();
    AdmissionLayer::new(pool, costs, without)
}

/// Pools of this process would take each other's time: one at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().unwrap()
}

fn spin(work: Span) {
    let until = usage::of_this_thread() + work;
    while usage::of_this_thread() < until {}
}

/// Does what the path says.
#[derive(Clone)]
struct Obedient;

impl Service<Request<()>> for Obedient {
    type Response = Response<Body>;
    type Error = Body;
    type Future = std::pin::Pin<Box<dyn Future<Output = Answer> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Body>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<()>) -> Self::Future {
        Box::pin(async move {
            match request.uri().path() {
                "/short" => spin(Span::from_nanos(100_000)),
                "/fails" => return Err("it failed"),
                "/panics" => std::panic::resume_unwind(Box::new(())),
                "/waits" => std::future::pending().await,
                "/sleeps" => tokio::time::sleep(Duration::from_millis(6)).await,
                "/long" => {
                    for _ in 0..100 {
                        spin(Span::from_nanos(200_000));
                        tokio::task::yield_now().await;
                    }
                }
                // It ends demoted, which takes long on a busy machine.
                "/long-at-once" => spin(ms(4)),
                other => panic!("no such path: {other}"),
            }
            Ok(Response::new("done"))
        })
    }
}

type Admitted = AdmissionService<Obedient>;

fn request(path: &str, timeout: Option<&str>) -> Request<()> {
    let request = Request::builder().uri(path);
    let request = match timeout {
        Some(timeout) => request.header("grpc-timeout", timeout),
        None => request,
    };
    request.body(()).unwrap()
}

async fn call(service: &mut Admitted, request: Request<()>) -> Answer {
    std::future::poll_fn(|context| service.poll_ready(context)).await.unwrap();
    service.call(request).await
}

fn check(counts: &RequestCounts) {
    let answered = counts.refused.all() + counts.admitted();
    let all = counts.passed + counts.malformed + counts.waiting + counts.withdrawn + answered;
    assert_eq!(counts.submitted, all, "{counts:?}");
    let ended = counts.done + counts.failed + counts.exceeded + counts.cancelled + counts.panicked;
    assert_eq!(counts.admitted(), counts.running + ended, "{counts:?}");
    assert!(counts.estimates_exceeded <= counts.exceeded.min(counts.estimated), "{counts:?}");
}

/// What a client saw.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Seen {
    Response,
    Failed,
    Malformed,
    Refused,
    Exceeded,
    Panicked,
    Left,
}

fn seen(answer: Answer) -> Seen {
    let Ok(response) = answer else { return Seen::Failed };
    match response.extensions().get::<RequestError>() {
        None => Seen::Response,
        Some(RequestError::Timeout(_)) => Seen::Malformed,
        Some(RequestError::Refused { .. }) => Seen::Refused,
        Some(RequestError::Exceeded) => Seen::Exceeded,
        Some(RequestError::Panicked) => Seen::Panicked,
        Some(other) => panic!("{other}"),
    }
}

/// A request of random fate; its client may go away.
async fn client(mut service: Admitted, seed: u64) -> Seen {
    let mut draw = Draw(seed);
    let paths = ["/short", "/short", "/short", "/fails", "/panics", "/long", "/long-at-once"];
    let (path, stays) = match draw.below(9) {
        n @ 0..7 => (paths[usize::try_from(n).unwrap()], None),
        _ => ("/waits", Some(Duration::from_micros(draw.below(3) * 400))),
    };
    let timeout = match draw.below(12) {
        0 if path == "/short" => None,
        1 => Some(["5", "ms", "123456789m"][usize::try_from(draw.below(3)).unwrap()]),
        2 => Some("2m"),
        3 => Some("0n"),
        4 => Some("99999999H"),
        _ => Some("9S"),
    };
    let answer = call(&mut service, request(path, timeout));
    match stays {
        None => seen(answer.await),
        Some(stays) => tokio::time::timeout(stays, answer).await.map_or(Seen::Left, seen),
    }
}

/// So many requests, up to 16 at a time; what their clients saw.
fn crowd(service: &Admitted, requests: u64) -> Vec<Seen> {
    runtime().block_on(async {
        let mut seen = Vec::new();
        for batch in 0..requests / 16 {
            let clients = (0..16).map(|n| tokio::spawn(client(service.clone(), batch * 16 + n)));
            let clients: Vec<_> = clients.collect();
            for client in clients {
                seen.push(client.await.unwrap());
            }
        }
        seen
    })
}

#[test]
fn law_every_request_is_in_one_place_at_every_moment() {
    let _alone = alone();
    let layer = layer(Costs::new(ms(3), 9, 10).unwrap(), WithoutDeadline::Pass);
    let over = AtomicBool::new(false);
    let all = std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut looked = 0;
            while !over.load(Ordering::Relaxed) {
                check(&layer.counts());
                looked += 1;
                std::thread::sleep(Duration::from_micros(100));
            }
            looked
        });
        let all = crowd(&layer.layer(Obedient), 640);
        // Who left is cancelled a little later.
        while layer.counts().running + layer.counts().waiting > 0 {
            std::thread::yield_now();
        }
        over.store(true, Ordering::Relaxed);
        assert!(watch.join().unwrap() > 100);
        all
    });
    let counts = layer.counts();
    check(&counts);
    let saw = |kind| all.iter().filter(|seen| **seen == kind).count() as u64;
    assert_eq!(counts.submitted, 640);
    assert_eq!(counts.malformed, saw(Seen::Malformed), "{counts:?}");
    assert_eq!(counts.panicked, saw(Seen::Panicked), "{counts:?}");
    assert!(counts.refused.all() >= saw(Seen::Refused), "{counts:?}");
    // A client that left finds its request withdrawn, refused, cancelled, or stopped before.
    assert!(counts.withdrawn + counts.cancelled <= saw(Seen::Left), "{counts:?}");
    // One that exceeded its bound has a response, an error, or was stopped.
    let (served, answered) =
        (counts.passed + counts.done + counts.failed, saw(Seen::Response) + saw(Seen::Failed));
    assert!(served <= answered && counts.failed <= saw(Seen::Failed), "{counts:?}");
    assert!(answered + saw(Seen::Exceeded) <= served + counts.exceeded, "{counts:?}");
    let refused = counts.refused;
    for (kind, number) in [
        ("passed", counts.passed),
        ("malformed", counts.malformed),
        ("no room", refused.no_room),
        ("deadline passed", refused.deadline_passed),
        ("beyond the horizon", refused.beyond_horizon),
        ("stated", counts.stated),
        ("estimated", counts.estimated),
        ("done", counts.done),
        ("failed", counts.failed),
        ("stopped", saw(Seen::Exceeded)),
        ("cancelled", counts.cancelled),
        ("panicked", counts.panicked),
    ] {
        assert!(number >= 3, "{kind} was seen {number} times: {counts:?}");
    }
}

#[test]
fn law_a_client_that_leaves_cancels_the_task_that_runs() {
    let _alone = alone();
    let layer = layer(Costs::new(ms(100_000), 1, 2).unwrap(), WithoutDeadline::Within(ms(200_000)));
    let runtime = runtime();
    let _entered = runtime.enter();
    let mut context = Context::from_waker(Waker::noop());
    let mut response = Box::pin(layer.layer(Obedient).call(request("/waits", None)));
    // The answer of the analysis is taken some polls after the task is counted.
    let mut polls = 0;
    while polls < 20 {
        assert!(response.as_mut().poll(&mut context).is_pending());
        std::thread::sleep(Duration::from_millis(1));
        polls += layer.counts().running;
    }
    drop(response);
    let until = Pool::now() + ms(20_000);
    while layer.counts().running > 0 {
        assert!(Pool::now() < until, "nobody cancels it");
        std::thread::yield_now();
    }
    let counts = layer.counts();
    check(&counts);
    assert_eq!((counts.cancelled, counts.withdrawn, counts.stated), (1, 0, 1), "{counts:?}");
}

#[test]
fn law_bounds_are_learnt_and_what_exceeds_them_is_counted() {
    let _alone = alone();
    let layer = layer(Costs::new(ms(2), 1, 2).unwrap(), WithoutDeadline::Within(ms(9_000)));
    let layer = layer.by_class(|parts| parts.uri.path().trim_start_matches('/').to_owned());
    let mut service = layer.layer(Obedient);
    runtime().block_on(async {
        // It takes 20 ms: it is stopped, until the bound has doubled often enough.
        let mut stopped = 0;
        while layer.counts().done == 0 {
            let seen = seen(call(&mut service, request("/long", None)).await);
            stopped += u32::from(seen == Seen::Exceeded);
            assert!(layer.counts().submitted < 200);
        }
        assert!(stopped >= 5, "{stopped}");
        for _ in 0..3 {
            assert!(call(&mut service, request("/sleeps", None)).await.is_ok());
        }
    });
    let classes = layer.classes();
    let [long, sleeps] = classes.as_slice() else { panic!("{classes:?}") };
    assert_eq!((long.name.as_str(), sleeps.name.as_str()), ("long", "sleeps"));
    assert!(long.is_estimated && long.bound >= ms(16), "{long:?}");
    assert!(long.exceeded > 0 && long.exceeded < long.estimated, "{long:?}");
    // Waiting is in the cost.
    assert!(sleeps.is_estimated && sleeps.bound >= ms(2), "{sleeps:?}");
    let counts = layer.counts();
    check(&counts);
    assert_eq!(counts.estimated, long.estimated + sleeps.estimated);
    assert_eq!(counts.estimates_exceeded, long.exceeded + sleeps.exceeded);
    assert!(counts.exceeded > counts.estimates_exceeded, "the stated bound was exceeded, too");
}

/// Answers only if it was ready before.
#[derive(Default)]
struct Strict {
    ready: bool,
}

impl Clone for Strict {
    fn clone(&self) -> Strict {
        Strict::default()
    }
}

impl Service<Request<()>> for Strict {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = std::future::Ready<Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.ready = true;
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<()>) -> Self::Future {
        let ready = std::mem::replace(&mut self.ready, false);
        std::future::ready(Ok(Response::new(if ready { "ready" } else { "not ready" })))
    }
}

#[test]
fn law_the_service_that_was_ready_is_the_one_that_is_called() {
    let _alone = alone();
    let layer = layer(Costs::new(ms(2), 1, 2).unwrap(), WithoutDeadline::Pass);
    let mut service = layer.layer(Strict::default());
    runtime().block_on(async {
        for timeout in [Some("9S"), None, Some("9S")] {
            std::future::poll_fn(|context| service.poll_ready(context)).await.unwrap();
            let response = service.call(request("/", timeout)).await.unwrap();
            assert_eq!(*response.body(), "ready", "{timeout:?}");
        }
    });
}
