//! Logs of a machine, as its journal and its kernel write them.

use windfall_reliability::sources::{
    Ending, Found, JOURNAL_STARTED, JOURNAL_STOPPED, Log, MESSAGES, Running, SHUTDOWN, SourceError,
    Subject, edac, journal_json, kernel_messages,
};
use windfall_reliability::{Confidence, Exponential, Kind, Mean, Weibull};
use windfall_time::{Instant, Span};

const HOUR: u64 = 3_600;
/// When the first start was.
const BEGAN: u64 = 1_760_000_000;

/// An entry of a journal, as `journalctl -o json` writes it.
fn entry(boot: u32, seconds: u64, began: u64, fields: &str) -> String {
    format!(
        "{{\"__CURSOR\":\"s=1;i={boot:x}{seconds:x};{}\",\"__REALTIME_TIMESTAMP\":\"{}\",\"__MONOTONIC_TIMESTAMP\":\"{}\",\"_BOOT_ID\":\"{boot:032x}\",{fields}}}\n",
        fields.len(),
        (began + seconds) * 1_000_000,
        seconds * 1_000_000
    )
}

fn kernel(boot: u32, seconds: u64, began: u64, message: &str) -> String {
    entry(
        boot,
        seconds,
        began,
        &format!(
            "\"_TRANSPORT\":\"kernel\",\"SYSLOG_IDENTIFIER\":\"kernel\",\"MESSAGE\":\"{message}\""
        ),
    )
}

fn journald(boot: u32, seconds: u64, began: u64, id: &str) -> String {
    entry(
        boot,
        seconds,
        began,
        &format!("\"_TRANSPORT\":\"driver\",\"MESSAGE_ID\":\"{id}\",\"MESSAGE\":\"Journal\""),
    )
}

fn other(boot: u32, seconds: u64, began: u64) -> String {
    entry(
        boot,
        seconds,
        began,
        "\"_TRANSPORT\":\"syslog\",\"MESSAGE\":\"Kernel panic - not syncing: a talk about one\"",
    )
}

/// Three starts: the first ends by a shutdown, the second by nothing, the third runs.
fn journal() -> String {
    let (second, third) = (BEGAN + 20 * HOUR, BEGAN + 100 * HOUR);
    [
        kernel(1, 0, BEGAN, "Linux version 6.12.0"),
        journald(1, 1, BEGAN, JOURNAL_STARTED),
        kernel(1, 4 * HOUR, BEGAN, "I/O error, dev sda, sector 2048 op 0x0:(READ) flags 0x0"),
        kernel(1, 4 * HOUR + 1, BEGAN, "I/O error, dev sda, sector 2056 op 0x0:(READ) flags 0x0"),
        journald(1, 10 * HOUR, BEGAN, JOURNAL_STOPPED),
        kernel(2, 0, second, "Linux version 6.12.0"),
        // The initial file system's journal hands over to the system's.
        journald(2, 1, second, JOURNAL_STOPPED),
        journald(2, 2, second, JOURNAL_STARTED),
        kernel(2, 3 * HOUR, second, "INFO: task dd:99 blocked for more than 122 seconds."),
        other(2, 30 * HOUR, second),
        kernel(3, 0, third, "Linux version 6.12.0"),
        kernel(3, HOUR, third, "watchdog: BUG: soft lockup - CPU#3 stuck for 26s! [x:1]"),
    ]
    .concat()
}

const RUNNING: Running<'_> =
    Running { boot: "00000000-0000-0000-0000-000000000003", now: Span::from_secs(7_200) };

fn hours(sample: &[Span]) -> Vec<u64> {
    sample.iter().map(|span| span.as_nanos() / (HOUR * 1_000_000_000)).collect()
}

fn subjects(log: &Log) -> Vec<Subject> {
    log.incidents().map(|one| one.subject).collect()
}

#[test]
fn accepts_a_journal_and_finds_starts_that_end_without_a_shutdown() {
    let log = journal_json(&journal(), Some(RUNNING)).unwrap();
    let endings: Vec<Ending> = log.boots().iter().map(|boot| boot.ending).collect();
    assert_eq!(endings, [Ending::Shutdown, Ending::Unexpected, Ending::Running]);
    assert_eq!(hours(&[log.observed()]), [42]);
    use Subject::{HungTask, Lockup, Storage, UnexpectedEnd};
    assert_eq!(subjects(&log), [Storage, Storage, HungTask, UnexpectedEnd, Lockup]);
    assert_eq!(log.counts()[0], (UnexpectedEnd, 1));
    let end = log.boots()[1].incidents[1].clone();
    assert_eq!(end.at, Instant::from_nanos((BEGAN + 50 * HOUR) * 1_000_000_000));
}

#[test]
fn law_spans_count_the_time_in_which_the_system_ran() {
    let log = journal_json(&journal(), Some(RUNNING)).unwrap().merged(Span::from_secs(60));
    let failures = log.sample(Kind::Failure);
    // 10 hours of the first start and 30 of the second; then 2 that are cut off.
    assert_eq!((hours(failures.ended()), hours(failures.censored())), (vec![40], vec![2]));
    let errors = log.sample(Kind::Error);
    // 4; 6 and 3; 27 and 1; and 1 that is cut off.
    assert_eq!((hours(errors.ended()), hours(errors.censored())), (vec![4, 9, 28], vec![1]));
    for sample in [failures, errors] {
        let spans = sample.ended().iter().chain(sample.censored());
        let total = spans.fold(Span::ZERO, |total, span| total + *span);
        assert_eq!(total, log.observed());
    }
}

#[test]
fn law_a_journal_says_the_same_in_any_order_and_twice() {
    let log = journal_json(&journal(), Some(RUNNING)).unwrap();
    let mut lines: Vec<String> = journal().lines().map(str::to_owned).collect();
    lines.reverse();
    lines.extend(lines.clone());
    assert_eq!(journal_json(&lines.join("\n"), Some(RUNNING)), Ok(log));
}

#[test]
fn law_a_clock_that_is_set_changes_no_span() {
    // The battery of the clock is empty: the second start begins in 1970.
    let first = kernel(1, 0, BEGAN, "Linux version 6.12.0") + &journald(1, HOUR, BEGAN, SHUTDOWN);
    let begun = kernel(2, 0, 0, "Linux version 6.12.0");
    let set = kernel(2, 2 * HOUR, BEGAN + 9 * HOUR, "Kernel panic - not syncing: Fatal exception");
    let log = journal_json(&(begun + &first + &set), None).unwrap();
    assert_eq!(hours(log.sample(Kind::Failure).ended()), [3]);
    assert_eq!(subjects(&log), [Subject::Panic]);
}

#[test]
fn law_a_panic_and_the_end_that_follows_are_one_failure() {
    let began = kernel(1, 0, BEGAN, "Linux version 6.12.0");
    let panic = kernel(1, HOUR, BEGAN, "Kernel panic - not syncing: Fatal exception");
    for (after, failures) in [(0, 1), (120, 1), (121, 2)] {
        let last = other(1, HOUR + after, BEGAN);
        let log = journal_json(&[began.as_str(), &panic, &last].concat(), None).unwrap();
        assert_eq!(log.sample(Kind::Failure).events(), failures, "{after}");
    }
}

#[test]
fn law_without_an_incident_a_bound_is_known_and_without_a_start_nothing() {
    let text = kernel(3, 0, BEGAN, "Linux version 6.12.0");
    let log = journal_json(&text, Some(RUNNING)).unwrap();
    let fit = Exponential::fit(&log.sample(Kind::Failure), Confidence::USUAL).unwrap();
    assert_eq!(fit.mean().to_string(), "at least 40.06 min");
    let empty = journal_json("\n", Some(RUNNING)).unwrap();
    assert!(empty.boots().is_empty() && empty.observed().is_zero());
    assert!(Exponential::fit(&empty.sample(Kind::Failure), Confidence::USUAL).is_err());
}

#[test]
fn accepts_messages_as_bytes_and_fields_of_several_values() {
    let bytes: Vec<String> = "Oops: 0000 [#1]".bytes().map(|byte| byte.to_string()).collect();
    let as_bytes = format!("\"_TRANSPORT\":\"kernel\",\"MESSAGE\":[{}]", bytes.join(","));
    let several = "\"_TRANSPORT\":[\"kernel\",\"x\"],\"MESSAGE\":[\"Oops: 1\",\"x\"]";
    let empty = "\"_TRANSPORT\":\"kernel\",\"MESSAGE\":null";
    let text = [as_bytes.as_str(), several, empty].map(|fields| entry(1, 5, BEGAN, fields));
    let log = journal_json(&text.concat(), None).unwrap();
    let words: Vec<&str> = log.incidents().map(|one| one.text.as_str()).collect();
    // The last is the end without a shutdown, of which nothing is written.
    assert_eq!(words, ["Oops: 0000 [#1]", "Oops: 1", ""]);
}

#[test]
fn law_a_message_that_waited_for_the_journal_counts_when_it_was_said() {
    let said = |us: &str| {
        let source = format!("\"_SOURCE_MONOTONIC_TIMESTAMP\":\"{us}\"");
        entry(3, 900, BEGAN, &format!("\"_TRANSPORT\":\"kernel\",\"MESSAGE\":\"Oops: 1\",{source}"))
    };
    // The kernel's own clock may be ahead of that of the journal; then the journal's counts.
    for (us, seconds) in [("2000000", 2), ("900000001", 900), ("soon", 900)] {
        let log = journal_json(&said(us), Some(RUNNING)).unwrap();
        assert_eq!(log.incidents().next().unwrap().since, Span::from_secs(seconds), "{us}");
    }
}

#[test]
fn refuses_what_is_no_journal_with_the_line_and_what_is_allowed() {
    let good = kernel(3, 0, BEGAN, "x");
    let late = kernel(3, 7_201, BEGAN, "x");
    for (line, words) in [
        ("Nov 14 node kernel: x", "line 2 is no entry of a journal ("),
        ("[]", "line 2: `` in the field __MONOTONIC_TIMESTAMP; allowed: what `journalctl -o json`"),
        ("{\"__MONOTONIC_TIMESTAMP\":\"-5\"}", "line 2: `-5` in the field __MONOTONIC_TIMESTAMP"),
        (
            "{\"__MONOTONIC_TIMESTAMP\":\"5\",\"__REALTIME_TIMESTAMP\":\"99999999999999999\"}",
            "`99999999999999999` in the field __REALTIME_TIMESTAMP",
        ),
        (
            "{\"__MONOTONIC_TIMESTAMP\":\"5\",\"__REALTIME_TIMESTAMP\":\"5\"}",
            "line 2: `` in the field _BOOT_ID",
        ),
        (
            &late,
            "line 2: an entry 7201s after the start of a system that has run for 7200s; read the time",
        ),
    ] {
        let error = journal_json(&format!("{good}{line}"), Some(RUNNING)).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

const KMSG: &str = "\
6,1204,900000000,-;usb 1-1: new high-speed USB device number 2
 SUBSYSTEM=usb
 DEVICE=c189:1
4,1205,1800000000,-,caller=T99;watchdog: BUG: soft lockup - CPU#3 stuck for 26s! [x:1]
0,1206,1800500000,-;mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 5: be00000000800400
";

const DMESG: &str = "\
[  900.000000] usb 1-1: new high-speed USB device number 2
<4>[ 1800.000000][   T99] watchdog: BUG: soft lockup - CPU#3 stuck for 26s! [x:1]
a line that goes on
[ 1800.500000] mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 5: be00000000800400
";

#[test]
fn accepts_the_kernels_own_messages_in_both_forms() {
    for text in [KMSG, DMESG] {
        let boot = Instant::from_nanos(BEGAN * 1_000_000_000);
        let log = kernel_messages(text, Span::from_secs(4_500), boot).unwrap();
        assert_eq!(subjects(&log), [Subject::Lockup, Subject::MachineCheck]);
        // Older messages were overwritten, so nothing is known of the time before 900 s.
        assert_eq!(hours(&[log.observed()]), [1]);
        let errors = log.sample(Kind::Error);
        assert_eq!(errors.ended()[0], Span::from_secs(900));
        assert_eq!(log.sample(Kind::Failure).censored(), [Span::from_secs(3_600)]);
        let at = (BEGAN + 1_800) * 1_000_000_000;
        assert_eq!(log.incidents().next().unwrap().at, Instant::from_nanos(at));
    }
    let empty = kernel_messages("\n", Span::from_secs(1), Instant::ZERO).unwrap();
    assert!(empty.boots().is_empty());
}

#[test]
fn refuses_kernel_messages_with_another_time() {
    for (text, found) in [
        ("[Mon Nov 27 12:00:00 2026] x", "Mon Nov 27 12:00:00 2026"),
        ("[    1.000000] x\n6,7,soon,-;x", "soon"),
    ] {
        let line = text.lines().count();
        let error = kernel_messages(text, Span::from_secs(9), Instant::ZERO).unwrap_err();
        assert_eq!(error, SourceError::Time { line, found: found.to_owned() });
    }
}

/// Lines as kernels have written them.
const WRITTEN: [(&str, Option<Subject>); 26] = [
    (
        "Kernel panic - not syncing: Attempted to kill init! exitcode=0x0000000b",
        Some(Subject::Panic),
    ),
    ("Kernel panic - not syncing: Watchdog detected hard LOCKUP on cpu 8", Some(Subject::Panic)),
    ("Out of memory: Killed process 812 (java) total-vm:9000kB", Some(Subject::OutOfMemory)),
    ("Memory cgroup out of memory: Killed process 812 (java) total-vm:9000kB", None),
    (
        "Oops: general protection fault, probably for non-canonical address: 0000 [#1]",
        Some(Subject::KernelFault),
    ),
    ("Internal error: Oops: 0000000096000004 [#1] SMP", Some(Subject::KernelFault)),
    ("kernel BUG at mm/slub.c:305!", Some(Subject::KernelFault)),
    ("BUG: Bad page state in process x  pfn:12345", Some(Subject::KernelFault)),
    ("BUG: scheduling while atomic: swapper/0/0/0x00000002", Some(Subject::KernelFault)),
    ("NMI watchdog: Watchdog detected hard LOCKUP on cpu 2", Some(Subject::Lockup)),
    ("rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:", Some(Subject::Lockup)),
    ("rcu: INFO: rcu_sched self-detected stall on CPU", Some(Subject::Lockup)),
    ("INFO: task dd:99 blocked for more than 122 seconds.", Some(Subject::HungTask)),
    ("mce: [Hardware Error]: Machine check events logged", Some(Subject::MachineCheck)),
    (
        "Memory failure: 0x12345: recovery action for dirty LRU page: Recovered",
        Some(Subject::MachineCheck),
    ),
    (
        "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_Ha#0_Chan#1_DIMM#0",
        Some(Subject::MemoryController),
    ),
    ("EDAC MC1: 1 UE memory scrubbing error on unknown memory", Some(Subject::MemoryController)),
    ("EDAC MC0: Giving out device to module skx_edac controller Skylake Socket#0", None),
    ("pcieport 0000:00:1c.0: AER: Corrected error received: 0000:00:1c.0", Some(Subject::Bus)),
    (
        "pcieport 0000:00:1c.0: AER: Correctable error message received from 0000:01:00.0",
        Some(Subject::Bus),
    ),
    ("blk_update_request: I/O error, dev sda, sector 2048 op 0x0:(READ)", Some(Subject::Storage)),
    ("nvme nvme0: I/O 12 QID 3 timeout, aborting", Some(Subject::Storage)),
    ("EXT4-fs error (device sda1): ext4_lookup:1855: inode #2: bad entry", Some(Subject::Storage)),
    ("XFS (dm-0): Metadata corruption detected at xfs_agf_read_verify", Some(Subject::Storage)),
    ("BTRFS error (device sda2): parent transid verify failed", Some(Subject::Storage)),
    ("WARNING: CPU: 0 PID: 1 at kernel/sched/core.c:1", None),
];

#[test]
fn accepts_messages_of_every_subject_and_no_others() {
    for (message, subject) in WRITTEN {
        assert_eq!(Subject::of(message), subject, "{message}");
    }
    // Each subject that has messages is among them, and none needs an order of the table.
    for (_, subject) in MESSAGES {
        assert!(WRITTEN.iter().any(|(_, known)| *known == Some(subject)), "{subject}");
    }
    let failures = Subject::ALL.iter().filter(|(subject, _)| subject.kind() == Kind::Failure);
    assert_eq!(failures.count(), 2);
    assert_eq!(Subject::HungTask.to_string(), "hung task");
}

#[test]
fn law_counters_of_memory_give_a_mean_or_a_bound_for_the_time_they_counted() {
    let files = [
        ("mc0/ce_count", "2"),
        ("mc0/ue_count", "1"),
        ("mc0/seconds_since_reset", "86400\n"),
        ("mc1/ce_count", "0"),
        ("mc1/ue_count", "0"),
        ("mc1/seconds_since_reset", "86400"),
        ("mc2/ce_count", "0"),
        ("mc2/ue_count", "0"),
    ];
    let Ok(Found::Here(controllers)) = edac(files) else { panic!() };
    let Ok(Mean::Estimate(mean)) = controllers[0].mean(Confidence::USUAL) else { panic!() };
    assert_eq!(mean.value, 28_800.0);
    let bound = controllers[1].mean(Confidence::USUAL).unwrap();
    assert_eq!(bound.to_string(), "at least 8.01 h");
    assert!(controllers[2].counted.is_none() && controllers[2].mean(Confidence::USUAL).is_err());
    let error = edac([("mc0/seconds_since_reset", "18446744073709551615")]).unwrap_err();
    assert!(matches!(error, SourceError::Missing { .. }), "{error}");
    let most =
        [("mc0/ce_count", "0"), ("mc0/ue_count", "0"), ("mc0/seconds_since_reset", "99999999999")];
    let error = edac(most).unwrap_err().to_string();
    assert!(error.starts_with("mc0/seconds_since_reset: `99999999999` is no count"), "{error}");
}

#[test]
fn law_incidents_at_one_moment_or_at_the_begin_of_the_log_spoil_no_fit() {
    // The ring begins with an error, and a machine check and a memory controller speak at one microsecond.
    let error = "EDAC MC0: 1 CE memory read error on CPU_SrcID#0";
    let check = "mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 5: be00000000800400";
    let mut text = String::new();
    for (number, (us, message)) in
        [(5, error), (3_000_005, check), (3_000_005, error), (4_000_005, error), (9_000_005, error)]
            .into_iter()
            .enumerate()
    {
        text.push_str(&format!("6,{number},{us},-;{message}\n"));
    }
    let log = kernel_messages(&text, Span::from_secs(10), Instant::from_nanos(0)).unwrap();
    let sample = log.sample(Kind::Error);
    assert_eq!(sample.ended(), [3, 1, 5].map(Span::from_secs));
    assert_eq!(log.count(Kind::Error), 5);
    assert!(Weibull::fit(&sample, Confidence::USUAL).is_ok());
}
