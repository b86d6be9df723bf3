//! Whether this is a virtual machine, and how one knows.
//!
//! A container is none: its kernel, its machine checks and its memory controllers are those of the machine.

use std::fs;
use std::path::Path;

/// Makers of virtual machines, as firmware names them, with the beginning of the product where the maker builds real ones, too.
const MAKERS: [(&str, &str); 9] = [
    ("QEMU", ""),
    ("KVM", ""),
    ("VMware, Inc.", ""),
    ("innotek GmbH", ""),
    ("Xen", ""),
    ("Parallels", ""),
    ("BHYVE", ""),
    ("Microsoft Corporation", "Virtual Machine"),
    ("Google", "Google Compute Engine"),
];

/// Evidence that the system below this root is a virtual machine; `None` if there is none. A hypervisor that hides is not
/// seen.
#[must_use]
pub fn virtual_machine(root: &Path) -> Option<String> {
    let read = |path: &str| {
        let text = fs::read_to_string(root.join(path)).ok()?;
        let text = text.trim_matches(['\0', '\n', ' ']).to_owned();
        (!text.is_empty()).then_some(text)
    };
    let flags = read("proc/cpuinfo").unwrap_or_default();
    let is_flagged = |line: &str| {
        let flags = line.split_once(':').filter(|(name, _)| name.trim() == "flags");
        flags.is_some_and(|(_, flags)| flags.split_whitespace().any(|flag| flag == "hypervisor"))
    };
    if flags.lines().any(is_flagged) {
        return Some("flag `hypervisor` in /proc/cpuinfo".to_owned());
    }
    if let Some(kind) = read("proc/device-tree/hypervisor/compatible") {
        return Some(format!("`{kind}` in /proc/device-tree/hypervisor/compatible"));
    }
    let maker = read("sys/class/dmi/id/sys_vendor")?;
    let product = read("sys/class/dmi/id/product_name").unwrap_or_default();
    let is_virtual =
        |(known, begins): &(&str, &str)| maker == *known && product.starts_with(begins);
    let is_known = MAKERS.iter().any(is_virtual);
    is_known.then(|| format!("`{maker}`, `{product}` in /sys/class/dmi/id"))
}
