//! `windfall export TRACE OUT`

use crate::cli::ExportArgs;
use crate::output::{apart, print, write_file};
use crate::{Answer, Trouble};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use windfall_trace::codec::{Reader, Writer};
use windfall_trace::export::perfetto::Perfetto;
use windfall_trace::import::{self, Format};
use windfall_trace::{Header, Record, Sink};

type Records = Box<dyn Iterator<Item = Result<Record, String>>>;

pub(crate) fn run(args: &ExportArgs) -> Result<Answer, Trouble> {
    apart(&args.trace, &args.output)?;
    let trouble = |why: String| Trouble(format!("windfall: {}: {why}", args.trace.display()));
    let extension = args.output.extension().and_then(|e| e.to_str()).unwrap_or("");
    let perfetto = match extension {
        "pftrace" | "perfetto-trace" => true,
        "wft" => false,
        other => {
            return Err(Trouble(format!(
                "windfall: cannot tell from `.{other}` what trace to write; end the name in `.pftrace` (Perfetto) or \
                 `.wft` (compact)"
            )));
        }
    };
    let (header, mut records) = open(&args.trace).map_err(trouble)?;
    let (mut count, mut cut) = (0_u64, None);
    write_file(&args.output, |out| {
        let mut pour = |sink: &mut dyn Sink| {
            for record in records.by_ref() {
                match record {
                    Ok(record) => sink.record(record.at, &record.event),
                    Err(why) => cut = Some(why),
                }
                count += 1;
            }
        };
        if perfetto {
            let mut writer = Perfetto::new(&mut *out, &header);
            pour(&mut writer);
            writer.finish().map(drop)
        } else {
            let mut writer = Writer::new(&mut *out, &header);
            pour(&mut writer);
            writer.finish().map(drop).map_err(io::Error::other)
        }
    })?;
    if let Some(why) = cut {
        print(&format!(
            "LOST: the recording is not whole ({why}); what could be read is written\n"
        ))?;
    }
    print(&format!("wrote {}: {count} records\n", args.output.display()))?;
    Ok(Answer::Yes)
}

/// A recording's records, whatever its form.
fn open(path: &Path) -> Result<(Header, Records), String> {
    let open = || File::open(path).map_err(|error| error.to_string());
    let mut magic = [0; 7];
    if open()?.read_exact(&mut magic).is_ok() && magic == *b"WFTRACE" {
        let reader = Reader::new(BufReader::new(open()?)).map_err(|error| error.to_string())?;
        let header = reader.header().clone();
        return Ok((header, Box::new(reader.map(|record| record.map_err(|e| e.to_string())))));
    }
    let mut importer = import::open(BufReader::new(open()?), Format::Auto);
    let first = importer.next();
    let header = importer.header().clone();
    let records = first.into_iter().chain(importer);
    Ok((header, Box::new(records.map(|record| record.map_err(|e| e.to_string())))))
}
