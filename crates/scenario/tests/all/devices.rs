//! Devices: sources of interrupts with a name, and what is told of mistakes in them.

use crate::common::{GOOD, tells, with};
use windfall_programs::Device;
use windfall_scenario::Scenario;

const LINE: &str = "[[interrupts]]\nevery = \"1ms\"\ncost = \"1us\"\ndevice = \"line\"\n";

#[test]
fn accepts_a_device_with_and_without_a_datum() {
    let text = with(&format!("{LINE}datum = 7\n{}", LINE.replace("line", "other")));
    let scenario = Scenario::parse("e.toml", &text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let plan = scenario.build().unwrap_or_else(|wrong| panic!("{wrong}"));
    let devices: Vec<_> = plan.interrupts.iter().map(|source| source.device).collect();
    let named = |name, datum| Device::new(name).ok().map(|device| (device, datum));
    assert_eq!(devices, [named("line", Some(7)), named("other", None)]);
    let written = Scenario::parse("written.toml", &scenario.write());
    assert_eq!(written.unwrap_or_else(|wrong| panic!("{wrong}")), scenario);
}

#[test]
fn refuses_devices_that_cannot_be_told_apart_or_placed() {
    let first = GOOD.lines().count();
    let name = with(&LINE.replace("\"line\"", "\"two words\""));
    tells(&name, &[(first + 4, "a device's name has 1 to 24 letters", "write another name")]);
    let long = with(&LINE.replace("line", &"l".repeat(25)));
    tells(&long, &[(first + 4, "a device's name has 1 to 24 letters", "write another name")]);
    let twice = with(&format!("{LINE}{LINE}"));
    tells(&twice, &[(first + 8, "there is a device `line` already", "another name")]);
    let alone = with(&LINE.replace("device = \"line\"", "datum = 7"));
    tells(&alone, &[(first + 4, "`datum` goes with `device`", "name the device")]);
    let two = with(LINE).replacen("schema = 2", "schema = 2\nmachine.processors = 2", 1);
    tells(&two, &[(first + 5, "device `line` is at 2 processors", "processors = [0]")]);
}
