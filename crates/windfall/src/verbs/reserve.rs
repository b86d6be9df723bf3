//! `windfall reserve FILE`: the reservation that is enough for an application's threads (HLS 6.1).
//!
//! `case.rs` is what is asked, `found.rs` what comes of it, `show.rs` and `figure.rs` how it is told.

mod case;
mod figure;
mod found;
mod show;

pub(crate) use case::TaskText;

use crate::cli::ReserveArgs;
use crate::output::{apart, print, write_file};
use crate::{Answer, Trouble};
use case::Case;
use found::{Found, boundary, periods};
use std::io::Write;
use std::path::Path;

pub(crate) fn run(args: &ReserveArgs) -> Result<Answer, Trouble> {
    let png = args.picture.as_deref().map(|path| is_png(args, path)).transpose()?;
    let case = Case::of(args)?;
    let found = Found::of(&case, args)?;
    if let (Some(path), Some(png)) = (&args.picture, png) {
        let swept = match args.period {
            Some(_) => &boundary(&case, args, &periods(&case, args)?)?,
            None => &found.boundary,
        };
        let scene = figure::scene(&case, &found, swept);
        let bytes = if png { scene.png() } else { scene.svg().into_bytes() };
        write_file(path, |out| out.write_all(&bytes))?;
    }
    if args.json {
        print(&format!("{:#}\n", show::json(&case, &found, args)))?;
    } else {
        print(&show::text(&case, &found, args))?;
    }
    Ok(found.answer())
}

/// Whether the picture is to be a PNG; refused unless its name says what it is.
fn is_png(args: &ReserveArgs, path: &Path) -> Result<bool, Trouble> {
    if let Some(file) = &args.file {
        apart(file, path)?;
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("png") => Ok(true),
        Some("svg") => Ok(false),
        _ => Err(Trouble(format!(
            "windfall: cannot draw `{}`; end the name in `.svg` or `.png`",
            path.display()
        ))),
    }
}
