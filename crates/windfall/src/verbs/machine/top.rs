//! `windfall top`: a live view of a run.

use crate::cli::TopArgs;
use crate::output::{colour_is_wanted, print_error, show};
use crate::{Answer, VerbError};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag::register_usize;
use signal_hook::low_level::signal_name;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant as Clock};
use windfall_linux::control;
use windfall_report::live::{self, Screen};

/// Whether to go on after a key.
fn press(screen: &mut Screen, key: KeyCode, modifiers: KeyModifiers, page: usize) -> bool {
    match key {
        KeyCode::Char('q') | KeyCode::Esc => return false,
        KeyCode::Char('c') if modifiers.contains(KeyModifiers::CONTROL) => return false,
        KeyCode::Char(' ') => screen.paused = !screen.paused,
        KeyCode::Char('s') => screen.sort_otherwise(),
        KeyCode::Up => screen.up(1),
        KeyCode::Down => screen.down(1),
        KeyCode::PageUp | KeyCode::Left => screen.up(page),
        KeyCode::PageDown | KeyCode::Right => screen.down(page),
        KeyCode::Home => screen.up(usize::MAX),
        KeyCode::End => screen.down(usize::MAX),
        _ => {}
    }
    true
}

pub(crate) fn run(args: &TopArgs) -> Result<Answer, VerbError> {
    let socket = args.socket.as_deref();
    let delay = Duration::from_nanos(args.delay.as_nanos());
    if delay < Duration::from_millis(50) {
        let why = format!("`--delay {}` is too short; write 50ms or more", args.delay);
        return Err(VerbError(format!("windfall: {why}")));
    }
    let listing = control::list(socket)?;
    if args.json || !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        let value = serde_json::to_value(&listing)?;
        show(args.json, || value, |width| live::text(&listing, width))?;
        return Ok(Answer::Yes);
    }
    let mut screen = Screen::new(listing, colour_is_wanted());
    // As if each had been a key: the terminal is given back, whatever ends it.
    let signal = Arc::new(AtomicUsize::new(0));
    for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
        let value = usize::try_from(number).expect("a signal has a small number above zero");
        register_usize(number, Arc::clone(&signal), value)?;
    }
    let terminal = ratatui::try_init()?; // a panic gives the terminal back, too
    let done = watch(terminal, &mut screen, socket, delay, &signal);
    ratatui::try_restore()?;
    done?;
    match i32::try_from(signal.load(Ordering::Relaxed)).unwrap_or(0) {
        0 => Ok(Answer::Yes),
        number => {
            let name = signal_name(number).unwrap_or("a signal");
            print_error(&format!("windfall: ended by {name}\n"));
            Ok(Answer::Status(u8::try_from(128 + number).unwrap_or(2)))
        }
    }
}

/// How long a signal may have to wait for the next look.
const LOOK: Duration = Duration::from_millis(100);

/// Waits for a key for so long at most. Whether there is still a terminal: where it is gone, a look at its keys would never end.
fn is_there(wait: Duration) -> std::io::Result<bool> {
    let keys = std::io::stdin();
    let mut keys = [PollFd::new(&keys, PollFlags::IN)];
    let wait = Timespec { tv_sec: 0, tv_nsec: wait.subsec_nanos().into() };
    match poll(&mut keys, Some(&wait)) {
        // A signal is looked at next.
        Ok(_) | Err(Errno::INTR) => {}
        Err(why) => return Err(why.into()),
    }
    let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    Ok(!keys[0].revents().intersects(gone))
}

/// Draws, and listens to keys, until `q` or a signal.
fn watch(
    mut terminal: DefaultTerminal,
    screen: &mut Screen,
    socket: Option<&Path>,
    delay: Duration,
    signal: &AtomicUsize,
) -> std::io::Result<()> {
    let mut looked = Clock::now();
    while signal.load(Ordering::Relaxed) == 0 {
        let page = terminal
            .draw(|frame| frame.render_widget(&*screen, frame.area()))?
            .area
            .height
            .saturating_sub(8);
        let left = delay.saturating_sub(looked.elapsed()).min(LOOK);
        if !is_there(left.max(Duration::from_millis(1)))? {
            return Err(std::io::Error::other("the terminal is gone"));
        }
        // All that were pressed since.
        while event::poll(Duration::ZERO)? {
            if let Event::Key(key) = event::read()?
                && key.kind == KeyEventKind::Press
                && !press(screen, key.code, key.modifiers, usize::from(page))
            {
                return Ok(());
            }
        }
        if looked.elapsed() >= delay {
            looked = Clock::now();
            if !screen.paused && screen.over.is_none() {
                match control::list(socket) {
                    Ok(listing) => screen.show(listing),
                    Err(why) => screen.over = Some(why.why),
                }
            }
        }
    }
    Ok(())
}
