//! Objects by handle: a table of one kind of objects, whose places are reused with another generation.
//!
//! Invariant: a handle refers to its object until that is removed, and to nothing afterwards.

use super::{Handle, Keys, Kind, Node, Place, ProcessError};

pub(super) struct Slots<T> {
    kind: Kind,
    keys: Keys,
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

struct Slot<T> {
    generation: u32,
    object: Option<T>,
}

impl<T> Slots<T> {
    pub(super) const fn new(kind: Kind, keys: Keys) -> Slots<T> {
        Slots { kind, keys, slots: Vec::new(), free: Vec::new() }
    }

    pub(super) fn insert(&mut self, node: Node, object: T) -> Result<Handle, ProcessError> {
        let index = match self.free.pop() {
            Some(index) => index,
            None => {
                let fresh = u32::try_from(self.slots.len()).ok().filter(|at| *at < Place::MOST);
                let index = fresh.ok_or(ProcessError::NoRoom { kind: self.kind })?;
                self.slots.push(Slot { generation: 0, object: None });
                index
            }
        };
        let slot = &mut self.slots[index as usize];
        slot.object = Some(object);
        Ok(self.keys.seal(self.kind, Place { node, index, generation: slot.generation }))
    }

    fn slot(&mut self, handle: Handle) -> Result<(u32, &mut Slot<T>), ProcessError> {
        let Place { index, generation, .. } = self.keys.open(handle, self.kind)?;
        let slot = self.slots.get_mut(index as usize);
        let slot = slot.filter(|slot| slot.generation == generation && slot.object.is_some());
        Ok((index, slot.ok_or(ProcessError::Stale { handle })?))
    }

    /// Whether a handle was made by this table, for this kind; its object may have been removed.
    pub(super) fn check(&self, handle: Handle) -> Result<(), ProcessError> {
        self.keys.open(handle, self.kind).map(|_| ())
    }

    pub(super) fn at(&mut self, handle: Handle) -> Result<&mut T, ProcessError> {
        let (_, slot) = self.slot(handle)?;
        slot.object.as_mut().ok_or(ProcessError::Stale { handle })
    }

    pub(super) fn remove(&mut self, handle: Handle) -> Result<T, ProcessError> {
        let (index, slot) = self.slot(handle)?;
        let object = slot.object.take().ok_or(ProcessError::Stale { handle })?;
        if slot.generation < Place::LAST {
            slot.generation += 1;
            self.free.push(index);
        }
        Ok(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A handle refers to the object it was made for, or is refused, in every order of making and removing.
        #[test]
        fn law_a_handle_names_one_object_for_ever(steps in prop::collection::vec((any::<bool>(), 0_usize..20), 1..200)) {
            let mut slots = Slots::new(Kind::Event, Keys::new(7));
            let mut made: Vec<(Handle, usize, bool)> = Vec::new();
            for (number, (make, which)) in steps.into_iter().enumerate() {
                if make {
                    let handle = slots.insert(Node(3), number).unwrap();
                    prop_assert!(made.iter().all(|(other, _, _)| *other != handle));
                    made.push((handle, number, true));
                } else if let Some(slot) = made.iter_mut().rev().nth(which) {
                    let removed = slots.remove(slot.0);
                    prop_assert_eq!(removed.is_ok(), slot.2);
                    slot.2 = false;
                }
                for (handle, number, alive) in &made {
                    let found = slots.at(*handle).copied();
                    let expected = if *alive { Ok(*number) } else { Err(ProcessError::Stale { handle: *handle }) };
                    prop_assert_eq!(found, expected);
                }
            }
        }

        /// A handle with one wrong bit is refused, or by chance of the check names nothing that is alive.
        #[test]
        fn refuses_a_handle_with_a_wrong_bit(bit in 0_u32..64, seed in any::<u64>()) {
            let mut slots = Slots::new(Kind::Queue, Keys::new(seed));
            let handles: Vec<Handle> = (0..5_u8).map(|n| slots.insert(Node(n), n).unwrap()).collect();
            for handle in handles {
                prop_assert!(slots.at(Handle::from_word(handle.word() ^ 1 << bit)).is_err());
            }
        }
    }

    #[test]
    fn limit_a_place_is_given_up_after_its_last_generation() {
        let mut slots = Slots::new(Kind::Template, Keys::new(1));
        let first = slots.insert(Node(0), ()).unwrap();
        slots.slots[0].generation = Place::LAST;
        let last = Keys::new(1)
            .seal(Kind::Template, Place { node: Node(0), index: 0, generation: Place::LAST });
        assert_eq!(slots.at(first), Err(ProcessError::Stale { handle: first }));
        assert_eq!(slots.remove(last), Ok(()));
        let next = slots.insert(Node(0), ()).unwrap();
        assert_eq!(slots.at(last), Err(ProcessError::Stale { handle: last }));
        assert_eq!(format!("{last} {next}"), "template 0:0.1048575 template 0:1.0");
    }

    #[test]
    fn refuses_a_handle_of_another_kind_or_system() {
        let mut slots = Slots::new(Kind::Queue, Keys::new(1));
        slots.insert(Node(0), ()).unwrap();
        let place = Place { node: Node(0), index: 0, generation: 0 };
        let event = Keys::new(1).seal(Kind::Event, place);
        let wanted = Kind::Queue;
        assert_eq!(slots.at(event), Err(ProcessError::WrongKind { handle: event, wanted }));
        let foreign = Keys::new(2).seal(Kind::Queue, place);
        assert_eq!(slots.at(foreign), Err(ProcessError::Forged { handle: foreign }));
        let nothing = Handle::from_word(0);
        assert_eq!(slots.at(nothing), Err(ProcessError::Forged { handle: nothing }));
    }
}
