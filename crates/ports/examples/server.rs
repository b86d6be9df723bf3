//! A server of HTTP whose requests are admitted by their deadlines: what cannot be done in time is answered with 503 at once, and the earliest time that can be had.
//!
//! `/work?ms=5` takes 5 ms of a processor, in order of deadline (the header `grpc-timeout`, else a second); `/counts` is what became of all requests. SIGINT (Ctrl-C), SIGTERM and SIGHUP end it: what was admitted is
//! finished before.
//!
//! ```text
//! cargo run -p windfall-ports --features tokio --example server -- 127.0.0.1:8080
//! ```

use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::error::Error;
use std::fmt::Write as _;
use std::future::poll_fn;
use std::io::{Write as _, stderr, stdout};
use std::pin::{Pin, pin};
use std::process::ExitCode;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tower_layer::Layer;
use tower_service::Service;
use windfall_os::sched::Affinity;
use windfall_os::usage;
use windfall_ports::layer::{
    AdmissionLayer, AdmissionService, Costs, RequestError, WithoutDeadline,
};
use windfall_ports::pool::{Awaited, Pool};
use windfall_ports::{EarliestDeadline, Processor, Share};
use windfall_time::Span;

/// Takes as much of its processor as the request asks for. Each millisecond is a poll, so it can be stopped at its bound.
#[derive(Clone)]
struct Work;

impl Service<Request<Incoming>> for Work {
    type Response = Response<String>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<String>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Incoming>) -> Self::Future {
        Box::pin(async move {
            let asked = request.uri().query().and_then(|query| query.strip_prefix("ms="));
            let Some(ms) = asked.and_then(|text| text.parse::<u32>().ok()) else {
                return Ok(text(StatusCode::NOT_FOUND, "ask for /work?ms=5, or /counts\n"));
            };
            for _ in 0..ms {
                let until = usage::of_this_thread() + Span::from_millis(1);
                while usage::of_this_thread() < until {}
                tokio::task::yield_now().await;
            }
            Ok(text(StatusCode::OK, format!("worked {ms} ms\n")))
        })
    }
}

fn text(status: StatusCode, body: impl Into<String>) -> Response<String> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response
}

/// One processor of this machine, all of it for deadlines. A request may take 200 ms until ten of its class have been measured; then nine of ten of them take at most its bound.
fn admission() -> Result<AdmissionLayer, Box<dyn Error>> {
    let allowed = Affinity::of(0)?;
    let cpu = (0..1024).rev().find(|cpu| allowed.has(*cpu)).ok_or("no processor")?;
    let now = Pool::now();
    let mut processor = Processor::new(now, 1_000);
    let deadlines: EarliestDeadline = EarliestDeadline::new(Share::WHOLE, now, 1_000)?;
    processor.add(deadlines)?;
    let pool = Awaited::new(Pool::new([(cpu, processor)])?)?;
    let costs = Costs::new(Span::from_millis(200), 9, 10)?;
    let within = WithoutDeadline::Within(Span::from_millis(1_000));
    let layer = AdmissionLayer::new(pool, costs, within);
    // What a request costs depends on its query.
    Ok(layer.by_class(|parts| parts.uri.to_string()))
}

/// What became of all requests until now, in a line, and a line for each class.
fn counts(layer: &AdmissionLayer) -> String {
    let now = layer.counts();
    let (refused, gone) = (now.refused, now.withdrawn + now.cancelled);
    let mut lines = format!(
        "{} submitted: {} admitted ({} stated, {} estimated), {} refused ({} no room, {} deadline passed), \
         {} malformed, {gone} given up by clients; {} done, {} late, {} exceeded, {} panicked, {} running\n",
        now.submitted,
        now.admitted(),
        now.stated,
        now.estimated,
        refused.all(),
        refused.no_room,
        refused.deadline_passed,
        now.malformed,
        now.done,
        now.late,
        now.exceeded,
        now.panicked,
        now.running,
    );
    for class in layer.classes() {
        let (name, bound, values) = (class.name, class.bound, class.values);
        let origin = if class.is_estimated { "estimated" } else { "stated" };
        let _ = writeln!(lines, "{name}: bound {bound}, {origin}; {values} measured");
    }
    lines
}

async fn answer(
    layer: AdmissionLayer,
    mut work: AdmissionService<Work>,
    request: Request<Incoming>,
) -> Result<Response<String>, Infallible> {
    if request.uri().path() == "/counts" {
        return Ok(text(StatusCode::OK, counts(&layer)));
    }
    poll_fn(|context| work.poll_ready(context)).await?;
    let mut response = work.call(request).await?;
    if let Some(error) = response.extensions().get::<RequestError>() {
        *response.body_mut() = format!("{error}\n");
    }
    Ok(response)
}

/// Serves a connection, and after `ends` no further request on it.
async fn connection(stream: TcpStream, layer: AdmissionLayer, mut ends: watch::Receiver<()>) {
    let work = layer.layer(Work);
    let service = service_fn(|request| answer(layer.clone(), work.clone(), request));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new());
    let mut served = pin!(http.serve_connection(TokioIo::new(stream), service));
    let (mut ending, mut ended) = (pin!(ends.changed()), false);
    let served = poll_fn(|context| {
        if !ended && ending.as_mut().poll(context).is_ready() {
            ended = true;
            served.as_mut().graceful_shutdown();
        }
        served.as_mut().poll(context)
    });
    if let Err(why) = served.await {
        log(&format!("a connection ended: {why}"));
    }
}

/// Says something where an operator may look. Requests are served even if that place is closed or full.
fn log(text: &str) {
    let _ = writeln!(stderr(), "{text}");
}

/// Serves until it is to end, then finishes what was admitted, and waits at most a second for clients to read their answers. Returns the last counts.
pub(crate) async fn serve(listener: TcpListener) -> Result<String, Box<dyn Error>> {
    let layer = admission()?;
    let ends = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let mut ends = ends.into_iter().map(signal).collect::<Result<Vec<_>, _>>()?;
    let (end, ended) = watch::channel(());
    let mut connections = JoinSet::new();
    loop {
        let next = poll_fn(|context| {
            if ends.iter_mut().any(|end| end.poll_recv(context).is_ready()) {
                return Poll::Ready(None);
            }
            listener.poll_accept(context).map(Some)
        });
        match next.await {
            Some(Ok((stream, _))) => {
                connections.spawn(connection(stream, layer.clone(), ended.clone()));
            }
            Some(Err(why)) => {
                log(&format!("a connection was not accepted: {why}"));
                tokio::time::sleep(Duration::from_millis(10)).await; // descriptors may be used up
            }
            None => break,
        }
        while connections.try_join_next().is_some() {}
    }
    end.send(())?;
    while layer.counts().running + layer.counts().waiting > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let answers = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(Duration::from_secs(1), answers).await.is_err() {
        log("some clients have not read their answers");
    }
    Ok(counts(&layer).lines().next().unwrap_or_default().to_owned())
}

fn run() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener =
            TcpListener::bind(&address).await.map_err(|why| format!("{address}: {why}"))?;
        let address = listener.local_addr()?;
        writeln!(stdout(), "listening on http://{address}")
            .map_err(|why| format!("standard output: {why}"))?;
        let counts = serve(listener).await?;
        writeln!(stdout(), "{counts}").map_err(|why| format!("{counts}: not printed: {why}"))?;
        Ok(())
    })
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            log(&why.to_string());
            ExitCode::FAILURE
        }
    }
}
