//! Memory that others see, too: a forked child, or the kernel.

use std::marker::PhantomData;
use std::ops::Deref;
use std::os::fd::{AsRawFd, BorrowedFd};

/// A value of plain atomics in memory that is seen by others.
pub(crate) struct Shared<T> {
    at: *mut T,
    of: PhantomData<T>,
}

/// Types for which zeroed memory is a value, and which are changed through `&self` only.
///
/// # Safety
/// All-zero bytes must be a valid value, and the type must be `Sync`.
pub(crate) unsafe trait Zeroed: Sync {}

/// Declares a type of atomics, and of arrays and structs of them, as such.
macro_rules! zeroed {
    ($type:ty) => {
        // SAFETY: every field is an atomic integer or an array of structs of such: zero is a value
        // of each, each is `Sync`, and each is changed through `&self`.
        #[allow(unsafe_code, reason = "a marker that this macro's user has checked")]
        unsafe impl $crate::sys::shared::Zeroed for $type {}
    };
}
pub(crate) use zeroed;

// SAFETY: `Zeroed` asks for `Sync`; the memory belongs to no thread.
unsafe impl<T: Zeroed> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Zeroed> Sync for Shared<T> {}

impl<T: Zeroed> Shared<T> {
    /// What a descriptor stands for, which is at least as large.
    pub(crate) fn of(fd: BorrowedFd<'_>) -> std::io::Result<Shared<T>> {
        let (how, fd) = (libc::MAP_SHARED, fd.as_raw_fd());
        let read_write = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice touches nothing of ours.
        let at =
            unsafe { libc::mmap(std::ptr::null_mut(), size_of::<T>(), read_write, how, fd, 0) };
        if at == libc::MAP_FAILED {
            return Err(super::last_error());
        }
        Ok(Shared { at: at.cast(), of: PhantomData })
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the mapping is as large as `T`, aligned to a page, zeroed (a value by `Zeroed`),
        // and lives until `drop`.
        unsafe { &*self.at }
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `new` with this size, and no borrow outlives `self`.
        unsafe { libc::munmap(self.at.cast(), size_of::<T>()) };
    }
}

/// Makes a file so large, with space for all of it: memory that it is mapped to can always be written.
pub(crate) fn reserve(file: BorrowedFd<'_>, size: usize) -> std::io::Result<()> {
    let size = libc::off_t::try_from(size).map_err(std::io::Error::other)?;
    // SAFETY: numbers.
    match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, size) } {
        0 => Ok(()),
        error => Err(std::io::Error::from_raw_os_error(error)),
    }
}
