//! `windfall check FILE`: whether the promises compose.

use super::load::{load_with, plan};
use super::meant::meant;
use super::next;
use crate::cli::CheckArgs;
use crate::command_error::{CommandError, warn};
use crate::output::show;
use crate::{Answer, VerbError};
use windfall_report::check;
use windfall_scenario::explain::Explanation;
use windfall_scenario::{Assessment, Override, Promises, Scenario};

pub(crate) fn run(args: &CheckArgs) -> Result<Answer, CommandError> {
    let scenario = load_with(&args.file, &args.set.overrides)?;
    scenario.check().map_err(CommandError::of)?;
    let found = Assessment::of(&scenario);
    let answer = if found.holds() { Answer::Yes } else { Answer::No };
    if let Some(name) = &args.why {
        let explanations = why(&found.promises, name)?;
        show(
            args.json,
            || check::explained_json(&explanations),
            |_| check::explained(&explanations),
        )?;
        lead_on(args, explanations.into_iter().find(|one| one.refusal.is_some()));
        return Ok(answer);
    }
    if found.promises.refused().next().is_none() {
        // Every scheduler admits its children, and recordings can be read.
        plan(&scenario, &args.file)?;
    }
    warn(&scenario);
    show(
        args.json,
        || check::json(&scenario, &found),
        |width| check::text(&scenario, &found, width),
    )?;
    let refused = found.promises.refused().next();
    lead_on(args, refused.map(|refused| found.promises.explain(refused)));
    Ok(answer)
}

/// Says the next command: a simulation, or of a refused promise, one that would fit.
fn lead_on(args: &CheckArgs, refused: Option<Explanation>) {
    if args.json {
        return;
    }
    next::say(match refused {
        Some(refused) => {
            next::after_refusal(args, &refused.name, fitting(args, &refused).as_deref())
        }
        None => next::after_check(args),
    });
}

/// The values to set so that the largest request, or the shortest period, that could be granted stands instead of a refused one.
fn fitting(args: &CheckArgs, refused: &Explanation) -> Option<Vec<Override>> {
    next::named(&args.file)?; // standard input cannot be read again
    let remedies = refused.refusal.as_ref()?;
    let fits = remedies.largest.as_ref().or(remedies.shortest.as_ref())?;
    // One of several threads is set by the name of their entry.
    let entry = refused.name.rsplit_once('-').map(|(entry, _)| entry);
    [Some(refused.name.as_str()), entry].into_iter().flatten().find_map(|name| {
        let value = Override::new(format!("{name}.guarantee"), fits);
        let others = args.set.overrides.iter().filter(|one| one.key() != value.key()).cloned();
        let values: Vec<Override> = others.chain([value.clone()]).collect();
        Scenario::load_with(&args.file, &values).is_ok().then_some(values)
    })
}

/// Why one scheduler or thread has what it has.
fn why(promises: &Promises, name: &str) -> Result<Vec<Explanation>, VerbError> {
    let vps = promises.named(name);
    if vps.is_empty() {
        let tree = &promises.tree;
        let schedulers = tree.nodes.iter().map(|node| node.name.as_str());
        let meant = meant(name, schedulers.chain(tree.vps.iter().map(|vp| vp.name.as_str())));
        return Err(VerbError(format!(
            "windfall: no scheduler and no thread is called `{name}`; {meant}`check` without `--why` lists them"
        )));
    }
    Ok(vps.into_iter().map(|vp| promises.explain(vp)).collect())
}
