//! Checks the processors of this machine for so many seconds: `cargo run --release -p windfall-cores --example cores -- 10`.

use windfall_cores::{Check, Until};
use windfall_time::Span;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seconds = std::env::args().nth(1).map_or(Ok(5), |word| word.parse())?;
    let processors = windfall_cores::allowed()?;
    let report = Check::on(&processors).run(Until::Passed(Span::from_secs(seconds)))?;
    println!(
        "{} rounds, {} KiB of memory on each processor ({})",
        report.rounds,
        report.block.bytes >> 10,
        report.block.why
    );
    for one in &report.processors {
        for kind in &one.kinds {
            let each = kind.time.as_secs_f64() * 1e3 / (kind.rounds.max(1)) as f64;
            let (number, name) = (one.processor, kind.kind.name());
            println!("processor {number}: {name:14} {} rounds of {each:.3} ms", kind.rounds);
        }
    }
    println!("{:?}", report.verdict());
    for finding in report.findings() {
        println!("{finding}");
    }
    for kind in report.left_out {
        println!("{kind}: this machine has none");
    }
    Ok(())
}
