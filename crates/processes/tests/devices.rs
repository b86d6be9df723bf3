//! Devices: one body on both hosts, and what only threads have: descriptors, signals, and what can be wrong with them.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};
use windfall_os::clock;
use windfall_os::events::{Poll, Timer};
use windfall_processes::{Arrivals, Settings, run};
use windfall_programs::{
    Code, Device, Event, Node, Process, ProcessError, ProcessParams, Queue, Template,
};
use windfall_scenario::Scenario;
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

type Log = Arc<Mutex<Vec<u64>>>;

fn line() -> Device {
    Device::new("line").unwrap()
}

fn settings() -> Settings {
    Settings::default().length(Span::from_secs(30))
}

/// Waits for some arrivals, and tries what is refused.
#[derive(Clone)]
struct Waits(Log);

/// Requester for a device that another process has.
#[derive(Clone)]
struct Requester(Queue);

impl Code for Waits {
    const NAME: &'static str = "waits";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let (event, other) = (me.make_event().await?, me.make_event().await?);
        let none = Device::new("none")?;
        assert_eq!(me.attach(none, event).await, Err(ProcessError::NoDevice { device: none }));
        assert_eq!(me.detach(line()).await, Ok(false));
        me.attach(line(), event).await?;
        let taken = Err(ProcessError::DeviceTaken { device: line() });
        assert_eq!(me.attach(line(), other).await, taken);
        let queue = me.make_queue(me.node(), 4).await?;
        let requester: Template<Requester> = me.make_template(me.node()).await?;
        me.make_process(requester, me.node(), ProcessParams::default(), Requester(queue)).await?;
        for _ in 0..5 {
            let datum = me.mwait(&[event]).await?.datum;
            self.0.lock().unwrap().push(datum);
        }
        assert_eq!(me.take(queue, other).await?, 1, "another process was refused");
        assert_eq!(me.detach(line()).await, Ok(true));
        let at = me.now().await + Span::from_millis(30);
        me.sleep_until(at).await;
        me.reset(event).await?;
        // What has arrived meanwhile is posted when an event is attached.
        me.attach(line(), other).await?;
        assert!(me.test(other).await?.is_some());
        me.delete(other).await?;
        me.attach(line(), event).await?; // an event that has gone holds no device
        me.mwait(&[event]).await.map(drop)
    }
}

impl Code for Requester {
    const NAME: &'static str = "requester";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        let refused = me.attach(line(), event).await.is_err() && me.detach(line()).await.is_err();
        me.enqueue(self.0, u64::from(refused)).await
    }
}

fn simulate(first: impl Code) {
    let text = "schema = 2\nlength = \"30s\"\n[[interrupts]]\ndevice = \"line\"\nevery = \"5ms\"\n\
                cost = \"10us\"\n[schedulers.node]\nscheduler = \"round-robin\"\nparent = \"top\"\n";
    let mut plan = Scenario::parse("twin.toml", text).unwrap().build().unwrap();
    plan.begin_with(|_| Vec::new(), &ProcessParams::default(), first);
    let outcome = Sim::of(plan, None).unwrap().run(Instant::ZERO + Span::from_secs(1), |_| true);
    assert_eq!(outcome.failure, None);
}

#[test]
fn twin_a_device_posts_an_event_of_its_process() {
    let (simulated, real) = (Log::default(), Log::default());
    simulate(Waits(simulated.clone()));
    assert_eq!(*simulated.lock().unwrap(), [1, 2, 3, 4, 5]);
    let timer = Arrivals::Every(Span::from_millis(5));
    let ended = run(&settings().device(Node(0), line(), timer), Waits(real.clone())).unwrap();
    assert_eq!((ended.failures.as_slice(), ended.unfinished), (&[][..], 0));
    let real = real.lock().unwrap();
    assert!(real.len() == 5 && real[0] >= 1 && real.is_sorted_by(|a, b| a < b), "{real:?}");
}

/// Reads all that comes, until the other end is closed.
#[derive(Clone)]
struct Reads {
    end: Arc<UnixStream>,
    read: Log,
}

impl Code for Reads {
    const NAME: &'static str = "reads";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        me.attach(line(), event).await?;
        let mut bytes = [0; 16];
        loop {
            me.mwait(&[event]).await?;
            loop {
                match (&*self.end).read(&mut bytes) {
                    Ok(0) => return Ok(()),
                    Ok(count) => {
                        self.read
                            .lock()
                            .unwrap()
                            .extend(bytes[..count].iter().map(|b| u64::from(*b)));
                    }
                    Err(why) => {
                        assert_eq!(why.kind(), std::io::ErrorKind::WouldBlock);
                        break;
                    }
                }
            }
        }
    }
}

#[test]
fn law_nothing_that_arrives_at_a_descriptor_is_missed() {
    let (end, mut other) = UnixStream::pair().unwrap();
    end.set_nonblocking(true).unwrap();
    let read = Log::default();
    let settings = settings().device(Node(0), line(), Arrivals::Descriptor(end.as_raw_fd()));
    let writer = std::thread::spawn(move || {
        for byte in 0..=250_u8 {
            other.write_all(&[byte; 3]).unwrap();
            if byte % 3 == 0 {
                std::thread::sleep(std::time::Duration::from_micros(u64::from(byte)));
            }
        }
    });
    let ended = run(&settings, Reads { end: Arc::new(end), read: read.clone() }).unwrap();
    writer.join().unwrap();
    assert_eq!((ended.failures.as_slice(), ended.unfinished), (&[][..], 0));
    let expected: Vec<u64> = (0..=250).flat_map(|byte| [byte; 3]).collect();
    assert_eq!(*read.lock().unwrap(), expected);
}

/// Has two devices; another process has one, and posts to this one after each of its own arrivals.
#[derive(Clone)]
struct Both {
    devices: [Device; 3],
    seen: Arc<Mutex<[u64; 3]>>,
}

#[derive(Clone)]
struct Helps {
    device: Device,
    to: Event,
}

impl Code for Helps {
    const NAME: &'static str = "helps";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        me.attach(self.device, event).await?;
        loop {
            me.mwait(&[event]).await?;
            match me.post(self.to, 0).await {
                Ok(()) | Err(ProcessError::AlreadyPosted { .. }) => {}
                _ => return Ok(()), // the other one has ended
            }
        }
    }
}

impl Code for Both {
    const NAME: &'static str = "both";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let mut events = Vec::new();
        for device in &self.devices[..2] {
            let event = me.make_event().await?;
            me.attach(*device, event).await?;
            events.push(event);
        }
        let posted = me.make_event().await?;
        events.push(posted);
        let helps: Template<Helps> = me.make_template(me.node()).await?;
        let code = Helps { device: self.devices[2], to: posted };
        me.make_process(helps, me.node(), ProcessParams::default(), code).await?;
        while self.seen.lock().unwrap().iter().any(|count| *count < 50) {
            // Now all three wake it, now one, while the others arrive.
            let turn = self.seen.lock().unwrap().iter().sum::<u64>() % 4;
            let came = match (0..).zip(&events).find(|(place, _)| *place == turn) {
                Some((_, one)) => me.mwait(&[*one]).await?,
                None => me.wait().await?,
            };
            let place = events.iter().position(|event| *event == came.event).unwrap();
            self.seen.lock().unwrap()[place] += 1;
        }
        me.detach(self.devices[0]).await?;
        me.delete(events[0]).await
    }
}

#[test]
fn law_devices_and_posts_of_others_wake_the_same_process() {
    let devices = ["first", "second", "third"].map(|name| Device::new(name).unwrap());
    let seen = Arc::new(Mutex::new([0; 3]));
    let every = |us: u64| Arrivals::Every(Span::from_nanos(us * 1_000));
    let settings = settings().device(Node(0), devices[0], every(300));
    let settings = settings.device(Node(0), devices[1], every(410));
    let settings = settings.device(Node(0), devices[2], every(530));
    let ended = run(&settings, Both { devices, seen: seen.clone() }).unwrap();
    assert_eq!((ended.failures.as_slice(), ended.unfinished), (&[][..], 0), "{seen:?}");
}

/// Waits for 200 arrivals; how often the thread of the node's devices ran meanwhile.
#[derive(Clone)]
struct Alone(Log);

/// How often a thread of this process has left its processor.
fn switches(name: &str) -> u64 {
    let threads = std::fs::read_dir("/proc/self/task").unwrap().filter_map(Result::ok);
    let status = threads.filter_map(|one| std::fs::read_to_string(one.path().join("status")).ok());
    let named = status.filter(|status| status.lines().next() == Some(&format!("Name:\t{name}")));
    let counts = named.flat_map(|status| {
        let lines = status.lines().filter(|line| line.starts_with("voluntary_ctxt_switches:"));
        lines
            .filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok())
            .collect::<Vec<_>>()
    });
    counts.sum()
}

impl Code for Alone {
    const NAME: &'static str = "alone";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        // A node that no other test has.
        if me.node() != Node(6) {
            let there: Template<Alone> = me.make_template(Node(6)).await?;
            return me.make_process(there, Node(6), ProcessParams::default(), self).await.map(drop);
        }
        let event = me.make_event().await?;
        me.attach(line(), event).await?;
        me.wait().await?;
        let before = switches("devices/6");
        for _ in 0..200 {
            me.wait().await?;
        }
        self.0.lock().unwrap().push(switches("devices/6") - before);
        Ok(())
    }
}

#[test]
fn law_no_other_thread_runs_between_an_arrival_and_the_process_that_waits_for_it() {
    let log = Log::default();
    let settings = (0..7).fold(settings(), |settings, _| settings.node([0]));
    let timer = Arrivals::Every(Span::from_nanos(500_000));
    let settings = settings.device(Node(6), line(), timer);
    let ended = run(&settings, Alone(log.clone())).unwrap();
    assert_eq!((ended.failures.as_slice(), ended.unfinished), (&[][..], 0));
    let others = log.lock().unwrap()[0];
    // Arrivals while the process is at work are the other thread's.
    assert!(others < 20, "the thread of the node's devices ran {others} times for 200 arrivals");
}

/// Waits for one arrival.
#[derive(Clone)]
struct Once(Log);

impl Code for Once {
    const NAME: &'static str = "once";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        me.attach(line(), event).await?;
        let datum = me.wait().await?.datum;
        self.0.lock().unwrap().push(datum);
        Ok(())
    }
}

#[test]
fn accepts_a_set_of_descriptors_as_a_device() {
    let (set, timer) = (Poll::new().unwrap(), Timer::new().unwrap());
    set.add(timer.as_raw_fd(), 0).unwrap();
    timer.set(Some(clock::now() + Span::from_millis(20)));
    let log = Log::default();
    let device = Arrivals::Descriptor(set.as_raw_fd());
    let ended = run(&settings().device(Node(0), line(), device), Once(log.clone())).unwrap();
    assert_eq!((ended.failures.as_slice(), ended.unfinished), (&[][..], 0));
    assert_eq!(*log.lock().unwrap(), [1]);
}

#[test]
fn accepts_a_datum_of_its_own_for_a_device() {
    let log = Log::default();
    let timer = Arrivals::Every(Span::from_millis(1));
    run(&settings().device_with(Node(0), line(), timer, 77), Once(log.clone())).unwrap();
    assert_eq!(*log.lock().unwrap(), [77]);
}

#[test]
fn refuses_a_closed_descriptor_and_a_file_by_the_name_of_the_device() {
    let file = std::fs::File::open("/proc/self/exe").unwrap();
    let refused = |arrivals| {
        let once = Once(Log::default());
        run(&settings().device(Node(0), line(), arrivals), once).unwrap_err().to_string()
    };
    // A number beyond all that a process has.
    for arrivals in [Arrivals::Descriptor(1 << 30), Arrivals::Descriptor(file.as_raw_fd())] {
        let why = refused(arrivals);
        assert!(why.contains("cannot wait for device `line`"), "{why}");
    }
    let none = refused(Arrivals::Signal(0));
    assert!(none.contains("cannot wait for device `line`"), "{none}");
    let timer = Arrivals::Every(Span::from_millis(1));
    let nowhere = settings().device(Node(7), line(), timer);
    let why = run(&nowhere, Once(Log::default())).unwrap_err().to_string();
    assert!(why.contains("cannot have device `line`") && why.contains("node 7"), "{why}");
    let twice = settings().device(Node(0), line(), timer).device(Node(0), line(), timer);
    let why = run(&twice, Once(Log::default())).unwrap_err().to_string();
    assert!(why.contains("there is one of that name"), "{why}");
}

#[test]
fn refuses_a_device_of_another_node() {
    #[derive(Clone)]
    struct Elsewhere;
    impl Code for Elsewhere {
        const NAME: &'static str = "elsewhere";

        async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
            let event = me.make_event().await?;
            let node = Node(1);
            let elsewhere = Err(ProcessError::DeviceElsewhere { device: line(), node });
            assert_eq!(me.attach(line(), event).await, elsewhere);
            Ok(())
        }
    }
    let timer = Arrivals::Every(Span::from_millis(1));
    let two = settings().node([0]).node([0]).device(Node(1), line(), timer);
    let ended = run(&two, Elsewhere).unwrap();
    assert_eq!(ended.failures, []);
}

#[test]
fn law_the_scenario_of_a_device_is_as_it_expects() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/device.toml");
    let scenario = Scenario::load(file.as_ref()).unwrap();
    let simulated = windfall_sim::simulate(&scenario).unwrap();
    assert!(simulated.holds(), "{:#?}", simulated.expectations);
}
