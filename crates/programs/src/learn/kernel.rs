//! Threads of the kernel, by the names that it gives them: a recording says no more of them.

/// Whole names.
const NAMES: [&str; 11] = [
    "kthreadd",
    "kauditd",
    "khungtaskd",
    "khugepaged",
    "ksmd",
    "kdevtmpfs",
    "oom_reaper",
    "writeback",
    "rcu_sched",
    "rcu_bh",
    "rcu_preempt",
];

/// Beginnings behind which anything stands, such as a processor.
const BEGINNINGS: [&str; 13] = [
    "kworker/",
    "ksoftirqd/",
    "migration/",
    "cpuhp/",
    "idle_inject/",
    "watchdog/",
    "rcuc/",
    "rcuop/",
    "rcuog/",
    "rcuos/",
    "irq/",
    "jbd2/",
    "rcu_tasks_",
];

/// Beginnings behind which a number stands.
const NUMBERED: [&str; 4] = ["kswapd", "kcompactd", "kdamond.", "scsi_eh_"];

/// Whether the kernel gives its own threads such a name.
pub(super) fn is_of_kernel(name: &str) -> bool {
    let number = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    NAMES.contains(&name)
        || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || NUMBERED.iter().any(|beginning| name.strip_prefix(beginning).is_some_and(number))
}

#[cfg(test)]
mod tests {
    use super::is_of_kernel;

    #[test]
    fn accepts_names_of_the_kernel_and_refuses_those_of_programs() {
        for name in
            ["kdamond.0", "kcompactd0", "kworker/0:1H", "ksoftirqd/3", "kthreadd", "irq/29-nvme0q1"]
        {
            assert!(is_of_kernel(name), "{name}");
        }
        for name in
            ["kswapd", "kcompactd-x", "kwin_wayland", "kworker", "audio-src", "irqbalance", ""]
        {
            assert!(!is_of_kernel(name), "{name}");
        }
    }
}
