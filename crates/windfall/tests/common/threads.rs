//! Threads of the machine, from /proc.

use std::fs;

/// The entries of a folder that are numbers: processes in /proc, threads in a process' `task`.
pub(crate) fn numbers(folder: &str) -> Vec<i32> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// The processors on which a thread may run, as the kernel lists them; nothing when it has ended.
pub(crate) fn affinity(tid: i32) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{tid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    Some(line.trim().to_owned())
}
