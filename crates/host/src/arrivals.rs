//! Arrivals at devices, which the host brings about by a pattern where the machine does not.

use crate::agenda::Due;
use crate::host::Host;
use crate::interrupts::Interrupts;
use crate::machine::Machine;
use windfall_programs::{Device, ProgramRuntime};
use windfall_scenario::PlannedInterrupts;

impl<M: Machine> Host<M> {
    /// Generates a device's arrivals by a pattern, on a machine that does not produce them itself.
    pub fn arrivals(&mut self, interrupts: PlannedInterrupts, seed: u64) {
        let number = u32::try_from(self.arrivals.len()).expect("sources are numbered by 32 bits");
        let source = Interrupts::new(interrupts, seed);
        self.agenda.reserve(self.arrivals.len() + 1);
        if let Some(at) = source.at() {
            self.agenda.set(Due::Arrival(number), at);
        }
        self.arrivals.push(source);
    }

    /// Handles an arrival at the device of a source.
    pub(crate) fn arrival_due(&mut self, number: u32) {
        let source = &mut self.arrivals[number as usize];
        let _ = source.next_cost(); // a live machine has costs of its own
        let (device, next) = (source.planned.device, source.at());
        if let Some(at) = next {
            self.agenda.set(Due::Arrival(number), at);
        }
        if let Some((device, _)) = device {
            ProgramRuntime::arrival(self, device);
        }
    }

    /// Adds a device, whose posts carry this datum, or the number of the arrival.
    pub fn device(&mut self, device: Device, datum: Option<u64>) {
        self.programs.add_device(device, datum);
    }
}
