//! Guarantees about processor time.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
