use super::*;
use windfall_reliability::Kind;
use windfall_reliability::sources::Ending;

/// A machine in files, removed when it is dropped.
struct Machine(PathBuf);

const BOOT: &str = "0f3a0f3a-0f3a-0f3a-0f3a-0f3a0f3a0f3a\n";

impl Machine {
    fn new(name: &str, files: &[(&str, &str)]) -> Machine {
        let own = format!("windfall-records-{}-{name}", std::process::id());
        let machine = Machine(std::env::temp_dir().join(own));
        fs::create_dir_all(&machine.0).unwrap();
        for (path, text) in files {
            let path = machine.0.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        machine
    }

    /// With a journalctl that is this shell script.
    fn journalctl(self, script: &str) -> Machine {
        fs::write(self.0.join("journalctl"), script).unwrap();
        self
    }

    fn records(&self) -> Records {
        let script = self.0.join("journalctl");
        // Read by a shell: a file that is executed must not be open anywhere, as in a child that another test forks.
        let journalctl =
            if script.exists() { vec![PathBuf::from("sh"), script] } else { vec![script] };
        let reader = Reader { root: self.0.clone(), journalctl, now: || Span::from_secs(7_200) };
        reader.records()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const KMSG: &str = "\
5,0,0,-;Linux version 6.12.0
4,9,1800000000,-;watchdog: BUG: soft lockup - CPU#3 stuck for 26s! [x:1]
";

const GUEST: &str = "processor : 0\nflags\t\t: fpu vme hypervisor lahf_lm\n";
const REAL: &str = "processor : 0\nflags\t\t: fpu vme lahf_lm\n";

#[test]
fn accepts_a_real_machine_with_counters_and_the_kernels_messages() {
    let machine = Machine::new(
        "real",
        &[
            ("proc/cpuinfo", REAL),
            ("proc/stat", "cpu 1 2\nbtime 1760000000\n"),
            ("dev/kmsg", KMSG),
            ("sys/devices/system/machinecheck/machinecheck0/bank0", "1"),
            ("sys/devices/system/edac/mc/mc0/ce_count", "12\n"),
            ("sys/devices/system/edac/mc/mc0/ue_count", "0\n"),
            ("sys/devices/system/edac/mc/mc0/seconds_since_reset", "7100\n"),
            ("sys/devices/system/edac/mc/mc0/mc_name", "Skylake Socket#0 IMC#0\n"),
            ("sys/devices/system/edac/mc/power/control", "auto\n"),
            ("sys/class/dmi/id/sys_vendor", "Microsoft Corporation\n"),
            ("sys/class/dmi/id/product_name", "Surface Laptop\n"),
        ],
    );
    let found = machine.records();
    assert_eq!((&found.virtual_machine, found.from), (&None, "kernel messages"));
    assert_eq!(found.without_journal.as_deref(), Some("none here: there is no journalctl"));
    let log = found.log.here().unwrap();
    assert_eq!(log.observed(), Span::from_secs(7_200));
    assert_eq!(log.counts(), [(Subject::Lockup, 1)]);
    let at = log.incidents().next().unwrap().at;
    assert_eq!(at, Instant::from_nanos(1_760_001_800 * 1_000_000_000));
    assert_eq!(found.machine_checks, Found::Here(0));
    let [controller] = &found.controllers.here().unwrap()[..] else { panic!("{found:?}") };
    assert_eq!((controller.corrected, controller.counted), (12, Some(Span::from_secs(7_100))));
}

#[test]
fn law_a_virtual_machine_has_none_of_what_only_a_real_one_has_and_says_how_it_is_known() {
    let machine = Machine::new("guest", &[("proc/cpuinfo", GUEST), ("dev/kmsg", KMSG)]);
    let found = machine.records();
    let how = "flag `hypervisor` in /proc/cpuinfo";
    assert_eq!(found.virtual_machine.as_deref(), Some(how));
    for words in [found.machine_checks.to_string(), found.controllers.to_string()] {
        assert!(words.starts_with("none here: ") && words.ends_with(how), "{words}");
    }
}

#[test]
fn accepts_the_signs_of_virtual_machines_and_of_real_ones() {
    let vendor = "sys/class/dmi/id/sys_vendor";
    let product = "sys/class/dmi/id/product_name";
    for (name, files, how) in [
        (
            "tree",
            vec![("proc/device-tree/hypervisor/compatible", "linux,kvm\0")],
            Some("`linux,kvm`"),
        ),
        (
            "qemu",
            vec![(vendor, "QEMU\n"), (product, "KVM Virtual Machine\n")],
            Some("`QEMU`, `KVM"),
        ),
        (
            "azure",
            vec![(vendor, "Microsoft Corporation\n"), (product, "Virtual Machine\n")],
            Some("`Microsoft"),
        ),
        ("dell", vec![(vendor, "Dell Inc.\n"), (product, "PowerEdge\n")], None),
        ("flags", vec![("proc/cpuinfo", "model name : hypervisor\nbugs : hypervisor\n")], None),
        ("nothing", vec![], None),
    ] {
        let machine = Machine::new(&format!("sign-{name}"), &files);
        let found = virtual_machine(&machine.0);
        match how {
            Some(how) => assert!(found.unwrap().starts_with(how), "{name}"),
            None => assert_eq!(found, None, "{name}"),
        }
    }
}

#[test]
fn law_absent_is_not_unreadable() {
    let machine = Machine::new("absent", &[("proc/cpuinfo", REAL)]);
    let found = machine.records();
    assert_eq!(found.log.to_string(), "none here: there is no /dev/kmsg");
    assert!(found.machine_checks.to_string().starts_with("none here: no log to look for them"));
    assert!(found.controllers.to_string().contains("without ECC, or its driver is not loaded"));
    // A folder cannot be read as a file, whoever asks.
    let path = "sys/devices/system/edac/mc/mc0/ce_count/x";
    let machine = Machine::new("unreadable", &[("dev/kmsg/x", ""), (path, "")]);
    let found = machine.records();
    let words = found.log.to_string();
    assert!(words.starts_with("not readable: /dev/kmsg: Is a directory"), "{words}");
    assert!(words.ends_with("run as root, or with CAP_SYSLOG"), "{words}");
    assert!(matches!(found.machine_checks, Found::Unreadable { .. }));
    let words = found.controllers.to_string();
    assert!(words.starts_with("not readable: /sys/devices/system/edac/mc: "), "{words}");
}

#[test]
fn refuses_counters_that_are_no_numbers() {
    let machine = Machine::new(
        "counters",
        &[
            ("sys/devices/system/edac/mc/mc0/ce_count", "many\n"),
            ("sys/devices/system/edac/mc/mc0/ue_count", "0\n"),
        ],
    );
    let words = machine.records().controllers.to_string();
    assert!(words.contains("mc0/ce_count: `many` is no count; allowed: 0 to"), "{words}");
}

/// A journal of two starts: the first ends with the entry that is asked for by its number.
const JOURNAL: &str = r#"
entry() {
    echo "{\"__CURSOR\":\"$1$2\",\"__REALTIME_TIMESTAMP\":\"$((1760000000 + $1 * 90000 + $2))000000\",\"__MONOTONIC_TIMESTAMP\":\"${2}000000\",\"_BOOT_ID\":\"$3\",\"_TRANSPORT\":\"$4\",\"MESSAGE\":\"$5\"}"
}
old=11111111111111111111111111111111
own=0f3a0f3a0f3a0f3a0f3a0f3a0f3a0f3a
case "$*" in
*"_TRANSPORT=kernel + MESSAGE_ID="*)
    entry 1 1 $old kernel "Linux version 6.12.0"
    entry 1 50 $old kernel "mce: [Hardware Error]: Machine check events logged"
    entry 2 1 $own kernel "Linux version 6.12.0" ;;
*"-b $old -n 1"*) entry 1 3601 $old syslog "the last words" ;;
*) echo "not expected: $*" >&2; exit 3 ;;
esac"#;

#[test]
fn accepts_a_journal_and_asks_it_how_long_each_start_lasted() {
    let files = [("proc/sys/kernel/random/boot_id", BOOT), ("proc/cpuinfo", GUEST)];
    let found = Machine::new("journal", &files).journalctl(JOURNAL).records();
    assert_eq!((found.from, found.without_journal.as_ref()), ("journal", None));
    let log = found.log.here().unwrap();
    let endings: Vec<Ending> = log.boots().iter().map(|boot| boot.ending).collect();
    assert_eq!(endings, [Ending::Unexpected, Ending::Running]);
    let failures = log.sample(Kind::Failure);
    assert_eq!(failures.ended(), [Span::from_secs(3_600)]);
    assert_eq!(failures.censored(), [Span::from_secs(7_199)]);
    // A virtual machine may have them, if its hypervisor hands them on.
    assert_eq!(found.machine_checks, Found::Here(1));
}

#[test]
fn law_a_journal_that_is_hidden_is_not_a_quiet_one() {
    let hint = "echo 'Hint: You are currently not seeing messages from other users and the system.' >&2; exit 0";
    let found = Machine::new("hidden", &[]).journalctl(hint).records();
    let words = found.log.to_string();
    assert!(words.starts_with("not readable: journalctl: Hint: You are currently not"), "{words}");
    assert!(words.ends_with("run as root, or join the group systemd-journal"), "{words}");
    // The kernel's messages are better than nothing, and it is said what they stand for.
    let found = Machine::new("ring", &[("dev/kmsg", KMSG)]).journalctl(hint).records();
    assert_eq!(found.from, "kernel messages");
    assert!(found.log.here().is_some() && found.without_journal.unwrap().contains("not readable"));
}

#[test]
fn law_a_journal_that_is_empty_or_broken_is_named() {
    for (name, script, words) in [
        (
            "none",
            "echo 'No journal files were found.' >&2; exit 1",
            "none here: there are no journal files",
        ),
        ("empty", "exit 1", "none here: the journal has no message of the kernel"),
        (
            "option",
            "echo 'unrecognized option' >&2; exit 1",
            "not readable: journalctl (exit status: 1): unrec",
        ),
        (
            "text",
            "echo 'Nov 27 kernel: x'",
            "not readable: journal: line 1 is no entry of a journal",
        ),
    ] {
        let machine = Machine::new(&format!("journal-{name}"), &[("dev/kmsg", KMSG)]);
        let why = machine.journalctl(script).records().without_journal.unwrap();
        assert!(why.starts_with(words), "{why}");
    }
}

#[test]
fn law_this_machine_answers() {
    let found = super::records();
    match &found.log {
        Found::Here(log) => assert!(!log.observed().is_zero()),
        other => assert!(!other.to_string().is_empty()),
    }
    let is_here = found.controllers.here().is_some_and(Vec::is_empty);
    assert!(!is_here, "controllers that are here are some: {found:?}");
}
