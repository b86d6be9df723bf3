//! Machines on this one: a network namespace each, with an Ethernet card (a TAP device) whose frames go over a [`Wire`] of the test.
//!
//! Nothing is left however a test ends: a namespace lives as long as its holder, which ends with the test's end of a pipe; a card goes with its namespace; a replica gets SIGKILL when the thread that started it ends.

mod wire;

pub(crate) use wire::Faults;

use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tun_tap::{Iface, Mode};
use windfall_skips::{Needs, skip};
use wire::Wire;

/// Three machines, which are gone when it is.
pub(crate) struct Machines {
    holders: Vec<Child>,
    wire: Arc<Wire>,
}

/// Says what stood in the way if that is so.
fn done(what: &str, output: std::io::Result<Output>) -> Result<(), String> {
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!("{what}: {}", String::from_utf8_lossy(&output.stderr).trim())),
        Err(error) => Err(format!("{what}: {error}")),
    }
}

fn words(program: &str, line: &str) -> Command {
    let mut command = Command::new(program);
    command.args(line.split(' '));
    command
}

impl Machines {
    /// `None` where this machine does not let them be; that has been said then.
    pub(crate) fn new(faults: Faults) -> Option<Machines> {
        let mut machines = Machines { holders: Vec::new(), wire: Wire::new(faults) };
        match machines.begin() {
            Ok(()) => Some(machines),
            Err(why) => {
                skip(Needs::Real, format!("no machines by namespaces (root and iproute2): {why}"));
                None
            }
        }
    }

    fn begin(&mut self) -> Result<(), String> {
        static CARDS: AtomicU32 = AtomicU32::new(0);
        let mut cards = Vec::new();
        for machine in 0..3 {
            let number = CARDS.fetch_add(1, Ordering::Relaxed);
            let name = format!("wf{}-{number}", std::process::id());
            let card = Iface::without_packet_info(&name, Mode::Tap);
            cards.push(card.map_err(|error| format!("a TAP device: {error}"))?);
            let mut holder = words("unshare", "--net cat");
            let holder = holder.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
            self.holders.push(holder.map_err(|error| format!("unshare: {error}"))?);
            self.is_apart(machine)?;
            let into = format!("link set {name} netns {}", self.holders[machine].id());
            done("a card for a machine", words("ip", &into).output())?;
            for line in [
                format!("link set {name} name eth0"),
                format!("addr add {}/24 dev eth0", Machines::address(machine)),
                "link set eth0 up".to_owned(),
                "link set lo up".to_owned(),
            ] {
                let mut ip = self.command(machine, "ip");
                done(&line, ip.args(line.split(' ')).output())?;
            }
        }
        self.wire.clone().carry(cards);
        Ok(())
    }

    /// Waits until the holder has a namespace of its own.
    fn is_apart(&mut self, machine: usize) -> Result<(), String> {
        use std::io::{Read, Write};
        let holder = &mut self.holders[machine];
        let (into, out) = (holder.stdin.as_mut(), holder.stdout.as_mut());
        let said = into
            .zip(out)
            .map(|(into, out)| into.write_all(b"x").and_then(|()| out.read_exact(&mut [0])));
        let is_said = matches!(said, Some(Ok(())));
        if is_said { Ok(()) } else { Err("a namespace: unshare ended".to_owned()) }
    }

    pub(crate) fn address(machine: usize) -> String {
        format!("10.77.0.{}", machine + 1)
    }

    /// Of all machines, with a port.
    pub(crate) fn addresses(before: &str) -> String {
        let address = |machine| format!("{before}{}:7001", Machines::address(machine));
        [0, 1, 2].map(address).join(",")
    }

    /// Runs a program there.
    pub(crate) fn command(&self, machine: usize, program: &str) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net=/proc/{}/ns/net", self.holders[machine].id()));
        command.args(["setpriv", "--pdeathsig", "KILL", program]);
        command
    }

    /// Its cable is pulled, or put in again.
    pub(crate) fn set_down(&self, machine: usize, is_down: bool) {
        let state = if is_down { "down" } else { "up" };
        let mut ip = self.command(machine, "ip");
        let output = ip.args(["link", "set", "eth0", state]).output();
        done("a cable", output).expect("it has a card");
    }

    /// Frames so far: carried, lost, doubled, late.
    pub(crate) fn counts(&self) -> [u64; 4] {
        self.wire.counts()
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        self.wire.end();
        for holder in &mut self.holders {
            _ = holder.kill();
            _ = holder.wait();
        }
    }
}
