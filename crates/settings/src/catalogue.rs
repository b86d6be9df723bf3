//! Catalogues of kinds by name: those that a crate knows, and others that are registered.

use alloc::vec::Vec;
use core::fmt;

/// A kind of something that a catalogue lists by its name.
///
/// ```
/// use windfall_settings::{Catalogue, Listed};
///
/// struct Colour(&'static str);
///
/// static RED: Colour = Colour("red");
/// static ALL: [&Colour; 1] = [&RED];
///
/// impl Listed for Colour {
///     fn name(&self) -> &'static str {
///         self.0
///     }
///     fn known() -> &'static [&'static Colour] {
///         &ALL
///     }
/// }
///
/// static MINE: Colour = Colour("ochre");
/// let mut colours = Catalogue::<Colour>::default();
/// colours.register(&MINE)?;
/// assert!(colours.find("ochre").is_some() && colours.register(&RED).is_err());
/// # Ok::<(), windfall_settings::CatalogueError>(())
/// ```
pub trait Listed: Sized + 'static {
    /// The name: lower case, words joined by `-`.
    fn name(&self) -> &'static str;

    /// The kinds that every default catalogue has, in the order in which lists show them.
    fn known() -> &'static [&'static Self];
}

/// A set of kinds by name: those of the crate that declares them, and others that are registered.
pub struct Catalogue<K: 'static> {
    known: &'static [&'static K],
    registered: Vec<&'static K>,
}

impl<K: Listed> Default for Catalogue<K> {
    /// All kinds of the crate that declares them.
    fn default() -> Catalogue<K> {
        Catalogue::of(K::known())
    }
}

impl<K> Catalogue<K> {
    /// A catalogue of exactly these kinds, whose names must differ.
    #[must_use]
    pub const fn of(kinds: &'static [&'static K]) -> Catalogue<K> {
        Catalogue { known: kinds, registered: Vec::new() }
    }

    /// All kinds: the given ones, then the registered ones in order.
    pub fn kinds(&self) -> impl Iterator<Item = &'static K> + Clone {
        self.known.iter().chain(&self.registered).copied()
    }
}

impl<K: Listed> Catalogue<K> {
    /// Adds a kind.
    ///
    /// # Errors
    /// When its name is taken.
    pub fn register(&mut self, kind: &'static K) -> Result<(), CatalogueError> {
        if self.find(kind.name()).is_some() {
            return Err(CatalogueError::Taken(kind.name()));
        }
        self.registered.push(kind);
        Ok(())
    }

    /// The kind with this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'static K> {
        self.kinds().find(|kind| kind.name() == name)
    }
}

impl<K> Clone for Catalogue<K> {
    fn clone(&self) -> Catalogue<K> {
        Catalogue { known: self.known, registered: self.registered.clone() }
    }
}

/// Whether both list kinds of the same names in the same order.
impl<K: Listed> PartialEq for Catalogue<K> {
    fn eq(&self, other: &Catalogue<K>) -> bool {
        self.kinds().map(Listed::name).eq(other.kinds().map(Listed::name))
    }
}

impl<K: Listed> Eq for Catalogue<K> {}

impl<K: Listed> fmt::Debug for Catalogue<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let registered: Vec<&str> = self.registered.iter().map(|kind| kind.name()).collect();
        write!(f, "{} kinds and {registered:?}", self.known.len())
    }
}

/// Why a catalogue refuses a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CatalogueError {
    /// Another kind has this name.
    Taken(&'static str),
}

impl fmt::Display for CatalogueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CatalogueError::Taken(name) => {
                write!(f, "the catalogue has a kind `{name}` already; give this one another name")
            }
        }
    }
}

impl core::error::Error for CatalogueError {}
