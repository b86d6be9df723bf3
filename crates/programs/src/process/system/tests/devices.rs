//! Arrivals at devices.

use super::*;

#[test]
fn law_what_arrives_at_a_device_is_posted_once_and_never_missed() {
    let mut world = World::of(2, 1, 4);
    let line = Device::new("line").unwrap();
    world.system.add_device(line, None);
    let (mine, other) = (world.events[0], world.events[2]);
    let attach = |event| Call::Attach { device: line, event };
    let taken = |world: &mut World| world.ask(0, Call::Reset(mine)).unwrap().unwrap().datum;
    world.system.arrival(line);
    world.system.arrival(line);
    assert!(matches!(world.ask(0, attach(other)).unwrap(), Err(ProcessError::NotOwner { .. })));
    world.ask(0, attach(mine)).unwrap().unwrap();
    assert_eq!(taken(&mut world), Some(2), "what had arrived before");
    assert_eq!(taken(&mut world), None);
    world.system.arrival(line);
    world.system.arrival(line);
    assert_eq!(taken(&mut world), Some(3), "the second found it posted");
    assert_eq!(world.system.counts.coalesced, 1);
    let refused = world.ask(1, attach(other)).unwrap();
    assert_eq!(refused, Err(ProcessError::DeviceTaken { device: line }));
    assert!(matches!(
        world.ask(1, Call::Detach(line)).unwrap(),
        Err(ProcessError::NotOwner { .. })
    ));
    world.ask(0, Call::Delete(mine.handle())).unwrap().unwrap();
    world.system.arrival(line);
    world.ask(1, attach(other)).unwrap().unwrap();
    let test = world.ask(1, Call::Test(other)).unwrap().unwrap();
    assert_eq!(test.datum, Some(5), "what arrived while nobody was attached");
    assert_eq!(world.ask(1, Call::Detach(line)).unwrap().unwrap().datum, Some(1));
    let none = Device::new("none").unwrap();
    assert_eq!(
        world.ask(1, Call::Detach(none)).unwrap(),
        Err(ProcessError::NoDevice { device: none })
    );
}
