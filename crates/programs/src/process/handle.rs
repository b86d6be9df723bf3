//! Handles: names of the objects of a system of processes, one word each, so that a handle can be a datum.
//!
//! A handle holds the kind, node, place and generation of its object, and a check that only the system that made it
//! can compute ([`Keys`]). Each time the object of a place is removed, the place's generation increases, and after
//! the last generation the place is never reused: so no handle ever names two objects. The check finds mistakes; it
//! does not protect against code that can read the system's memory.

use super::ProcessError;
use core::fmt;
use core::marker::PhantomData;

/// A node of the machine, with processors and a hierarchy of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Node(pub u8);

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}", self.0)
    }
}

/// The number of an event of the traffic controller. Any number is an event; it is neither made nor owned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventId(pub u64);

/// The kind of object that a handle names.
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

    /// The kind's name, as a word.
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

/// The place of an object: its node, its index in the table of its kind, and the number of earlier objects with
/// that index.
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
    /// The largest number of objects of a kind at a time.
    pub const MOST: u32 = 1 << INDEX;
    /// The last generation of a place.
    pub const LAST: u32 = (1 << GENERATION) - 1;
}

/// The name of an object, in one word. From the highest bit: kind 3, node 8, index 19, generation 20, check 14.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(u64);

const NODE: u32 = 8;
const INDEX: u32 = 19;
const GENERATION: u32 = 20;
const CHECK: u32 = 14;

impl Handle {
    /// Takes any word as a handle. Using it finds out whether it is one.
    #[must_use]
    pub const fn from_word(word: u64) -> Handle {
        Handle(word)
    }

    /// The handle as one word.
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

/// Prints `event 0:17.3` (node, index, generation), or the word if its kind does not exist.
impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (node, index, generation) = (self.node().0, self.index(), self.generation());
        match self.kind() {
            Some(kind) => write!(f, "{} {node}:{index}.{generation}", kind.name()),
            None => write!(f, "{:#018x}", self.0),
        }
    }
}

/// The key with which a system makes and checks its handles. Equal seeds make equal handles.
#[derive(Clone, Copy, Debug)]
pub struct Keys(u64);

impl Keys {
    /// The key of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Keys {
        Keys(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// The handle of the object at a place; index and generation must be within their bounds.
    #[inline]
    #[must_use]
    pub const fn seal(self, kind: Kind, place: Place) -> Handle {
        let words = ((kind as u64) << NODE | place.node.0 as u64) << INDEX | place.index as u64;
        let words = (words << GENERATION | place.generation as u64) << CHECK;
        Handle(words | self.check(words))
    }

    /// The place of a handle's object, if the handle was made with this key and for this kind.
    ///
    /// # Errors
    /// [`ProcessError::Forged`] or [`ProcessError::WrongKind`].
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
            /// Takes a handle as one of this kind. Using it finds out whether it is.
            #[must_use]
            pub const fn from_handle(handle: Handle) -> $name {
                $name(handle)
            }

            /// Takes a datum as a handle of this kind. Using it finds out whether it is.
            #[must_use]
            pub const fn from_datum(datum: u64) -> $name {
                $name(Handle(datum))
            }

            /// The handle, without its kind.
            #[must_use]
            pub const fn handle(self) -> Handle {
                self.0
            }

            /// The handle as a datum.
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

/// The handle of a template: loaded code of a kind.
pub struct Template<C>(Handle, PhantomData<fn() -> C>);

impl<C> Template<C> {
    /// Takes a handle as one of this kind. Using it finds out whether it is.
    #[must_use]
    pub const fn from_handle(handle: Handle) -> Template<C> {
        Template(handle, PhantomData)
    }

    /// The handle, without its kind.
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
