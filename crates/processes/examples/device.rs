//! Chrysalis' generator and sink at a real socket pair: a peer composes packets and sends them, a device posts an event of the input
//! process whenever some have arrived, and the sink takes them from a dual queue.

use std::error::Error;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use windfall_processes::{Arrivals, Settings, run};
use windfall_programs::bsat::{Sink, Tally};
use windfall_programs::{Code, Device, Node, Process, ProcessError, ProcessParams};
use windfall_time::Span;

const PACKETS: u8 = 100;
const PACKET: usize = 64;

/// Reads packets as they arrive, and passes each on; makes the sink first.
#[derive(Clone)]
struct Input {
    line: Device,
    end: Arc<UnixStream>,
    taken: Tally,
}

impl Code for Input {
    const NAME: &'static str = "input";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let (here, begins) = (me.node(), me.now().await);
        let queue = me.make_queue(here, 1_000).await?;
        let sinks = me.make_template(here).await?;
        let sink = Sink::new(queue, Span::from_nanos(20_000), self.taken.clone(), begins);
        me.make_process(sinks, here, ProcessParams::default(), sink).await?;
        let event = me.make_event().await?;
        me.attach(self.line, event).await?;
        let (mut packet, mut filled) = ([0; PACKET], 0);
        loop {
            me.mwait(&[event]).await?;
            // Posts say that something has arrived, not how much: read until it would block.
            loop {
                match (&*self.end).read(&mut packet[filled..]) {
                    Ok(0) => return Ok(()), // the peer has gone
                    Ok(count) => filled += count,
                    Err(_) => break,
                }
                if filled == PACKET {
                    me.enqueue(queue, u64::from(packet[0])).await?;
                    filled = 0;
                }
            }
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (end, mut peer) = UnixStream::pair()?;
    end.set_nonblocking(true)?;
    let generator = std::thread::spawn(move || {
        for number in 0..PACKETS {
            if peer.write_all(&[number; PACKET]).is_err() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_micros(500));
        }
    });
    let (line, taken) = (Device::new("line")?, Tally::default());
    let settings = Settings::default()
        .device(Node(0), line, Arrivals::Descriptor(end.as_raw_fd()))
        .length(Span::from_millis(500));
    let ended = run(&settings, Input { line, end: Arc::new(end), taken: taken.clone() })?;
    generator.join().map_err(|_| "the generator panicked")?;
    if let Some(failed) = ended.failures.first() {
        return Err(failed.why.clone().into());
    }
    println!("the sink has taken {} of {PACKETS} packets", taken.read());
    Ok(())
}
