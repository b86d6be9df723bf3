//! The kernel's counts of interrupts on one processor.

use std::collections::BTreeMap;
use std::fs::read_to_string;

/// The number of softirqs by name, and of interrupts of all kinds, on one processor.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counters {
    /// By name, as `NET_RX`.
    pub(crate) softirqs: BTreeMap<String, u64>,
    /// Of all kinds.
    pub(crate) interrupts: u64,
}

impl Counters {
    /// The counts since the machine booted.
    pub(crate) fn now(cpu: usize) -> Counters {
        let softirqs = read_to_string("/proc/softirqs").unwrap_or_default();
        let interrupts = read_to_string("/proc/interrupts").unwrap_or_default();
        Counters {
            softirqs: lines(&softirqs, cpu),
            interrupts: lines(&interrupts, cpu).values().sum(),
        }
    }

    /// The counts since `before`.
    pub(crate) fn since(&self, before: &Counters) -> Counters {
        let softirqs = self.softirqs.iter().map(|(name, count)| {
            let before = before.softirqs.get(name).copied().unwrap_or(0);
            (name.clone(), count.saturating_sub(before))
        });
        Counters {
            softirqs: softirqs.collect(),
            interrupts: self.interrupts.saturating_sub(before.interrupts),
        }
    }

    /// A softirq, by name.
    pub(crate) fn softirq(&self, name: &str) -> u64 {
        self.softirqs.get(name).copied().unwrap_or(0)
    }
}

/// One processor's column of such a file, whose first line names the processors.
fn lines(text: &str, cpu: usize) -> BTreeMap<String, u64> {
    let mut lines = text.lines();
    let name = format!("CPU{cpu}");
    let head = lines.next().unwrap_or_default();
    let Some(column) = head.split_whitespace().position(|one| one == name) else {
        return BTreeMap::new();
    };
    let of = |line: &str| {
        let (name, counts) = line.split_once(':')?;
        let count = counts.split_whitespace().nth(column)?.parse().ok()?;
        Some((name.trim().to_owned(), count))
    };
    lines.filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_the_kernels_tables() {
        let text = "        CPU0       CPU2\n NET_RX:      7      9\n 24:    1   0  IO-APIC\nERR:      0\n";
        let second = lines(text, 2);
        assert_eq!(second, [("24".to_owned(), 0), ("NET_RX".to_owned(), 9)].into());
        assert!(lines(text, 1).is_empty(), "that processor is not there");
        let now = Counters { softirqs: second, interrupts: 12 };
        let before = Counters { softirqs: [("NET_RX".to_owned(), 4)].into(), interrupts: 2 };
        assert_eq!((now.since(&before).softirq("NET_RX"), now.since(&before).interrupts), (5, 10));
    }
}
