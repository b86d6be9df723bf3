//! The instructions that read a counter: the only `unsafe` of this crate (decision 0040).
//!
//! Each block is sound because a value of [`Instructions`] exists only where the processor said that it has them. None touches memory or the stack; that they are not marked so
//! keeps the compiler from moving what it loads and stores from one side of a reading to the other.
#![allow(unsafe_code, reason = "instructions that read the processor's counter")]

pub(crate) use here::{Instructions, in_order};

#[cfg(target_arch = "x86_64")]
mod here {
    use crate::counter::said::{Cpuid, sources, trusted};
    use crate::{CounterError, Reading};
    use core::arch::asm;
    use core::arch::x86_64::__cpuid;

    /// Which ones this processor has.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Instructions {
        /// Whether it has `rdtscp`; some hypervisors hide it.
        rdtscp: bool,
    }

    impl Instructions {
        /// Asks the processor and the kernel.
        pub(crate) fn find() -> Result<Instructions, CounterError> {
            let words = |leaf| {
                let said = __cpuid(leaf);
                [said.eax, said.edx]
            };
            Instructions::judge(Cpuid::by(words), sources().as_deref())
        }

        /// By what they say.
        pub(crate) fn judge(
            cpuid: Cpuid,
            sources: Option<&str>,
        ) -> Result<Instructions, CounterError> {
            if !cpuid.is_invariant() {
                return Err(CounterError::NotInvariant);
            }
            trusted(sources, "tsc")?;
            Ok(Instructions { rdtscp: cpuid.has_rdtscp() })
        }

        /// The counter, at some moment near to this place in the program.
        #[inline]
        pub(crate) fn bare(self) -> u64 {
            let (low, high): (u32, u32);
            // SAFETY: every x86-64 has `rdtsc`; it writes these two registers. A process that forbade it itself ends by a signal.
            unsafe {
                asm!("rdtsc", out("eax") low, out("edx") high, options(nomem, nostack, preserves_flags));
            }
            u64::from(high) << 32 | u64::from(low)
        }

        /// The counter and the processor, after all that precedes and before all that follows.
        #[inline]
        pub(crate) fn ordered(self) -> Reading {
            let (low, high): (u32, u32);
            let processor = if self.rdtscp {
                let which: u32;
                // SAFETY: CPUID said that `rdtscp` is there, and every x86-64 has `lfence`; they write these three registers.
                unsafe {
                    asm!("rdtscp", "lfence", out("eax") low, out("edx") high, out("ecx") which, options(nostack, preserves_flags));
                }
                Some(which) // Linux keeps node and number of the processor there
            } else {
                // SAFETY: every x86-64 has both; they write these two registers.
                unsafe {
                    asm!("lfence", "rdtsc", "lfence", out("eax") low, out("edx") high, options(nostack, preserves_flags));
                }
                None
            };
            Reading { ticks: u64::from(high) << 32 | u64::from(low), processor }
        }
    }

    /// All instructions before it are done before any after it begins.
    #[inline]
    pub(crate) fn in_order() {
        // SAFETY: every x86-64 has `lfence`, which writes no register.
        unsafe { asm!("lfence", options(nostack, preserves_flags)) }
    }
}

#[cfg(target_arch = "aarch64")]
mod here {
    use crate::counter::said::{sources, trusted};
    use crate::{CounterError, Reading};
    use core::arch::asm;

    /// The virtual counter, which the architecture has go at one rate.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Instructions(());

    impl Instructions {
        pub(crate) fn find() -> Result<Instructions, CounterError> {
            trusted(sources().as_deref(), "arch_sys_counter")?;
            Ok(Instructions(()))
        }

        /// The counter, at some moment near to this place in the program.
        #[inline]
        pub(crate) fn bare(self) -> u64 {
            let ticks: u64;
            // SAFETY: Linux lets user space read this register, which every aarch64 has.
            unsafe {
                asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack, preserves_flags))
            }
            ticks
        }

        /// The counter, after all that precedes and before all that follows.
        #[inline]
        pub(crate) fn ordered(self) -> Reading {
            in_order();
            let ticks = self.bare();
            in_order();
            Reading { ticks, processor: None }
        }
    }

    /// All instructions before it are done before any after it begins.
    #[inline]
    pub(crate) fn in_order() {
        // SAFETY: every aarch64 has `isb`, which writes no register.
        unsafe { asm!("isb", options(nostack, preserves_flags)) }
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod here {
    use crate::{CounterError, Reading};

    /// There are none, so no value of this exists.
    #[derive(Clone, Copy, Debug)]
    pub(crate) enum Instructions {}

    impl Instructions {
        pub(crate) fn find() -> Result<Instructions, CounterError> {
            Err(CounterError::Unknown { architecture: std::env::consts::ARCH })
        }

        pub(crate) fn bare(self) -> u64 {
            match self {}
        }

        pub(crate) fn ordered(self) -> Reading {
            match self {}
        }
    }

    /// The compiler keeps the order; the processor may not.
    #[inline]
    pub(crate) fn in_order() {
        core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::Instructions;
    use crate::CounterError;
    use crate::counter::said::Cpuid;

    #[test]
    fn law_there_is_a_counter_only_if_processor_and_kernel_agree_on_it() {
        let invariant =
            |power| Cpuid::by(move |leaf| [u32::MAX, if leaf == 0x8000_0007 { power } else { 0 }]);
        let [good, bad] = [0x100, 0].map(invariant);
        assert!(Instructions::judge(good, None).is_ok());
        assert!(Instructions::judge(good, Some("tsc hpet")).is_ok());
        let judged = |cpuid, sources| Instructions::judge(cpuid, sources).err();
        assert_eq!(judged(bad, Some("tsc hpet")), Some(CounterError::NotInvariant));
        assert_eq!(judged(good, Some("hpet")), Some(CounterError::Distrusted));
    }
}
