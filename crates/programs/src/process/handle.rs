//! Handles: what names an object of a system of processes, in one word, so that it can be a datum.
//!
//! A handle says kind, node, place and generation of its object, and carries a check that only the system
//! that made it can make ([`Keys`]). A place whose object is gone counts its generation up, and is given up
//! for good after the last one: so no handle ever names two objects. The check finds mistakes; it is no
//! protection against somebody who can read the system's memory.

use super::ProcessError;
use core::fmt;
use core::marker::PhantomData;

/// A node of the machine, which has processors and a hierarchy of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Node(pub u8);

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}", self.0)
    }
}

/// What a handle names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// A process.
    Process = 1,
    /// Loaded code.
    Template = 2,
    /// An event block.
    Event = 3,
    /// A dual queue.
    Queue = 4,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Process, Kind::Template, Kind::Event, Kind::Queue];

    /// In a word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Process => "process",
            Kind::Template => "template",
            Kind::Event => "event",
            Kind::Queue => "queue",
        }
    }
}

/// Where an object is: its node, its place in the table of its kind, and how many objects had that place before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The node.
    pub node: Node,
    /// Below [`Place::MOST`].
    pub index: u32,
    /// At most [`Place::LAST`].
    pub generation: u32,
}

impl Place {
    /// So many objects of a kind there can be at a time.
    pub const MOST: u32 = 1 << INDEX;
    /// The generation of the last object that a place has.
    pub const LAST: u32 = (1 << GENERATION) - 1;
}

/// The name of an object, in a word. From the highest bit: kind 3, node 8, index 19, generation 20, check 14.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(u64);

const NODE: u32 = 8;
const INDEX: u32 = 19;
const GENERATION: u32 = 20;
const CHECK: u32 = 14;

impl Handle {
    /// What somebody says is a handle; whether it is is found out by using it.
    #[must_use]
    pub const fn from_word(word: u64) -> Handle {
        Handle(word)
    }

    /// As one word.
    #[must_use]
    pub const fn word(self) -> u64 {
        self.0
    }

    /// The node that it names.
    #[must_use]
    pub const fn node(self) -> Node {
        Node(((self.0 >> (INDEX + GENERATION + CHECK)) & 0xff) as u8)
    }

    const fn index(self) -> u32 {
        ((self.0 >> (GENERATION + CHECK)) & ((1 << INDEX) - 1)) as u32
    }

    const fn generation(self) -> u32 {
        ((self.0 >> CHECK) & ((1 << GENERATION) - 1)) as u32
    }

    pub(super) fn kind(self) -> Option<Kind> {
        let kind = self.0 >> (NODE + INDEX + GENERATION + CHECK);
        Kind::ALL.into_iter().find(|one| *one as u64 == kind)
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// As `event 0:17.3` (node, index, generation), or the word where its kind is none.
impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (node, index, generation) = (self.node().0, self.index(), self.generation());
        match self.kind() {
            Some(kind) => write!(f, "{} {node}:{index}.{generation}", kind.name()),
            None => write!(f, "{:#018x}", self.0),
        }
    }
}

/// What a system makes and checks its handles with. Equal seeds make equal handles.
#[derive(Clone, Copy, Debug)]
pub struct Keys(u64);

impl Keys {
    /// From a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Keys {
        Keys(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// The handle of the object at a place, whose index and generation are within their bounds.
    #[inline]
    #[must_use]
    pub const fn seal(self, kind: Kind, place: Place) -> Handle {
        let words = ((kind as u64) << NODE | place.node.0 as u64) << INDEX | place.index as u64;
        let words = (words << GENERATION | place.generation as u64) << CHECK;
        Handle(words | self.check(words))
    }

    /// Where the object of a handle is, if that was made here and is of this kind.
    ///
    /// # Errors
    /// [`ProcessError::Forged`], [`ProcessError::WrongKind`].
    #[inline]
    pub fn open(self, handle: Handle, wanted: Kind) -> Result<Place, ProcessError> {
        let words = handle.0 >> CHECK << CHECK;
        match handle.kind() {
            Some(kind) if handle.0 - words == self.check(words) => {
                if kind != wanted {
                    return Err(ProcessError::WrongKind { handle, wanted });
                }
                let (node, index, generation) =
                    (handle.node(), handle.index(), handle.generation());
                Ok(Place { node, index, generation })
            }
            _ => Err(ProcessError::Forged { handle }),
        }
    }

    const fn check(self, words: u64) -> u64 {
        let mixed = (words ^ self.0).wrapping_mul(0xd134_2543_de82_ef95);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xaf25_1af3_b0f0_25b5);
        mixed >> (u64::BITS - CHECK)
    }
}

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident),*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(Handle);

        impl $name {
            /// A handle that is taken for one of this kind; whether it is is found out by using it.
            #[must_use]
            pub const fn from_handle(handle: Handle) -> $name {
                $name(handle)
            }

            /// A datum that is taken for one of this kind; whether it is is found out by using it.
            #[must_use]
            pub const fn from_datum(datum: u64) -> $name {
                $name(Handle(datum))
            }

            /// As a handle of whatever kind.
            #[must_use]
            pub const fn handle(self) -> Handle {
                self.0
            }

            /// As a datum.
            #[must_use]
            pub const fn datum(self) -> u64 {
                self.0.0
            }
        }

        impl From<$name> for Handle {
            fn from(one: $name) -> Handle {
                one.0
            }
        }
    )*};
}

handles! {
    /// The handle of a process.
    ProcessHandle,
    /// The handle of an event block.
    Event,
    /// The handle of a dual queue.
    Queue
}

/// The handle of loaded code of a kind.
pub struct Template<C>(Handle, PhantomData<fn() -> C>);

impl<C> Template<C> {
    /// A handle that is taken for one of this kind; whether it is is found out by using it.
    #[must_use]
    pub const fn from_handle(handle: Handle) -> Template<C> {
        Template(handle, PhantomData)
    }

    /// As a handle of whatever kind.
    #[must_use]
    pub const fn handle(self) -> Handle {
        self.0
    }
}

impl<C> Clone for Template<C> {
    fn clone(&self) -> Template<C> {
        *self
    }
}

impl<C> Copy for Template<C> {}

impl<C> fmt::Debug for Template<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<C> From<Template<C>> for Handle {
    fn from(template: Template<C>) -> Handle {
        template.0
    }
}
