//! What `periodic` writes.

/// From and until, in nanoseconds of the machine's clock.
pub(crate) type Stretch = (u64, u64);

/// The lines of a file that `periodic` wrote: stretches, and how many jobs or sleeps there were in all.
pub(crate) fn read(text: &str) -> Result<(Vec<Stretch>, u64), String> {
    let mut stretches = Vec::new();
    for line in text.lines() {
        let numbers: Result<Vec<u64>, _> = line.split(' ').map(str::parse).collect();
        match numbers.as_deref() {
            Ok([from, to]) => stretches.push((*from, *to)),
            Ok([count]) => return Ok((stretches, *count)),
            _ => return Err(format!("`{line}` is no line of periodic's")),
        }
    }
    Err("periodic has ended early".to_owned())
}
