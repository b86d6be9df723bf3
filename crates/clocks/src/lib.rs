#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

pub mod two_words;
pub mod variance;
