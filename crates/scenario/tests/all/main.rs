//! Tests of scenario files and of what is checked in them. They are one program: as many programs, each would compile the reader again.

mod admission;
mod bindings;
mod catalogue;
mod common;
mod common_cause;
mod deadlines;
mod devices;
mod diagnostics;
mod edited;
mod externals;
mod files;
mod imported;
mod kinds_of_programs;
mod limits;
mod live;
mod locks;
mod mistakes;
mod overload;
mod parameters;
mod programs;
mod promises;
mod requests;
mod rtapp;
mod stations;
mod together;
