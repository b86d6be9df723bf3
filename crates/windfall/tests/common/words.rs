//! A command line of a document, taken apart.

/// Its words, as a shell would take them: what stands between single quotes is one.
pub(crate) fn words(line: &str) -> Vec<&str> {
    let parts = line.split('\'').enumerate();
    let each = parts.flat_map(|(n, part)| match n % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    each.collect()
}
