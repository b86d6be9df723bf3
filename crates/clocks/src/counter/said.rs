//! Whether a counter can be trusted, by what the machine says of it: the processor (CPUID), and the kernel (its clock sources).
//!
//! The kernel compares the counter with other clocks and between processors, and stops offering one that it found wrong. Where it says nothing, the processor alone counts.

use crate::CounterError;

/// The words of CPUID that tell of the counter.
#[cfg(any(target_arch = "x86_64", test))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cpuid {
    /// EDX of leaf 0x8000_0001; nothing where there is no such leaf.
    features: u32,
    /// EDX of leaf 0x8000_0007; nothing where there is no such leaf.
    power: u32,
}

#[cfg(any(target_arch = "x86_64", test))]
impl Cpuid {
    /// By what EAX and EDX of a leaf are. Processors answer of leaves that they do not have as well, with the words of others.
    pub(crate) fn by(leaf: impl Fn(u32) -> [u32; 2]) -> Cpuid {
        let [highest, _] = leaf(0x8000_0000);
        let edx = |number| if highest >= number { leaf(number)[1] } else { 0 };
        Cpuid { features: edx(0x8000_0001), power: edx(0x8000_0007) }
    }

    /// Whether the counter goes at one rate in all states of the processor.
    pub(crate) const fn is_invariant(self) -> bool {
        self.power >> 8 & 1 == 1
    }

    /// Whether there is `rdtscp`; some hypervisors hide it.
    pub(crate) const fn has_rdtscp(self) -> bool {
        self.features >> 27 & 1 == 1
    }
}

/// The kernel's list of clock sources that it offers; `None` where it has none, or does not show it.
pub(crate) fn sources() -> Option<String> {
    std::fs::read_to_string(CounterError::SOURCES).ok()
}

/// Whether the kernel, by its list, trusts the counter of this name.
///
/// # Errors
/// When there is a list, and the counter is not in it.
pub(crate) fn trusted(sources: Option<&str>, name: &str) -> Result<(), CounterError> {
    let mut offered = sources.unwrap_or_default().split_ascii_whitespace().peekable();
    if offered.peek().is_some() && offered.all(|source| source != name) {
        return Err(CounterError::Distrusted);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// EAX of leaf 0x8000_0000, and EDX of the two leaves, as processors answer.
    fn says(highest: u32, features: u32, power: u32) -> Cpuid {
        Cpuid::by(|leaf| match leaf {
            0x8000_0000 => [highest, 0],
            0x8000_0001 => [0, features],
            0x8000_0007 => [0, power],
            other => panic!("{other:#x} is not needed"),
        })
    }

    #[test]
    fn accepts_processors_that_say_that_their_counter_is_invariant() {
        // Xeon of 2010 and later, EPYC, and one whose hypervisor hides `rdtscp`.
        for (highest, features, power, rdtscp) in [
            (0x8000_0008, 0x2c10_0800, 0x100, true),
            (0x8000_0020, 0x2fd3_fbff, 0x0000_6799, true),
            (0x8000_0008, 0x2010_0800, 0x100, false),
        ] {
            let cpuid = says(highest, features, power);
            assert!(cpuid.is_invariant(), "{cpuid:?}");
            assert_eq!(cpuid.has_rdtscp(), rdtscp, "{cpuid:?}");
        }
    }

    #[test]
    fn refuses_processors_that_do_not_say_so() {
        for (highest, features, power) in [
            // Core 2: constant, but it stops when the processor sleeps deeply.
            (0x8000_0008, 0x2010_0800, 0),
            // Athlon 64 and Opteron of 2004: voltages and rates change, and so does the counter's.
            (0x8000_0018, 0xe3d3_fbff, 0x0000_007f),
            // A hypervisor that shows all but bit 8.
            (0x8000_001f, 0x2fd3_fbff, 0xffff_feff),
        ] {
            assert!(!says(highest, features, power).is_invariant(), "{power:#x}");
        }
    }

    #[test]
    fn limit_a_leaf_that_is_not_there_says_nothing_whatever_it_holds() {
        // Old ones answer of any leaf with the words of their last one.
        let old = Cpuid::by(|_| [0x0000_0002, 0xffff_ffff]);
        assert!(!old.is_invariant() && !old.has_rdtscp());
        assert!(!says(0x8000_0006, 0xffff_ffff, 0xffff_ffff).is_invariant());
        let last = says(0x8000_0007, 0, 0x100);
        assert!(last.is_invariant() && !last.has_rdtscp());
        assert!(!says(0x8000_0000, 0xffff_ffff, 0x100).has_rdtscp());
    }

    #[test]
    fn refuses_a_counter_that_the_kernel_does_not_offer_any_longer() {
        for list in ["hpet acpi_pm \n", "kvm-clock\n", "tsc-early hpet\n", "jiffies"] {
            assert_eq!(trusted(Some(list), "tsc"), Err(CounterError::Distrusted), "{list}");
        }
        for list in [Some("tsc hpet acpi_pm \n"), Some("kvm-clock tsc acpi_pm\n"), Some("\n"), None]
        {
            assert_eq!(trusted(list, "tsc"), Ok(()), "{list:?}");
        }
        assert_eq!(trusted(Some("arch_sys_counter \n"), "arch_sys_counter"), Ok(()));
    }
}
