//! Knobs of a workload as single words, for the command line: `poisson:9`, `fixed:3600`,
//! `power-law:1.5,16`.

use super::spec::{ArrivalSpec, DemandSpec, DurationSpec, ProfileSpec};
use super::synthetic::{Family, SyntheticSpec};
use std::path::PathBuf;
use std::str::FromStr;

/// Splits `kind:a,b` into its kind and exactly `N` numbers.
fn numbers<const N: usize>(text: &str, form: &str) -> Result<[f64; N], String> {
    let rest = text.split_once(':').map_or("", |(_, rest)| rest);
    let parts: Option<Vec<f64>> = rest.split(',').map(|part| part.trim().parse().ok()).collect();
    parts.and_then(|parts| <[f64; N]>::try_from(parts).ok()).ok_or_else(|| format!("is no {form}"))
}

fn kind(text: &str) -> &str {
    text.split(':').next().unwrap_or(text)
}

impl FromStr for ArrivalSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match kind(text) {
            "at-zero" if text == "at-zero" => Ok(ArrivalSpec::AtZero {}),
            "poisson" => {
                let [jobs_per_hour] = numbers(text, "poisson:JOBS_PER_HOUR")?;
                Ok(ArrivalSpec::Poisson { jobs_per_hour })
            }
            "trace" if text == "trace" => Ok(ArrivalSpec::Trace { speedup: 1.0 }),
            "trace" => {
                let [speedup] = numbers(text, "trace:SPEEDUP")?;
                Ok(ArrivalSpec::Trace { speedup })
            }
            _ => Err("give at-zero, poisson:JOBS_PER_HOUR, trace or trace:SPEEDUP".into()),
        }
    }
}

impl FromStr for DurationSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "published" => return Ok(DurationSpec::Published {}),
            "empirical" => return Ok(DurationSpec::Empirical {}),
            "trace" => return Ok(DurationSpec::Trace {}),
            _ => {}
        }
        match kind(text) {
            "log-normal" => {
                let [median_s, sigma] = numbers(text, "log-normal:MEDIAN_S,SIGMA")?;
                Ok(DurationSpec::LogNormal { median_s, sigma })
            }
            "fixed" => {
                let [duration_s] = numbers(text, "fixed:SECONDS")?;
                Ok(DurationSpec::Fixed { duration_s })
            }
            _ => Err("give published, log-normal:MEDIAN_S,SIGMA, fixed:SECONDS, empirical or trace".into()),
        }
    }
}

impl FromStr for DemandSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "single" => return Ok(DemandSpec::Single {}),
            "multi" => return Ok(DemandSpec::Multi {}),
            "empirical" => return Ok(DemandSpec::Empirical {}),
            "trace" => return Ok(DemandSpec::Trace {}),
            _ => {}
        }
        let bad = || {
            "give single, multi, mixture:GPUS=WEIGHT,..., power-law:EXPONENT,MAX_GPUS, empirical or trace"
                .to_string()
        };
        match text.split_once(':') {
            Some(("mixture", pairs)) => {
                let pair = |pair: &str| {
                    let (gpus, weight) = pair.split_once('=')?;
                    Some((gpus.trim().parse().ok()?, weight.trim().parse().ok()?))
                };
                let pairs: Option<Vec<(u32, f64)>> = pairs.split(',').map(pair).collect();
                let (gpus, weights) = pairs.ok_or("is no mixture:GPUS=WEIGHT,...")?.into_iter().unzip();
                Ok(DemandSpec::Mixture { gpus, weights })
            }
            Some(("power-law", _)) => {
                let [exponent, most] = numbers(text, "power-law:EXPONENT,MAX_GPUS")?;
                if most.fract() != 0.0 || !(1.0..=f64::from(u32::MAX)).contains(&most) {
                    return Err(format!("MAX_GPUS is {most}; give a whole number above 0"));
                }
                Ok(DemandSpec::PowerLaw { exponent, max_gpus: most as u32, powers_of_two: false })
            }
            _ => Err(bad()),
        }
    }
}

impl FromStr for ProfileSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "published" {
            return Ok(ProfileSpec::Published {});
        }
        let family = match text.split_once(':') {
            Some(("file", path)) => {
                return Ok(ProfileSpec::File { path: PathBuf::from(path), repair: false });
            }
            Some(("synthetic", "random")) => Family::Random,
            Some(("synthetic", "all-sensitive")) => Family::AllSensitive,
            Some(("synthetic", "none-sensitive")) => Family::NoneSensitive,
            Some(("synthetic", "half-sensitive")) => Family::HalfSensitive,
            _ => {
                return Err(
                    "give published, file:PATH, or synthetic:random|all-sensitive|none-sensitive|half-sensitive".into()
                );
            }
        };
        Ok(ProfileSpec::Synthetic(SyntheticSpec { family, ..SyntheticSpec::default() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_knobs() {
        assert_eq!("poisson:9".parse(), Ok(ArrivalSpec::Poisson { jobs_per_hour: 9.0 }));
        assert_eq!("trace:2".parse(), Ok(ArrivalSpec::Trace { speedup: 2.0 }));
        assert_eq!("log-normal:600,1.5".parse(), Ok(DurationSpec::LogNormal { median_s: 600.0, sigma: 1.5 }));
        assert_eq!("multi".parse(), Ok(DemandSpec::Multi {}));
        assert_eq!(
            "mixture:1=3,16=1".parse(),
            Ok(DemandSpec::Mixture { gpus: vec![1, 16], weights: vec![3.0, 1.0] })
        );
        assert_eq!(
            "power-law:1.5,16".parse(),
            Ok(DemandSpec::PowerLaw { exponent: 1.5, max_gpus: 16, powers_of_two: false })
        );
        assert!(matches!("synthetic:half-sensitive".parse(), Ok(ProfileSpec::Synthetic(_))));
    }

    #[test]
    fn other_words_are_explained() {
        for text in ["poisson", "poisson:", "poisson:x", "poisson:1,2", "at-zero:1", "late", ""] {
            assert!(text.parse::<ArrivalSpec>().is_err(), "{text}");
        }
        for text in ["fixed", "log-normal:1", "published:1"] {
            assert!(text.parse::<DurationSpec>().is_err(), "{text}");
        }
        for text in ["mixture:", "mixture:1", "power-law:1,1.5", "power-law:1", "triple"] {
            assert!(text.parse::<DemandSpec>().is_err(), "{text}");
        }
        assert!("synthetic:odd".parse::<ProfileSpec>().is_err());
    }
}
