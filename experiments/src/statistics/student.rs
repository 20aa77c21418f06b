//! Mean of a few independent values, such as one per seed, with Student's interval.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean over a few values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StudentMean {
    /// Mean.
    pub mean: f64,
    /// Half the width of its 95 % interval; `None` for one value, of which nothing is known.
    pub half_width: Option<f64>,
}

impl StudentMean {
    /// Lower end of the interval.
    pub fn low(&self) -> Option<f64> {
        self.half_width.map(|half| self.mean - half)
    }

    /// Lower end of the interval of a quantity that is never below 0, such as a time.
    pub fn low_from_zero(&self) -> Option<f64> {
        self.low().map(|low| low.max(0.0))
    }

    /// Upper end of the interval.
    pub fn high(&self) -> Option<f64> {
        self.half_width.map(|half| self.mean + half)
    }
}

/// Mean and 95 % interval by Student's t, which assumes means that are about normal but needs no more
/// than two values; `None` for no values.
pub fn student_mean(values: &[f64]) -> Option<StudentMean> {
    let mean = super::mean(values)?;
    let n = values.len() as f64;
    let half_width = (values.len() > 1).then(|| {
        let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
        StudentsT::new(0.0, 1.0, n - 1.0).ok().map(|t| t.inverse_cdf(0.975) * (variance / n).sqrt())
    });
    Some(StudentMean { mean, half_width: half_width.flatten() })
}
