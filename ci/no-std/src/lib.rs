//! Shows that `hierarchy`, `schedulers` and `admission` need no std: this library brings its own panic handler
//! and allocator, which a second one, from std, would make impossible to build.
#![no_std]

extern crate alloc;

use core::alloc::{GlobalAlloc, Layout};
use windfall_admission::{Admission, BPlusTree};
use windfall_hierarchy::{Hierarchy, NodeSpec, Parent};
use windfall_schedulers::KindSettings;
use windfall_schedulers::deadline::Edf;

struct Nothing;

// SAFETY: an allocator that always fails keeps every promise of the trait.
unsafe impl GlobalAlloc for Nothing {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        core::ptr::null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static ALLOCATOR: Nothing = Nothing;

#[panic_handler]
fn stop(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// Uses enough of each crate that nothing is left out of the link.
#[unsafe(no_mangle)]
pub extern "C" fn windfall_no_std() -> bool {
    let (now, later) = (windfall_time::Instant::ZERO, windfall_time::Instant::from_nanos(2));
    let Ok(mut slots) = Admission::<BPlusTree>::new(now, 1) else { return false };
    if slots.admit(windfall_time::Span::from_nanos(1), later).is_err() {
        return false;
    }
    let mut tree = Hierarchy::new(1);
    let Ok(scheduler) = Edf::default().build() else { return false };
    let spec = NodeSpec::new("edf", "edf", scheduler, &[(Parent::Top, &[])]);
    tree.create(windfall_time::Instant::ZERO, spec).is_ok()
}
