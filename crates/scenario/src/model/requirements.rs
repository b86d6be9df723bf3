//! The requirements of a child at its parent: a guarantee, and values of parameters.

use crate::Guarantee;
use windfall_schedulers::parameters::{
    ALL, PRIORITY, Parameter, ParameterValue, RATE, RESERVE, Rate, SHARE,
};
use windfall_time::Span;

/// The requirements of a child at its parent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Requirements {
    /// A guarantee; becomes the message that the parent's kind understands, and the promise.
    pub guarantee: Option<Guarantee>,
    /// Each parameter at most once, in the order of their table.
    parameters: Vec<(&'static Parameter, ParameterValue)>,
}

impl Requirements {
    /// A guarantee.
    #[must_use]
    pub fn guarantee(guarantee: Guarantee) -> Requirements {
        Requirements { guarantee: Some(guarantee), ..Requirements::default() }
    }

    /// A reservation, without a promise that it is a guarantee.
    #[must_use]
    pub fn reserve(amount: Span, period: Span) -> Requirements {
        Requirements::default().with(&RESERVE, ParameterValue::Reservation { amount, period })
    }

    /// A weight among siblings.
    #[must_use]
    pub fn share(share: u32) -> Requirements {
        Requirements::default().with(&SHARE, ParameterValue::Integer(share.into()))
    }

    /// A priority.
    #[must_use]
    pub fn priority(priority: i32) -> Requirements {
        Requirements::default().with(&PRIORITY, ParameterValue::Integer(priority.into()))
    }

    /// The same with this value of a parameter.
    #[must_use]
    pub fn with(mut self, parameter: &'static Parameter, value: ParameterValue) -> Requirements {
        self.set(parameter, Some(value));
        self
    }

    /// Sets a parameter, or leaves it out.
    pub fn set(&mut self, parameter: &'static Parameter, value: Option<ParameterValue>) {
        self.parameters.retain(|(other, _)| *other != parameter);
        self.parameters.extend(value.map(|value| (parameter, value)));
        let place = |parameter| ALL.iter().position(|other| *other == parameter);
        self.parameters.sort_by_key(|(parameter, _)| place(*parameter));
    }

    /// The value of a parameter.
    #[must_use]
    pub fn get(&self, parameter: &Parameter) -> Option<ParameterValue> {
        let mut parameters = self.parameters.iter();
        parameters.find(|(other, _)| *other == parameter).map(|(_, value)| *value)
    }

    /// All parameters that are set, in the order of their table.
    pub fn parameters(&self) -> impl Iterator<Item = (&'static Parameter, ParameterValue)> {
        self.parameters.iter().copied()
    }

    /// Amount and period of the reservation that the parameters request directly.
    #[must_use]
    pub fn reservation(&self) -> Option<(Span, Span)> {
        self.get(&RESERVE).and_then(ParameterValue::reservation)
    }

    /// How often it works, if that is written.
    #[must_use]
    pub fn rate(&self) -> Option<Rate> {
        self.get(&RATE).and_then(ParameterValue::rate)
    }

    /// Whether parameters are given directly, so that a guarantee is only an addition.
    pub(crate) fn reports_deadlines_itself(&self) -> bool {
        self.get(&RESERVE).is_some() || self.get(&SHARE).is_some()
    }

    /// Whether there are no requirements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Requirements::default()
    }
}
