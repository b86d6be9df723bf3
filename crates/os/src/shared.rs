//! Memory that others see, too: a forked child, another process, or the kernel.

use std::marker::PhantomData;
use std::ops::Deref;
use std::os::fd::{AsRawFd, BorrowedFd};

/// A value of atomic integers in memory that others see. It is mapped until this is dropped.
pub struct Shared<T> {
    at: *mut T,
    of: PhantomData<T>,
}

/// Types that are atomic integers, or arrays and structs of such; [`atomics!`](crate::atomics) declares structs.
///
/// ```
/// use std::os::fd::AsFd;
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use windfall_os::shared::{Atomics, Shared, reserve};
///
/// /// Maps a value in a file. Other processes that have the file see it, too.
/// fn map<T: Atomics>(file: &std::fs::File) -> std::io::Result<Shared<T>> {
///     reserve(file.as_fd(), size_of::<T>())?;
///     Shared::of(file.as_fd())
/// }
///
/// let path = std::env::temp_dir().join(format!("counts-{}", std::process::id()));
/// let file = std::fs::File::options().read(true).write(true).create_new(true).open(&path)?;
/// std::fs::remove_file(&path)?;
/// let (one, other) = (map::<[AtomicU32; 3]>(&file)?, map::<[AtomicU32; 3]>(&file)?);
/// one[1].fetch_add(2, Ordering::Relaxed);
/// assert_eq!(other[1].load(Ordering::Relaxed), 2);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Safety
/// Any bytes must be a value of the type, it must be changed through `&self` only, and it must not need more alignment than a page.
pub unsafe trait Atomics: Sync {}

macro_rules! integers {
    ($($type:ident),*) => {
        $(
            // SAFETY: an atomic integer: any bytes are a value, and it is changed through `&self`.
            unsafe impl Atomics for std::sync::atomic::$type {}
        )*
    };
}
integers!(AtomicU32, AtomicI32, AtomicU64, AtomicI64);

// SAFETY: an array is its elements, one after the other.
unsafe impl<T: Atomics, const N: usize> Atomics for [T; N] {}

/// Declares structs whose fields are all [`Atomics`], and that are so themselves. A field of any other type is refused. Fields lie in
/// memory as they are written, so that programs that were compiled apart read the same.
///
/// ```
/// use std::sync::atomic::{AtomicU32, AtomicU64};
///
/// windfall_os::atomics! {
///     /// State shared by two processes.
///     struct Table {
///         used: AtomicU32,
///         entries: [AtomicU64; 8],
///     }
/// }
/// ```
///
/// ```compile_fail
/// windfall_os::atomics! {
///     struct Table {
///         name: String,
///     }
/// }
/// ```
#[macro_export]
macro_rules! atomics {
    ($(
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $type:ty),* $(,)?
        }
    )*) => {
        $(
            $(#[$meta])*
            #[repr(C)]
            $vis struct $name {
                $($(#[$field_meta])* $field_vis $field: $type),*
            }

            const _: () = {
                const fn is_of_atomics<T: $crate::shared::Atomics>() {}
                $(is_of_atomics::<$type>();)*
            };

            // SAFETY: every field is `Atomics`, as the constant above has the compiler check.
            unsafe impl $crate::shared::Atomics for $name {}
        )*
    };
}

// SAFETY: `Atomics` asks for `Sync`; the memory belongs to no thread.
unsafe impl<T: Atomics> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Atomics> Sync for Shared<T> {}

impl<T: Atomics> Shared<T> {
    /// Maps the beginning of the file that a descriptor stands for. It must be at least as large as `T` as long as this is
    /// mapped ([`reserve`] makes it so): to touch what lies beyond its end ends the process (SIGBUS).
    ///
    /// # Errors
    /// The kernel's, when it cannot be mapped for reading and writing.
    pub fn of(fd: BorrowedFd<'_>) -> std::io::Result<Shared<T>> {
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
        // SAFETY: the mapping is as large as `T`, aligned to a page, holds a value (any bytes are one, by `Atomics`), and
        // lives until `drop`.
        unsafe { &*self.at }
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `of` with this size, and no borrow outlives `self`.
        unsafe { libc::munmap(self.at.cast(), size_of::<T>()) };
    }
}

/// Makes a file at least `size` bytes large, with space for all of it: memory that it is mapped to can always be written.
///
/// # Errors
/// The kernel's: as a rule there is no space left.
pub fn reserve(file: BorrowedFd<'_>, size: usize) -> std::io::Result<()> {
    let size = libc::off_t::try_from(size).map_err(std::io::Error::other)?;
    // SAFETY: numbers.
    match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, size) } {
        0 => Ok(()),
        error => Err(std::io::Error::from_raw_os_error(error)),
    }
}
