//! Devices: each posts one event of a process whenever something arrives there (Chrysalis 2.3, decision 0023).
//!
//! Invariant: after an arrival the event is posted, or was found posted. If no event is attached, the next one is posted when
//! it is attached.

use super::System;
use crate::process::{Answer, Device, Event, ProcessError, ProcessHandle, Reply};

/// A device of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DeviceState {
    /// The event that it posts, if any is attached.
    event: Option<Event>,
    /// How much has arrived.
    arrivals: u64,
    /// The datum of its posts; the number of the arrival when absent.
    datum: Option<u64>,
    /// Whether something has arrived while no event was attached.
    pending: bool,
}

impl System {
    /// Adds a device.
    pub(crate) fn add_device(&mut self, device: Device, datum: Option<u64>) {
        self.devices.insert(device, DeviceState { datum, ..DeviceState::default() });
    }

    pub(super) fn attach(&mut self, me: ProcessHandle, device: Device, event: Event) -> Answer {
        self.events.own(event, me)?;
        let state = self.devices.get_mut(&device).ok_or(ProcessError::NoDevice { device })?;
        if let Some(other) = state.event
            && self.events.at(other).is_ok()
        {
            return Err(ProcessError::DeviceTaken { device });
        }
        state.event = Some(event);
        if std::mem::take(&mut state.pending) {
            let datum = state.datum.unwrap_or(state.arrivals);
            self.post_arrival(event, datum);
        }
        Ok(Reply::DONE)
    }

    pub(super) fn detach(&mut self, me: ProcessHandle, device: Device) -> Answer {
        let state = self.devices.get_mut(&device).ok_or(ProcessError::NoDevice { device })?;
        let Some(event) = state.event else { return Ok(Reply::datum(Some(0))) };
        match self.events.own(event, me) {
            Err(ProcessError::Stale { .. }) => {
                state.event = None;
                return Ok(Reply::datum(Some(0)));
            }
            other => other.map(drop)?,
        }
        state.event = None;
        Ok(Reply::datum(Some(1)))
    }

    /// Handles an arrival at a device.
    pub(crate) fn arrival(&mut self, device: Device) {
        let Some(state) = self.devices.get_mut(&device) else { return };
        state.arrivals += 1;
        let datum = state.datum.unwrap_or(state.arrivals);
        match state.event {
            Some(event) if self.events.at(event).is_ok() => self.post_arrival(event, datum),
            _ => (state.event, state.pending) = (None, true),
        }
    }

    /// Posts the event, unless it is posted: then its process has yet to read the device.
    fn post_arrival(&mut self, event: Event, datum: u64) {
        match self.events.post(event, datum) {
            Ok(owner) => self.posted(owner, event, None),
            Err(ProcessError::AlreadyPosted { .. }) => self.counts.coalesced += 1,
            Err(_) => self.counts.undelivered += 1,
        }
    }
}
