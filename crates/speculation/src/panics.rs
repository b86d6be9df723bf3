//! Panics of the model, as words.

/// The message of a panic.
pub(crate) fn said(panic: &(dyn core::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without words")
        .to_owned()
}
