//! All kinds as constants, for code that names one of them, and as the list that the catalogue prints.

use crate::catalogue::Kind;

macro_rules! kinds {
    ($($name:ident: $family:ident::$file:ident, $type:ident;)+) => {
        $(
            #[doc = concat!("The kind whose settings are [`", stringify!($type), "`](crate::", stringify!($family), "::", stringify!($type), ").")]
            pub const $name: &Kind = &crate::$family::$file::KIND;
        )+

        /// All kinds, in alphabetical order.
        pub const ALL: &[&Kind] = &[$($name),+];

        #[cfg(test)]
        mod tests {
            use super::*;
            use crate::KindSettings;
            use alloc::vec::Vec;

            /// Checks that a type's defaults are those that the catalogue prints.
            fn defaults<T: KindSettings>(kind: &Kind) -> usize {
                assert_eq!(T::KIND, kind);
                let declared = kind.settings.iter().filter(|setting| !setting.default.is_empty());
                let declared: Vec<_> = declared
                    .map(|setting| (setting.name, setting.form.parse(setting.default).unwrap()))
                    .collect();
                assert_eq!(T::default().by_name(), declared, "{kind}");
                assert!(T::default().build().is_ok() && T::default().conversion().is_ok(), "{kind}");
                declared.len()
            }

            #[test]
            fn law_a_type_is_by_default_what_the_catalogue_prints() {
                let defaults = [$(defaults::<crate::$family::$type>($name)),+];
                assert_eq!(defaults.len(), ALL.len());
                assert!(defaults.into_iter().sum::<usize>() > 50, "{defaults:?}");
            }
        }
    };
}

kinds! {
    ACTIVITY: planned::activity, Activity;
    BRIEFLY_BLOCKED: join::briefly_blocked, BrieflyBlocked;
    BVT: share::bvt, Bvt;
    CBS: reservation::cbs, Cbs;
    EDF: deadline::edf, Edf;
    EEVDF: share::eevdf, Eevdf;
    EPOCH: epoch::epoch, Epoch;
    FC_EDF: deadline::fc_edf, FcEdf;
    FIXED_PRIORITY: priority::fixed_priority, FixedPriority;
    GANG: gang::gang, Gang;
    JOIN: join::join, Join;
    LIMIT: reservation::limit, Limit;
    LINUX_2_4: time_sharing::linux_counter, Linux2_4;
    LINUX_EEVDF: time_sharing::linux_eevdf, LinuxEevdf;
    LLF: deadline::llf, Llf;
    LOTTERY: share::lottery, Lottery;
    OVERRUN: join::overrun, Overrun;
    PORTS: deadline::ports, Ports;
    PROPORTIONAL_SHARE: share::proportional_share, ProportionalShare;
    PSHED: reservation::pshed, Pshed;
    RATE_MONOTONIC: priority::rate_monotonic, RateMonotonic;
    RESOURCE_KERNEL: reservation::resource_kernel, ResourceKernel;
    REZ: reservation::rez, Rez;
    REZ_C: reservation::rez_c, RezC;
    REZ_FB: reservation::rez_fb, RezFb;
    ROUND_ROBIN: time_sharing::round_robin, RoundRobin;
    SFS: share::sfs, Sfs;
    SMART: deadline::smart, Smart;
    SPRING: planned::spring, Spring;
    STRIDE: share::stride, Stride;
    SWIFT: reservation::swift, Swift;
    TBS: reservation::tbs, Tbs;
    TIME_LINE: planned::time_line, TimeLine;
    TIME_SHARING: time_sharing::time_sharing, TimeSharing;
    TIME_TABLE: planned::time_table, TimeTable;
    WEIGHTED_ROUND_ROBIN: share::weighted_round_robin, WeightedRoundRobin;
    WINDOWS_2000: time_sharing::windows_time_sharing, Windows2000;
}
