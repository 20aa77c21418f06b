//! Where the published simulator and the paper differ: one named switch per difference.

use thiserror::Error;

/// A difference between the paper and the published simulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// Speed of a job: the sensitivity matrix, or one of two speeds (a scalar with the full demand, else 1).
    SpeedModel,
    /// Best-case demand: the best grid point that fits, or per-GPU constants clamped component by component.
    Demand,
    /// Whether storage bandwidth is a fourth resource.
    Storage,
    /// Whether the jobs of a round are chosen up front by GPU demand, or one by one as they are placed.
    RunnableSet,
    /// TUNE and proportional place by demand, descending, or in policy order.
    TuneOrder,
    /// Whether a job that fits one server is kept on one, or scattered over free GPUs in order.
    Consolidation,
    /// Whom TUNE reverts to make room: one resident at a time until the job fits, or everyone walked
    /// until a shortfall is covered on paper.
    PeerSelection,
    /// Progress of a round in whole iterations, the fraction lost.
    ProgressRounding,
    /// Finish-time fairness: largest first, or smallest first.
    FtfOrder,
    /// Remaining time in keys: at the baseline rate, or at the speed of the job's last round.
    Remaining,
    /// A job that has not run for 1,000 h goes first.
    StarvationFlag,
    /// The run ends when all jobs have ended, or at the first round without a job.
    RunEnd,
    /// Ties in keys: by id, or by the order of the round before.
    TieOrder,
}

impl Switch {
    /// All switches.
    pub const ALL: [Switch; 13] = [
        Switch::SpeedModel,
        Switch::Demand,
        Switch::Storage,
        Switch::RunnableSet,
        Switch::TuneOrder,
        Switch::Consolidation,
        Switch::PeerSelection,
        Switch::ProgressRounding,
        Switch::FtfOrder,
        Switch::Remaining,
        Switch::StarvationFlag,
        Switch::RunEnd,
        Switch::TieOrder,
    ];

    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        self.words()[0]
    }

    /// Name, value of the paper, value of the published simulator.
    const fn words(self) -> [&'static str; 3] {
        match self {
            Switch::SpeedModel => ["speed-model", "matrix", "two-speed"],
            Switch::Demand => ["demand", "grid", "clamped"],
            Switch::Storage => ["storage", "off", "on"],
            Switch::RunnableSet => ["runnable-set", "up-front", "in-turn"],
            Switch::TuneOrder => ["tune-order", "demand", "policy"],
            Switch::Consolidation => ["consolidation", "on", "off"],
            Switch::PeerSelection => ["peer-selection", "until-it-fits", "shortfall"],
            Switch::ProgressRounding => ["progress-rounding", "none", "iterations"],
            Switch::FtfOrder => ["ftf-order", "largest", "smallest"],
            Switch::Remaining => ["remaining", "baseline", "last-speed"],
            Switch::StarvationFlag => ["starvation-flag", "off", "on"],
            Switch::RunEnd => ["run-end", "all-jobs", "idle-round"],
            Switch::TieOrder => ["tie-order", "id", "history"],
        }
    }
}

/// Which side every switch is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switches {
    published: [bool; Switch::ALL.len()],
}

/// A name that is no semantics, switch or value of one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SwitchError {
    /// Unknown semantics.
    #[error("unknown semantics {0:?}; known: paper, reference-2022")]
    Semantics(String),
    /// Not of the form `switch=value`.
    #[error("{0:?} is not of the form switch=value, such as ftf-order=reference")]
    Form(String),
    /// Unknown switch.
    #[error("unknown switch {0:?}; known: {known}", known = Switch::ALL.map(Switch::name).join(", "))]
    Switch(String),
    /// Unknown value.
    #[error("switch {switch} has no value {value:?}; it takes {paper} (paper) or {reference} (reference)")]
    Value {
        /// The switch.
        switch: &'static str,
        /// What was given.
        value: String,
        /// Value of the paper.
        paper: &'static str,
        /// Value of the published simulator.
        reference: &'static str,
    },
}

impl Switches {
    /// What the paper says.
    pub const PAPER: Switches = Switches { published: [false; Switch::ALL.len()] };
    /// What the simulator published with the paper does.
    pub const REFERENCE_2022: Switches = Switches { published: [true; Switch::ALL.len()] };

    /// The semantics `paper` or `reference-2022`.
    ///
    /// # Errors
    /// Another name.
    pub fn named(semantics: &str) -> Result<Self, SwitchError> {
        match semantics {
            "paper" => Ok(Switches::PAPER),
            "reference-2022" => Ok(Switches::REFERENCE_2022),
            other => Err(SwitchError::Semantics(other.into())),
        }
    }

    /// Applies `switch=value`, where value is one of the switch's two words, `paper` or `reference`.
    ///
    /// # Errors
    /// An unknown switch or value.
    pub fn set(&mut self, assignment: &str) -> Result<(), SwitchError> {
        let (name, value) = assignment.split_once('=').ok_or_else(|| SwitchError::Form(assignment.into()))?;
        let switch = Switch::ALL.into_iter().find(|switch| switch.name() == name.trim());
        let switch = switch.ok_or_else(|| SwitchError::Switch(name.into()))?;
        let [switch_name, paper, reference] = switch.words();
        self.published[switch as usize] = match value.trim() {
            "paper" => false,
            "reference" | "reference-2022" => true,
            word if word == paper => false,
            word if word == reference => true,
            other => {
                return Err(SwitchError::Value {
                    switch: switch_name,
                    value: other.into(),
                    paper,
                    reference,
                });
            }
        };
        Ok(())
    }

    /// Whether `switch` is on the published simulator's side.
    pub fn published(&self, switch: Switch) -> bool {
        self.published[switch as usize]
    }

    /// Whether any switch needs the simulator's own allocation code instead of the solver's mechanisms.
    pub fn own_allocation(&self) -> bool {
        [
            Switch::Demand,
            Switch::Storage,
            Switch::RunnableSet,
            Switch::TuneOrder,
            Switch::Consolidation,
            Switch::PeerSelection,
        ]
        .into_iter()
        .any(|switch| self.published(switch))
    }

    /// The semantics in one line: a name when all switches agree, else every switch that is on the
    /// published simulator's side.
    pub fn describe(&self) -> String {
        match *self {
            Switches::PAPER => "paper".into(),
            Switches::REFERENCE_2022 => "reference-2022".into(),
            _ => {
                let on = Switch::ALL.into_iter().filter(|&switch| self.published(switch));
                let words = on.map(|switch| format!("{}={}", switch.name(), switch.words()[2]));
                format!("paper with {}", words.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_switch_is_set_by_its_word_or_by_side() {
        let mut switches = Switches::named("paper").unwrap();
        switches.set("ftf-order=reference").unwrap();
        assert!(switches.published(Switch::FtfOrder) && !switches.published(Switch::TuneOrder));
        assert_eq!(switches.describe(), "paper with ftf-order=smallest");
        switches.set("ftf-order=largest").unwrap();
        assert_eq!(switches, Switches::PAPER);
        let every = Switch::ALL.map(|s| format!("{}=reference", s.name()));
        every.iter().for_each(|assignment| switches.set(assignment).unwrap());
        assert_eq!(switches.describe(), "reference-2022");
    }

    #[test]
    fn unknown_words_say_what_is_known() {
        let mut switches = Switches::PAPER;
        assert!(switches.set("ftf-order").unwrap_err().to_string().contains("switch=value"));
        assert!(switches.set("ftf=paper").unwrap_err().to_string().contains("ftf-order"));
        let message = switches.set("ftf-order=x").unwrap_err().to_string();
        assert!(message.contains("largest") && message.contains("smallest"), "{message}");
        assert!(Switches::named("x").is_err());
    }
}
