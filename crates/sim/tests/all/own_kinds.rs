//! The law of all trees, of kinds that are not the catalogue's.

use windfall_guarantees::Type;
use windfall_scenario::{Catalogue, Scenario};
use windfall_schedulers::catalogue::{CatalogueError, Kind, Settings};
use windfall_schedulers::kinds;
use windfall_schedulers::parameters::SHARE;
use windfall_sim::law::Law;

static MINE: Kind = Kind::new("mine", "shares in proportion to weights", |_| {
    kinds::PROPORTIONAL_SHARE.build(&Settings::default())
})
.with_parameters(&[&SHARE])
.with_conversion(|_| kinds::PROPORTIONAL_SHARE.conversion(&Settings::default()));

/// Gives turns that are longer than the error that it promises.
static BOASTS: Kind = Kind::new("boasts", "long turns, and a small error", |_| {
    kinds::WEIGHTED_ROUND_ROBIN.build(&Settings::default())
})
.with_parameters(&[&SHARE])
.with_conversion(|_| kinds::PROPORTIONAL_SHARE.conversion(&Settings::default()));

#[test]
fn accepts_a_kind_that_keeps_what_it_promises() {
    let law = Law::default().with(&MINE).unwrap().only(&["mine", "rez", "fixed-priority"]);
    let tested = law.clone().trees(100).judge().unwrap_or_else(|broken| panic!("{broken}"));
    assert!(tested.types[&Type::Psbe] > 20, "{tested:?}");
    assert_eq!(law.trees(100).judge().unwrap(), tested, "the same seed draws the same trees");
}

#[test]
fn refuses_a_kind_that_promises_too_much_with_the_smallest_tree() {
    let law = Law::default().with(&BOASTS).unwrap().only(&["boasts"]);
    let unlawful = law.trees(100).judge().unwrap_err();
    assert!(unlawful.why.contains("was promised"), "{unlawful}");
    assert!(unlawful.scenario.schedulers.len() <= 3, "{unlawful}");
    let mut catalogue = Catalogue::default();
    catalogue.register(&BOASTS).unwrap();
    let text = unlawful.scenario.write();
    let again = Scenario::parse_in(&catalogue, "unlawful.toml", &text).unwrap();
    assert_eq!(again, unlawful.scenario);
}

#[test]
fn refuses_a_kind_whose_name_is_taken() {
    static REZ: Kind = Kind::new("rez", "another", |_| kinds::REZ.build(&Settings::default()));
    assert_eq!(Law::default().with(&REZ).unwrap_err(), CatalogueError::Taken("rez"));
}

#[test]
#[should_panic(expected = "no kind is called nobody")]
fn refuses_to_draw_of_no_kind() {
    let _ = Law::default().only(&["nobody"]).judge();
}
