//! `windfall top`: a run, looked at again and again.

mod draw;

use crate::cli::TopArgs;
use crate::output::{colour_is_wanted, document, print, print_error};
use crate::verbs::live::{Row, rows};
use crate::{Answer, VerbError};
use draw::draw;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag::register_usize;
use signal_hook::low_level::signal_name;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant as Clock};
use windfall_linux::control::{self, Listing, LiveStatus};

/// What the rows are sorted by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// As they stand in the tree.
    Tree,
    /// Who received most lately comes first.
    Received,
    /// Who misses comes first.
    Missed,
}

impl Order {
    const fn next(self) -> Order {
        match self {
            Order::Tree => Order::Received,
            Order::Received => Order::Missed,
            Order::Missed => Order::Tree,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Order::Tree => "tree",
            Order::Received => "received",
            Order::Missed => "missed",
        }
    }
}

/// What is on the screen.
pub(crate) struct Screen {
    pub(crate) listing: Listing,
    pub(crate) rows: Vec<Row>,
    pub(crate) order: Order,
    pub(crate) paused: bool,
    /// The row that is marked.
    pub(crate) marked: usize,
    /// Why there is nothing newer.
    pub(crate) over: Option<String>,
    /// Whether standings are shown in colour, too.
    pub(crate) colour: bool,
}

impl Screen {
    fn new(listing: Listing) -> Screen {
        let rows = rows(&listing);
        let order = Order::Tree;
        let colour = colour_is_wanted();
        Screen { listing, rows, order, paused: false, marked: 0, over: None, colour }
    }

    fn show(&mut self, listing: Listing) {
        self.listing = listing;
        self.sort();
    }

    fn sort(&mut self) {
        self.rows = rows(&self.listing);
        match self.order {
            Order::Tree => {}
            Order::Received => self.rows.sort_by_key(|row| std::cmp::Reverse(row.received.last_ns)),
            Order::Missed => self.rows.sort_by_key(|row| {
                let missed = row.promised.as_ref().map(|p| p.standing == LiveStatus::Missed);
                std::cmp::Reverse((missed, row.missed))
            }),
        }
        self.marked = self.marked.min(self.rows.len().saturating_sub(1));
    }

    /// Whether to go on.
    fn press(&mut self, key: KeyCode, modifiers: KeyModifiers, page: usize) -> bool {
        let last = self.rows.len().saturating_sub(1);
        match key {
            KeyCode::Char('q') | KeyCode::Esc => return false,
            KeyCode::Char('c') if modifiers.contains(KeyModifiers::CONTROL) => return false,
            KeyCode::Char(' ') => self.paused = !self.paused,
            KeyCode::Char('s') => {
                self.order = self.order.next();
                self.sort();
            }
            KeyCode::Up => self.marked = self.marked.saturating_sub(1),
            KeyCode::Down => self.marked = (self.marked + 1).min(last),
            KeyCode::PageUp | KeyCode::Left => self.marked = self.marked.saturating_sub(page),
            KeyCode::PageDown | KeyCode::Right => self.marked = (self.marked + page).min(last),
            KeyCode::Home => self.marked = 0,
            KeyCode::End => self.marked = last,
            _ => {}
        }
        true
    }
}

pub(crate) fn run(args: &TopArgs) -> Result<Answer, VerbError> {
    let socket = args.socket.as_deref();
    let delay = Duration::from_nanos(args.delay.as_nanos());
    if delay < Duration::from_millis(50) {
        let why = format!("`--delay {}` leaves no time to look; write 50ms or more", args.delay);
        return Err(VerbError(format!("windfall: {why}")));
    }
    let mut screen = Screen::new(control::list(socket)?);
    if args.json {
        print(&document(serde_json::to_value(&screen.listing)?))?;
        return Ok(Answer::Yes);
    }
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        print(&super::ctl::text(&screen.listing))?;
        return Ok(Answer::Yes);
    }
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
        let page = terminal.draw(|frame| draw(frame, screen))?.area.height.saturating_sub(8);
        let left = delay.saturating_sub(looked.elapsed()).min(LOOK);
        if event::poll(left.max(Duration::from_millis(1)))?
            && let Event::Key(key) = event::read()?
            && key.kind == KeyEventKind::Press
            && !screen.press(key.code, key.modifiers, usize::from(page))
        {
            return Ok(());
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
