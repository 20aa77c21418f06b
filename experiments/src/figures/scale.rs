//! Axes: from values to places, and the ticks that a reader can read.

/// How values of an axis become places from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// In proportion.
    Linear {
        /// Value at 0.
        low: f64,
        /// Value at 1.
        high: f64,
    },
    /// By logarithm.
    Log {
        /// Value at 0, above 0.
        low: f64,
        /// Value at 1.
        high: f64,
    },
    /// Names side by side: band i reaches from i to i + 1.
    Bands(Vec<String>),
}

/// A labelled place of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Its value.
    pub value: f64,
    /// What stands there.
    pub label: String,
}

/// Beyond this, the span of an axis is no number any more.
const LARGEST: f64 = 1e300;
/// How many lengths of an axis beyond its ends a place can be: what lies outside is not seen, and a dashed line
/// to it is drawn dash by dash.
const BEYOND: f64 = 10.0;

fn range(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values.into_iter().filter(|value| value.abs() <= LARGEST).fold(None, |range, value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((f64::min(low, value), f64::max(high, value)))
    })
}

impl Scale {
    /// A linear axis that holds the values, with some room beyond them.
    pub fn linear(values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = range(values).unwrap_or((0.0, 1.0));
        let span = if high > low { high - low } else { high.abs().max(1.0) };
        Scale::Linear { low: low - 0.04 * span, high: high + 0.04 * span }
    }

    /// A linear axis that holds the values and begins, or ends, at 0.
    pub fn from_zero(values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = range(values).unwrap_or((0.0, 1.0));
        let span = high.max(0.0) - low.min(0.0);
        if span <= 0.0 {
            return Scale::Linear { low: 0.0, high: 1.0 };
        }
        // An end that rounding has put beyond 0 is 0.
        let low = if low < -1e-4 * span { low - 0.06 * span } else { 0.0 };
        let high = if high > 1e-4 * span { high + 0.06 * span } else { 0.0 };
        Scale::Linear { low, high }
    }

    /// A logarithmic axis that holds those of the values that are above 0.
    pub fn log(values: impl IntoIterator<Item = f64>) -> Self {
        let positive = values.into_iter().filter(|value| *value > 0.0);
        let (low, high) = range(positive).unwrap_or((1.0, 10.0));
        let room = (high / low).powf(0.04).max(1.08);
        Scale::Log { low: low / room, high: high * room }
    }

    /// Place of a value: 0 is the beginning of the axis, 1 its end. What is far beyond an end is only so far.
    pub fn place(&self, value: f64) -> f64 {
        let place = match self {
            Scale::Linear { low, high } => (value - low) / (high - low),
            Scale::Log { low, high } => (value / low).ln() / (high / low).ln(),
            Scale::Bands(names) => value / names.len().max(1) as f64,
        };
        place.clamp(-BEYOND, 1.0 + BEYOND)
    }

    /// At most `most` ticks, evenly spread; none for bands.
    pub fn ticks(&self, most: usize) -> Vec<Tick> {
        match *self {
            Scale::Linear { low, high } => linear_ticks(low, high, most),
            Scale::Log { low, high } => log_ticks(low, high, most),
            Scale::Bands(_) => Vec::new(),
        }
    }

    /// Values of the small ticks that say that an axis is logarithmic: 2 to 9 of every decade.
    pub fn minor_ticks(&self) -> Vec<f64> {
        const MOST_DECADES: i32 = 6;
        let Scale::Log { low, high } = *self else { return Vec::new() };
        let (first, last) = decades(low, high);
        if last - first > MOST_DECADES {
            return Vec::new();
        }
        (first - 1..=last)
            .flat_map(|decade| (2..10).map(move |digit| f64::from(digit) * 10f64.powi(decade)))
            .filter(|value| (low..=high).contains(value))
            .collect()
    }
}

/// Exponents of the first and last power of ten in a range.
fn decades(low: f64, high: f64) -> (i32, i32) {
    const SLIP: f64 = 1e-9;
    ((low.log10() - SLIP).ceil() as i32, (high.log10() + SLIP).floor() as i32)
}

fn linear_ticks(low: f64, high: f64, most: usize) -> Vec<Tick> {
    let span = high - low;
    if !(span.is_finite() && span > 0.0) || most == 0 {
        return Vec::new();
    }
    // The first of 1, 2, 5, 10, ... that gives few enough.
    let smallest = (span / most as f64).log10().floor() as i32;
    let steps = (smallest..smallest + 3).flat_map(|e| [1.0, 2.0, 5.0].map(|digit| (digit, e)));
    for (digit, exponent) in steps {
        // 10^-2 is inexact as a factor and exact enough as a divisor.
        let at = |k: f64| {
            if exponent < 0 { k * digit / 10f64.powi(-exponent) } else { k * digit * 10f64.powi(exponent) }
        };
        let step = at(1.0);
        let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
        let count = (last - first + 1.0).max(0.0) as usize;
        if count <= most {
            let decimals = usize::try_from(-exponent).unwrap_or(0);
            let tick = |k: usize| {
                let value = at(first + k as f64);
                Tick { value, label: number(value, decimals) }
            };
            return (0..count).map(tick).collect();
        }
    }
    Vec::new()
}

fn log_ticks(low: f64, high: f64, most: usize) -> Vec<Tick> {
    let (first, last) = decades(low, high);
    let powers = usize::try_from(last - first + 1).unwrap_or(0);
    // In full where all of them are short, else all as 1e6.
    let plain = low >= 0.99e-4 && high < 1e6;
    let of = |value: f64| Tick { value, label: if plain { in_full(value) } else { scientific(value) } };
    if powers < 2 {
        // Less than a decade or two: 1, 2 and 5, or where even these are too few, round numbers.
        let digits: Vec<Tick> = (first - 1..=last)
            .flat_map(|decade| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(decade)))
            .filter(|value| (low..=high).contains(value))
            .map(of)
            .collect();
        return if (2..=most).contains(&digits.len()) { digits } else { linear_ticks(low, high, most) };
    }
    let every = powers.div_ceil(most.max(1));
    (first..=last).step_by(every).map(|decade| of(10f64.powi(decade))).collect()
}

/// A number with so many decimals, and commas from 10,000 on; a minus is a minus sign.
pub fn number(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, part) = text.split_once('.').map_or((text.as_str(), None), |(w, p)| (w, Some(p)));
    let mut digits = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && whole.len() >= 5 && (whole.len() - i).is_multiple_of(3) {
            digits.push(',');
        }
        digits.push(digit);
    }
    let zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let sign = if value < 0.0 && !zero { "−" } else { "" };
    format!("{sign}{digits}{}", part.map_or(String::new(), |part| format!(".{part}")))
}

/// A power of ten, or twice or five times one, with no more decimals than it needs.
fn in_full(value: f64) -> String {
    let exponent = (value.log10() + 1e-9).floor() as i32;
    number(value, usize::try_from(-exponent).unwrap_or(0))
}

/// The same as 1e6.
fn scientific(value: f64) -> String {
    let exponent = (value.log10() + 1e-9).floor() as i32;
    let digit = (value / 10f64.powi(exponent)).round();
    let sign = if exponent < 0 { "−" } else { "" };
    format!("{digit}e{sign}{}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale, most: usize) -> Vec<String> {
        scale.ticks(most).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn linear_ticks_are_round_and_few_enough() {
        let scale = |low, high| Scale::Linear { low, high };
        assert_eq!(labels(&scale(0.0, 1.0), 6), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(&scale(0.0, 1.0), 5), ["0.0", "0.5", "1.0"]);
        assert_eq!(labels(&scale(-3.2, 11.0), 4), ["0", "5", "10"]);
        assert_eq!(labels(&scale(0.0, 31_000.0), 4), ["0", "10,000", "20,000", "30,000"]);
        assert_eq!(labels(&scale(-0.02, 0.011), 4), ["−0.02", "−0.01", "0.00", "0.01"]);
        for most in 1..12 {
            for high in [0.7, 3.0, 17.0, 99.0, 1e5, 1e-6] {
                let ticks = scale(0.0, high).ticks(most);
                assert!(ticks.len() <= most && ticks.iter().all(|tick| tick.value <= high * 1.000_001));
            }
        }
    }

    #[test]
    fn decades_are_labelled_and_thinned() {
        assert_eq!(labels(&Scale::Log { low: 0.1, high: 1000.0 }, 9), ["0.1", "1", "10", "100", "1000"]);
        assert_eq!(labels(&Scale::Log { low: 0.1, high: 1000.0 }, 3), ["0.1", "10", "1000"]);
        assert_eq!(labels(&Scale::Log { low: 3.0, high: 60.0 }, 9), ["5", "10", "20", "50"]);
        assert_eq!(labels(&Scale::Log { low: 3.1, high: 4.4 }, 4), ["3.5", "4.0"]);
        assert_eq!(labels(&Scale::Log { low: 1e-6, high: 1e-5 }, 4), ["1e−6", "1e−5"]);
    }

    #[test]
    fn what_rounding_put_below_zero_does_not_move_the_axis() {
        assert!(
            matches!(Scale::from_zero([-1e-9, 10.0]), Scale::Linear { low, high } if low == 0.0 && high > 10.0)
        );
        assert!(matches!(Scale::from_zero([-3.0, 10.0]), Scale::Linear { low, .. } if low < -3.0));
    }

    #[test]
    fn huge_values_neither_break_an_axis_nor_leave_the_sheet() {
        let scale = Scale::linear([-1e308, 3.0, 1e308, 5.0, f64::INFINITY]);
        assert!(!scale.ticks(5).is_empty(), "{scale:?}");
        for scale in [scale, Scale::Linear { low: 0.0, high: 1.0 }, Scale::log([1.0, 10.0])] {
            for value in [-1e308, 1e19, 1e308] {
                let place = scale.place(value);
                assert!(place.is_nan() || place.abs() <= 11.0, "{scale:?} {value} {place}");
            }
        }
    }

    #[test]
    fn one_value_or_none_still_make_an_axis() {
        for scale in [
            Scale::linear([3.0]),
            Scale::linear([]),
            Scale::from_zero([0.0]),
            Scale::from_zero([-2.0]),
            Scale::from_zero([]),
            Scale::from_zero([0.0, 5.0]),
            Scale::log([5.0]),
            Scale::log([0.0, -1.0]),
        ] {
            assert!(!scale.ticks(5).is_empty(), "{scale:?}");
            assert!(scale.place(3.0).is_finite(), "{scale:?}");
        }
    }
}
