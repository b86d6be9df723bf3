//! Describes the machine of a measurement.

use std::fs::read_to_string;

/// Whether times of this program are meaningful for speed.
pub(crate) const OPTIMISED: bool = !cfg!(debug_assertions);

/// Processor, caches and kernel, as far as this system reports them.
pub(crate) fn this() -> String {
    let processor = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        processor.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("unknown processor", |(_, name)| name);
    let kernel = read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let caches = match (cache_kib(2), cache_kib(3)) {
        (Some(second), Some(third)) => format!(", caches of {second} and {third} KiB"),
        (Some(second), None) => format!(", a cache of {second} KiB"),
        _ => String::new(),
    };
    let built = if OPTIMISED { "" } else { "; built without optimising" };
    format!("{model}{caches}, kernel {}{built}", kernel.trim())
}

/// The same for measurements in this process, with how it was built.
pub(crate) fn here() -> String {
    format!("here: {}", this())
}

/// The size of the first processor's cache of a level.
pub(crate) fn cache_kib(level: u8) -> Option<u64> {
    (0..8).find_map(|index| {
        let of = |what: &str| {
            let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{what}");
            read_to_string(path).ok().map(|text| text.trim().to_owned())
        };
        let right = of("level")? == level.to_string() && of("type")? != "Instruction";
        right.then(|| of("size")?.strip_suffix('K')?.parse().ok()).flatten()
    })
}
