//! A tower layer that admits requests of HTTP to a pool, by their deadlines and by the costs of their classes (decision 0036).
//!
//! Its service is called and polled by the task's thread, in order of deadline. Waiting of the service is in its bound; work that it hands to other threads, and work that a body
//! computes while it is sent, is not. A refused request is answered with 503 and with a deadline that would fit:
//!
//! ```rust
//! use http::{Request, Response};
//! use std::task::{Context, Poll};
//! use tower_layer::Layer;
//! use tower_service::Service;
//! use windfall_ports::layer::{AdmissionLayer, Costs, WithoutDeadline};
//! use windfall_ports::pool::{Awaited, Pool};
//! use windfall_ports::{EarliestDeadline, Processor, Share};
//! use windfall_time::Span;
//!
//! #[derive(Clone)]
//! struct Greets;
//!
//! impl Service<Request<()>> for Greets {
//!     type Response = Response<String>;
//!     type Error = std::convert::Infallible;
//!     type Future = std::future::Ready<Result<Response<String>, Self::Error>>;
//!     fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
//!         Poll::Ready(Ok(()))
//!     }
//!     fn call(&mut self, _: Request<()>) -> Self::Future {
//!         std::future::ready(Ok(Response::new("hello".to_owned())))
//!     }
//! }
//!
//! # let allowed = windfall_os::sched::Affinity::of(0)?;
//! # let cpu = (0..1024).find(|cpu| allowed.has(*cpu)).ok_or("no processor")?;
//! let now = Pool::now();
//! let mut processor = Processor::new(now, 1_000);
//! let deadlines: EarliestDeadline = EarliestDeadline::new(Share::WHOLE, now, 1_000)?;
//! processor.add(deadlines)?;
//! let pool = Awaited::new(Pool::new([(cpu, processor)])?)?;
//!
//! // 5 s for each request until a hundred of its path have been measured; then what 99 of 100 take at most.
//! let costs = Costs::new(Span::from_secs(5), 99, 100)?;
//! let layer = AdmissionLayer::new(pool, costs, WithoutDeadline::Within(Span::from_secs(9)));
//! let mut service = layer.layer(Greets);
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! let served = service.call(Request::get("/").body(())?).await?;
//! assert_eq!(served.status(), 200);
//! let refused = service.call(Request::get("/").header("grpc-timeout", "2S").body(())?).await?;
//! assert_eq!((refused.status().as_u16(), &refused.headers()["windfall-refused"]), (503, &"no-room".parse()?));
//! let counts = layer.counts();
//! assert_eq!((counts.submitted, counts.stated, counts.refused.no_room), (2, 1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod costs;
mod counts;
mod response;
mod timeout;

pub use answer::RequestError;
pub use costs::{CLASSES, ClassCosts, Costs, CostsError, VALUES};
pub use counts::RequestCounts;
pub use response::ResponseFuture;
pub use timeout::TimeoutError;

use crate::Request as PoolRequest;
use crate::pool::{Awaited, Checkpoints, Pool, StoppedError};
use counts::{Account, Books, Served};
use http::request::Parts;
use http::{Request, Response};
use response::Stage;
use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::runtime::Handle as Runtime;
use tower_layer::Layer;
use tower_service::Service;
use windfall_time::{Instant, Span};

/// When a request must have been served: an extension of it. If it has a `grpc-timeout` too, the earlier of both counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deadline(pub Instant);

/// The treatment of requests without a deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WithoutDeadline {
    /// They have so much time.
    Within(Span),
    /// They are served by the caller's threads, without admission or bound.
    Pass,
}

/// The state that all services of a layer share.
struct Shared {
    pool: Awaited,
    without: WithoutDeadline,
    books: Arc<Books>,
}

type Classify = dyn Fn(&Parts) -> String + Send + Sync;

/// Admits requests to the first scheduler of the first processor of a pool that has time for them, and answers the others with 503. Its clones have the same counts.
#[derive(Clone)]
pub struct AdmissionLayer {
    shared: Arc<Shared>,
    class: Arc<Classify>,
}

impl fmt::Debug for AdmissionLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.counts();
        f.debug_struct("AdmissionLayer").field("counts", &counts).finish_non_exhaustive()
    }
}

impl AdmissionLayer {
    /// A layer whose requests have their paths as classes.
    #[must_use]
    pub fn new(pool: Awaited, costs: Costs, without: WithoutDeadline) -> AdmissionLayer {
        let shared = Arc::new(Shared { pool, without, books: Arc::new(Books::new(costs)) });
        AdmissionLayer { shared, class: Arc::new(|parts| parts.uri.path().to_owned()) }
    }

    /// The same, with the class that a closure names: requests of a class cost about the same.
    #[must_use]
    pub fn by_class(self, class: impl Fn(&Parts) -> String + Send + Sync + 'static) -> Self {
        AdmissionLayer { class: Arc::new(class), ..self }
    }

    /// How often what happened, until now.
    #[must_use]
    pub fn counts(&self) -> RequestCounts {
        self.shared.books.counts()
    }

    /// The statistics of each class, in order of name.
    #[must_use]
    pub fn classes(&self) -> Vec<ClassCosts> {
        self.shared.books.classes()
    }

    /// When a request must have been served, if it says so, or all do.
    fn deadline(&self, parts: &Parts, now: Instant) -> Result<Option<Instant>, TimeoutError> {
        // A sum that is no instant is beyond every horizon, and refused as that.
        let after = |ns: u128| Instant::saturating_from_nanos(u128::from(now.as_nanos()) + ns);
        let timeout = timeout::of(&parts.headers)?.map(after);
        let own = parts.extensions.get::<Deadline>().map(|deadline| deadline.0);
        Ok(timeout.into_iter().chain(own).min().or(match self.shared.without {
            WithoutDeadline::Within(span) => Some(after(u128::from(span.as_nanos()))),
            WithoutDeadline::Pass => None,
        }))
    }

    /// Submits a request that has a deadline.
    fn submit<F, R, E>(
        &self,
        class: String,
        deadline: Instant,
        now: Instant,
        serve: impl FnOnce(&Checkpoints) -> Result<Served<Response<R>, E>, StoppedError>
        + Send
        + 'static,
    ) -> Stage<F, R, E>
    where
        R: Send + 'static,
        E: Send + 'static,
    {
        let account = Arc::new(Account::begin(self.shared.books.clone(), class));
        let admission = self.shared.pool.submission(move |pool| {
            let (work, own) = (account.bound(), account.clone());
            let answer = pool.roomiest(work, deadline).and_then(|target| {
                let requests = [PoolRequest::by(work, deadline)];
                pool.submit_then(target, &requests, |at, _| serve(at), move |end| own.ended(end))
            });
            account.answered(&answer);
            answer
        });
        Stage::Submitted(admission, now)
    }
}

impl<S> Layer<S> for AdmissionLayer {
    type Service = AdmissionService<S>;

    fn layer(&self, inner: S) -> AdmissionService<S> {
        AdmissionService { layer: self.clone(), inner }
    }
}

/// A service whose requests are admitted.
#[derive(Clone, Debug)]
pub struct AdmissionService<S> {
    layer: AdmissionLayer,
    inner: S,
}

impl<S, B, R> Service<Request<B>> for AdmissionService<S>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Error: Send + 'static,
    B: Send + 'static,
    R: Default + Send + 'static,
{
    type Response = Response<R>;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, R, S::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // The one that is ready is called; the clone is for the next request.
        let next = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, next);
        let (layer, now) = (&self.layer, Pool::now());
        let (parts, body) = request.into_parts();
        let is_grpc = answer::is_grpc(&parts.headers);
        let stage = match layer.deadline(&parts, now) {
            Err(error) => {
                layer.shared.books.malformed();
                Stage::Answered(RequestError::Timeout(error))
            }
            Ok(None) => {
                layer.shared.books.passed();
                Stage::Passed(Box::pin(inner.call(Request::from_parts(parts, body))))
            }
            Ok(Some(deadline)) => {
                let class = (layer.class)(&parts);
                let runtime = Runtime::try_current().ok();
                layer.submit(class, deadline, now, move |at| {
                    // Timers and sockets of the caller's runtime work on this thread, too.
                    let _entered = runtime.as_ref().map(Runtime::enter);
                    let answer = at.block_on(inner.call(Request::from_parts(parts, body)))?;
                    Ok(Served { answer, used: at.used() })
                })
            }
        };
        ResponseFuture { pool: layer.shared.pool.clone(), is_grpc, stage }
    }
}
