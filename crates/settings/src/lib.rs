#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! A [`Catalogue`] lists kinds by name. A kind declares a [`Setting`] once. [`Settings::check`] refuses whatever the declaration does not allow, so that
//! [`Chosen`] answers without errors: with what was written, or with the declared default.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod catalogue;
mod error;
mod form;
mod settings;

pub use catalogue::{Catalogue, CatalogueError, Listed};
pub use error::SettingError;
pub use form::{Form, Value};
pub use settings::{Chosen, Setting, Settings, words};
