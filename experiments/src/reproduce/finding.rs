//! What a recipe finds, beside what the paper says: an estimate with its interval, and a verdict that
//! follows from the two by rule.

use crate::statistics::student_mean;

/// A quantity with its 95 % interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// What it is, such as `at 8.5 jobs/h`; empty when the finding's title says it all.
    pub quantity: String,
    /// Unit as it follows the number: `x`, ` h`, ` %`, or nothing.
    pub unit: &'static str,
    /// Mean.
    pub value: f64,
    /// The interval's ends (Student's t); `None` for one value, or where there is nothing to vary.
    pub interval: Option<(f64, f64)>,
    /// Values that it rests on: seeds or instances.
    pub n: usize,
}

impl Estimate {
    /// Mean and Student's t interval of values that are independent, such as those of several seeds;
    /// `None` for no values.
    pub fn of(quantity: impl Into<String>, unit: &'static str, values: &[f64]) -> Option<Self> {
        let student = student_mean(values)?;
        let interval = student.half_width.map(|half| (student.mean - half, student.mean + half));
        Some(Estimate { quantity: quantity.into(), unit, value: student.mean, interval, n: values.len() })
    }

    /// A number that is counted or computed, not estimated.
    pub fn exact(quantity: impl Into<String>, unit: &'static str, value: f64, n: usize) -> Self {
        Estimate { quantity: quantity.into(), unit, value, interval: None, n }
    }

    fn ends(&self) -> (f64, f64) {
        self.interval.unwrap_or((self.value, self.value))
    }
}

/// What the paper claims of a quantity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Claimed {
    /// This value.
    Equals(f64),
    /// No more than this.
    AtMost(f64),
    /// No less than this.
    AtLeast(f64),
}

/// Whether what we find agrees with the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Ours: the paper has no such number.
    Ours,
    /// It does.
    Agrees,
    /// Neither: another quantity, or too little data.
    NotComparable,
    /// It does not.
    Differs,
    /// Something is missing to measure it.
    NotRun,
}

impl Verdict {
    /// All, in the order above.
    pub const ALL: [Verdict; 5] =
        [Verdict::Ours, Verdict::Agrees, Verdict::NotComparable, Verdict::Differs, Verdict::NotRun];

    /// As in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Ours => "ours",
            Verdict::Agrees => "agrees",
            Verdict::NotComparable => "cannot be compared",
            Verdict::Differs => "differs",
            Verdict::NotRun => "not run",
        }
    }

    /// The verdict of this name.
    pub fn named(name: &str) -> Option<Self> {
        Verdict::ALL.into_iter().find(|verdict| verdict.name() == name)
    }
}

/// Means this close to the paper's agree with it, whatever the interval: the paper rounds, and its
/// workload is not ours draw by draw.
const NEAR: f64 = 0.10;

/// Judges an estimate by rule, and says why.
///
/// A claimed value: an interval that holds it but is wider than the value itself settles nothing; else
/// it agrees when the mean is within 10 % or the interval holds it. A limit: it agrees when the whole
/// interval keeps it, differs when the whole interval breaks it, and is not settled in between.
pub fn judge(claimed: Claimed, ours: &Estimate) -> (Verdict, String) {
    let (low, high) = ours.ends();
    let number = |value: f64| format!("{}{}", crate::text_table::short(value, 2), ours.unit);
    match claimed {
        Claimed::Equals(paper) => {
            let holds = (low..=high).contains(&paper);
            if holds && high - low > paper.abs() {
                (Verdict::NotComparable, format!("the interval holds {} and much else", number(paper)))
            } else if (ours.value / paper - 1.0).abs() <= NEAR {
                (Verdict::Agrees, "within 10 %".into())
            } else if holds {
                (Verdict::Agrees, format!("the interval holds {}", number(paper)))
            } else if ours.value > paper {
                (Verdict::Differs, "larger here".into())
            } else {
                (Verdict::Differs, "smaller here".into())
            }
        }
        Claimed::AtMost(limit) if high <= limit => (Verdict::Agrees, String::new()),
        Claimed::AtMost(limit) if low > limit => (Verdict::Differs, format!("above {} here", number(limit))),
        Claimed::AtLeast(limit) if low >= limit => (Verdict::Agrees, String::new()),
        Claimed::AtLeast(limit) if high < limit => {
            (Verdict::Differs, format!("below {} here", number(limit)))
        }
        Claimed::AtMost(limit) | Claimed::AtLeast(limit) => {
            (Verdict::NotComparable, format!("the interval reaches to both sides of {}", number(limit)))
        }
    }
}

/// One line of the claims table.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The paper's claim, such as `C2`; empty for ours.
    pub claim: &'static str,
    /// What is measured, in a few words.
    pub title: String,
    /// The paper's value as it stands there; empty for ours.
    pub paper: &'static str,
    /// Our values.
    pub ours: Vec<Estimate>,
    /// Verdict.
    pub verdict: Verdict,
    /// Why, in one short sentence; may be empty.
    pub why: String,
}

impl Finding {
    /// A finding whose verdict follows from its parts: the worst of theirs. A part without data makes
    /// it not comparable.
    pub fn judged(
        claim: &'static str,
        title: impl Into<String>,
        paper: &'static str,
        parts: Vec<(Claimed, Option<Estimate>)>,
    ) -> Self {
        let (mut verdict, mut why, mut ours) = (Verdict::Agrees, Vec::new(), Vec::new());
        for (claimed, estimate) in parts {
            let (found, reason) = match &estimate {
                Some(estimate) => judge(claimed, estimate),
                None => (Verdict::NotComparable, "no run gave a value".into()),
            };
            verdict = verdict.max(found);
            if !reason.is_empty() && !why.contains(&reason) {
                why.push(reason);
            }
            ours.extend(estimate);
        }
        Finding { claim, title: title.into(), paper, ours, verdict, why: why.join("; ") }
    }

    /// A number of ours that the paper does not have.
    pub fn ours(title: impl Into<String>, ours: Vec<Estimate>, why: impl Into<String>) -> Self {
        Finding { claim: "", title: title.into(), paper: "", ours, verdict: Verdict::Ours, why: why.into() }
    }

    /// A claim that was not measured, and what it takes.
    pub fn not_run(
        claim: &'static str,
        title: impl Into<String>,
        paper: &'static str,
        why: impl Into<String>,
    ) -> Self {
        let verdict = Verdict::NotRun;
        Finding { claim, title: title.into(), paper, ours: Vec::new(), verdict, why: why.into() }
    }

    /// The same with another verdict, for what no rule sees.
    pub fn but(mut self, verdict: Verdict, why: impl Into<String>) -> Self {
        (self.verdict, self.why) = (verdict, why.into());
        self
    }

    /// The same with further numbers beside those that were judged.
    pub fn beside(mut self, more: impl IntoIterator<Item = Estimate>) -> Self {
        self.ours.extend(more);
        self
    }

    /// The same with a remark.
    pub fn remark(mut self, remark: &str) -> Self {
        if !self.why.is_empty() {
            self.why += "; ";
        }
        self.why += remark;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(values: &[f64]) -> Estimate {
        Estimate::of("", "x", values).unwrap()
    }

    /// Quantiles from a table of Student's t: 12.706 for two values, 4.303 for three.
    #[test]
    fn intervals_are_students() {
        let three = estimate(&[1.0, 2.0, 3.0]);
        let (low, high) = three.interval.unwrap();
        assert_eq!(three.value, 2.0);
        assert!((high - 2.0 - 4.3027 / 3.0f64.sqrt()).abs() < 1e-3, "{high}");
        assert!((low + high - 4.0).abs() < 1e-12);
        let (_, high) = estimate(&[1.0, 2.0]).interval.unwrap();
        assert!((high - 1.5 - 12.7062 * 0.5).abs() < 1e-3, "{high}");
        assert!(estimate(&[1.0]).interval.is_none());
        assert!(Estimate::of("", "", &[]).is_none());
    }

    #[test]
    fn verdicts_follow_the_rule() {
        let verdict = |claimed, values: &[f64]| judge(claimed, &estimate(values)).0;
        let (agrees, differs, neither) = (Verdict::Agrees, Verdict::Differs, Verdict::NotComparable);
        assert_eq!(verdict(Claimed::Equals(2.0), &[2.1, 2.11, 2.12]), agrees, "within 10 %");
        assert_eq!(verdict(Claimed::Equals(2.0), &[2.0, 2.4, 2.7]), agrees, "in the interval");
        assert_eq!(verdict(Claimed::Equals(2.0), &[2.5, 2.51, 2.52]), differs);
        assert_eq!(verdict(Claimed::Equals(2.0), &[1.0, 3.5]), neither, "too wide");
        assert_eq!(verdict(Claimed::Equals(2.0), &[1.5]), differs, "one value stands for itself");
        assert_eq!(verdict(Claimed::AtMost(10.0), &[1.0, 2.0, 3.0]), agrees);
        assert_eq!(verdict(Claimed::AtMost(10.0), &[11.0, 11.1, 11.2]), differs);
        assert_eq!(verdict(Claimed::AtMost(10.0), &[8.0, 9.0, 12.0]), neither);
        assert_eq!(verdict(Claimed::AtLeast(10.0), &[11.0, 11.1, 11.2]), agrees);
        assert_eq!(verdict(Claimed::AtLeast(10.0), &[1.0, 2.0, 3.0]), differs);
    }

    #[test]
    fn a_finding_is_as_good_as_its_worst_part() {
        let part = |values: &[f64]| (Claimed::Equals(2.0), Estimate::of("", "x", values));
        let both = Finding::judged("C4", "t", "2x", vec![part(&[2.0, 2.01]), part(&[3.0, 3.01])]);
        assert_eq!(both.verdict, Verdict::Differs);
        assert_eq!(both.why, "within 10 %; larger here");
        let missing = Finding::judged("C4", "t", "2x", vec![part(&[2.0, 2.01]), part(&[])]);
        assert_eq!(missing.verdict, Verdict::NotComparable);
        assert_eq!(missing.ours.len(), 1);
    }

    #[test]
    fn verdicts_have_names() {
        for verdict in Verdict::ALL {
            assert_eq!(Verdict::named(verdict.name()), Some(verdict));
        }
    }
}
