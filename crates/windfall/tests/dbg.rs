use windfall_trace::*;
#[test]
fn dbg() {
    let f = std::env::var("WFT").unwrap();
    let source = Source::open(std::path::Path::new(&f), import::Format::Auto).unwrap();
    let records: Vec<Record> = source.map(|r| r.unwrap()).collect();
    println!("{} records", records.len());
    let conflicts = |n: usize| Timeline::build(records[..n].iter().cloned()).conflicts;
    let total = conflicts(records.len());
    for k in 0..total.min(4) {
        let (mut lo, mut hi) = (0, records.len());
        while hi - lo > 1 {
            let m = (lo + hi) / 2;
            if conflicts(m) > k { hi = m } else { lo = m }
        }
        println!("--- conflict {k} at {hi}");
        for r in &records[hi.saturating_sub(14)..(hi + 6).min(records.len())] {
            println!("{:?} {:?}", r.at, r.event);
        }
    }
}
