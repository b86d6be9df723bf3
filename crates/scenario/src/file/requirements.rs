//! The keys by which something is asked of a parent; the same ones wherever there is a parent.

use super::lax::Lax;
use crate::Guarantee;
use crate::model::{Rate, Reserve, WarpLimit};
use windfall_time::Span;

/// What is asked of a parent, as read.
#[derive(Clone, Default, Debug)]
pub(crate) struct RequirementsFile {
    pub(crate) guarantee: Option<Lax<Guarantee>>,
    pub(crate) reserve: Option<Lax<Reserve>>,
    pub(crate) share: Option<Lax<u32>>,
    pub(crate) warp: Option<Lax<Span>>,
    pub(crate) warp_limit: Option<Lax<WarpLimit>>,
    pub(crate) currency: Option<Lax<u32>>,
    pub(crate) priority: Option<Lax<i32>>,
    pub(crate) time_slice: Option<Lax<Span>>,
    pub(crate) rate: Option<Lax<Rate>>,
}

/// A file type with the keys of [`RequirementsFile`] among its own; what each means says `windfall_schedulers::parameters`. (serde's `flatten` would lose places.)
macro_rules! with_requirements {
    ($(#[$meta:meta])* pub(crate) struct $name:ident { $($(#[$field_meta:meta])* pub(crate) $field:ident: $type:ty,)* }) => {
        #[derive(serde::Serialize, serde::Deserialize, Clone, Default, Debug)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "kebab-case", deny_unknown_fields)]
        $(#[$meta])*
        pub(crate) struct $name {
            $($(#[$field_meta])* #[serde(skip_serializing_if = "Option::is_none")] pub(crate) $field: $type,)*
            /// A guarantee, as `RESBH 3ms 10ms`; becomes what the parent's kind understands.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub(crate) guarantee: Option<crate::file::Lax<crate::Guarantee>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            pub(crate) reserve: Option<crate::file::Lax<crate::model::Reserve>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            pub(crate) share: Option<crate::file::Lax<u32>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            pub(crate) warp: Option<crate::file::Lax<windfall_time::Span>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            pub(crate) warp_limit: Option<crate::file::Lax<crate::model::WarpLimit>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            pub(crate) currency: Option<crate::file::Lax<u32>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            pub(crate) priority: Option<crate::file::Lax<i32>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            pub(crate) time_slice: Option<crate::file::Lax<windfall_time::Span>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            pub(crate) rate: Option<crate::file::Lax<crate::model::Rate>>,
        }

        impl $name {
            /// What is asked of the parent.
            pub(crate) fn requirements(&self) -> crate::file::RequirementsFile {
                crate::file::RequirementsFile {
                    guarantee: self.guarantee.clone(),
                    reserve: self.reserve.clone(),
                    share: self.share.clone(),
                    warp: self.warp.clone(),
                    warp_limit: self.warp_limit.clone(),
                    currency: self.currency.clone(),
                    priority: self.priority.clone(),
                    time_slice: self.time_slice.clone(),
                    rate: self.rate.clone(),
                }
            }

            /// With this asked of the parent.
            pub(crate) fn with(mut self, requirements: crate::file::RequirementsFile) -> $name {
                self.guarantee = requirements.guarantee;
                self.reserve = requirements.reserve;
                self.share = requirements.share;
                self.warp = requirements.warp;
                self.warp_limit = requirements.warp_limit;
                self.currency = requirements.currency;
                self.priority = requirements.priority;
                self.time_slice = requirements.time_slice;
                self.rate = requirements.rate;
                self
            }
        }
    };
}
