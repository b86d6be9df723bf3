//! The name of a device, in one value that can be copied.

use super::ProcessError;
use core::fmt;

/// The name of a device: 1 to 24 letters, digits, `-`, `_` and `.`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Device([u8; Device::LONGEST]);

impl Device {
    /// The length of the longest name.
    pub const LONGEST: usize = 24;

    /// The device of this name; whether there is one, its host says.
    ///
    /// # Errors
    /// [`ProcessError::NoDeviceName`] when this is no name.
    pub fn new(name: &str) -> Result<Device, ProcessError> {
        let kept = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if !(1..=Device::LONGEST).contains(&name.len()) || !name.bytes().all(kept) {
            return Err(ProcessError::NoDeviceName);
        }
        let mut bytes = [0; Device::LONGEST];
        bytes[..name.len()].copy_from_slice(name.as_bytes());
        Ok(Device(bytes))
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        let length = self.0.iter().position(|byte| *byte == 0).unwrap_or(Device::LONGEST);
        core::str::from_utf8(&self.0[..length]).expect("a name is ASCII")
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "device {self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_names_up_to_the_longest_and_refuses_others() {
        for name in ["a", "line-1", "abcdefghijklmnopqrstuvwx"] {
            assert_eq!(Device::new(name).unwrap().name(), name);
        }
        for name in ["", "two words", "abcdefghijklmnopqrstuvwxy", "stra\u{df}e", "a\0"] {
            assert_eq!(Device::new(name), Err(ProcessError::NoDeviceName), "{name}");
        }
    }
}
