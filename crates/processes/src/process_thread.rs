//! A process as its body sees it: each call is carried out by the thread that makes it, and blocks it where it waits.
//!
//! Every future here is ready when it is first polled, until all is over: then it never is, and the body is dropped.
//! `begin.rs` starts the thread of a process, `calls.rs` has the calls; here is what a process owns, and how it waits.

mod begin;
mod calls;

pub(super) use begin::begin;

use super::node::NodeMessage;
use super::system::{System, of_event};
use super::watch::{Waiting, Watch};
use std::future::pending;
use std::sync::Arc;
use windfall_exchange::{ExchangeError, Mine, Name};
use windfall_programs::{Event, Kind, Node, Posted, ProcessError, ProcessHandle};

pub(super) struct ProcessThread {
    system: Arc<System>,
    me: ProcessHandle,
    node: Node,
    /// Taken only when it is dropped.
    mine: Option<Mine>,
    /// Its devices, from the first that it attached on.
    watch: Option<Watch>,
}

impl ProcessThread {
    fn new(system: Arc<System>, me: ProcessHandle, mine: Mine) -> ProcessThread {
        ProcessThread { system, me, node: me.handle().node(), mine: Some(mine), watch: None }
    }

    /// The shared state, and the process's own.
    #[inline]
    fn both(&mut self) -> (&System, &mut Mine) {
        let (system, mine, _) = self.waiting();
        (system, mine)
    }

    /// The same, and where it waits for its events.
    ///
    /// # Panics
    /// Never: a process has its own until it is dropped.
    #[inline]
    fn waiting(&mut self) -> (&System, &mut Mine, Waiting<'_>) {
        let (system, node, watch) = (&*self.system, self.node, self.watch.as_ref());
        match &mut self.mine {
            Some(mine) => (system, mine, Waiting { system, node, watch }),
            None => unreachable!("a process has its own until it is dropped"),
        }
    }

    /// Goes on, unless all is over.
    #[inline]
    async fn on(&self) {
        if self.system.sleepers.is_closed() {
            pending().await
        }
    }

    /// The answer of a wait; pending for ever if all is over.
    #[inline]
    async fn unless_over<T>(&self, answer: Result<T, ExchangeError>) -> Result<T, ExchangeError> {
        match answer {
            Err(ExchangeError::Over) => pending().await,
            answer => answer,
        }
    }

    #[inline]
    fn event(&self, event: Event) -> Result<Name, ProcessError> {
        self.system.open(event.handle(), Kind::Event)
    }

    /// Waits for one of one's own events that is wanted.
    #[inline]
    async fn wait_for(
        &mut self,
        wanted: impl Fn(u32) -> bool + Send,
    ) -> Result<Posted, ProcessError> {
        let came = {
            let (system, mine, waiting) = self.waiting();
            system.exchange.wait(mine, wanted, &waiting)
        };
        let (name, datum) = self.unless_over(came).await.map_err(|_| ProcessError::NoEvents)?;
        let event = Event::from_handle(self.system.seal(Kind::Event, self.node, name));
        Ok(Posted { event, datum })
    }

    /// Whether an event is one's own.
    fn check_own(&self, event: Event) -> Result<(), ProcessError> {
        let (name, mine) = (self.event(event)?, self.mine.as_ref());
        let owned = mine.map(|mine| self.system.exchange.check_own(mine, name));
        owned.unwrap_or(Ok(())).map_err(|error| of_event(event, error))
    }

    fn send(&self, node: Node, message: &NodeMessage) -> Result<(), ProcessError> {
        let System { exchange, sleepers, .. } = &*self.system;
        let mailbox = &self.system.controller(node)?.mailbox;
        let sent = exchange.send(mailbox, message.words(), sleepers);
        sent.map_err(|_| ProcessError::NoRoom { kind: Kind::Event })
    }
}

impl Drop for ProcessThread {
    fn drop(&mut self) {
        if let Some(mine) = self.mine.take() {
            if self.watch.is_some() {
                self.system.sleepers.remove_bell(self.system.exchange.futex(&mine));
            }
            self.system.leave(mine);
        }
    }
}
