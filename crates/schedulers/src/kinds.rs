//! All kinds as typed constants, for code that names one of them, and as the list that the catalogue prints.

use crate::catalogue::Kind;

macro_rules! kinds {
    ($($name:ident: $($path:ident)::+;)+) => {
        $(
            #[doc = concat!("See `", stringify!($($path)::+), "`.")]
            pub const $name: &Kind = &crate::$($path)::+::KIND;
        )+

        /// All kinds, in alphabetical order.
        pub const ALL: &[&Kind] = &[$($name),+];
    };
}

kinds! {
    ACTIVITY: planned::activity;
    BRIEFLY_BLOCKED: join::briefly_blocked;
    BVT: share::bvt;
    CBS: reservation::cbs;
    EDF: deadline::edf;
    EEVDF: share::eevdf;
    EPOCH: epoch::epoch;
    FC_EDF: deadline::fc_edf;
    FIXED_PRIORITY: priority::fixed_priority;
    GANG: gang::gang;
    JOIN: join::join;
    LIMIT: reservation::limit;
    LINUX_2_4: time_sharing::linux_counter;
    LINUX_EEVDF: time_sharing::linux_eevdf;
    LLF: deadline::llf;
    LOTTERY: share::lottery;
    OVERRUN: join::overrun;
    PROPORTIONAL_SHARE: share::proportional_share;
    PSHED: reservation::pshed;
    RATE_MONOTONIC: priority::rate_monotonic;
    RESOURCE_KERNEL: reservation::resource_kernel;
    REZ: reservation::rez;
    REZ_C: reservation::rez_c;
    REZ_FB: reservation::rez_fb;
    ROUND_ROBIN: time_sharing::round_robin;
    SFS: share::sfs;
    SMART: deadline::smart;
    SPRING: planned::spring;
    STRIDE: share::stride;
    SWIFT: reservation::swift;
    TBS: reservation::tbs;
    TIME_LINE: planned::time_line;
    TIME_SHARING: time_sharing::time_sharing;
    TIME_TABLE: planned::time_table;
    WEIGHTED_ROUND_ROBIN: share::weighted_round_robin;
    WINDOWS_2000: time_sharing::windows_time_sharing;
}
