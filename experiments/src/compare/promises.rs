//! Holding allocations to what their mechanisms promise.

use synergy_solver::check::Report;
use synergy_solver::mechanisms::About;
use synergy_solver::model::Instance;

/// What an allocation owes: validity always, and whatever its mechanism promises.
pub fn broken_promises(about: &About, instance: &Instance, report: &Report) -> Option<String> {
    let verdicts = &report.verdicts;
    let promised = &about.guarantees;
    let broken = [
        ("valid", true, verdicts.valid),
        ("fair", promised.fair, verdicts.fair),
        ("complete", promised.complete, verdicts.complete),
        ("consolidated", promised.consolidated && packs_by_powers_of_two(instance), verdicts.consolidated),
    ];
    let (name, ..) = broken.into_iter().find(|(_, owed, holds)| *owed && !holds)?;
    let first = report.violations.iter().find(|violation| violation.breach.verdict().name() == name);
    let example = first.map_or_else(String::new, |violation| format!(": {}", violation.describe(instance)));
    Some(format!("the allocation is not {name}{example}"))
}

/// Where consolidation is promised: power-of-two demands, all servers of one power-of-two GPU count,
/// and with several groups no job larger than a server (problem statement, section 5).
fn packs_by_powers_of_two(instance: &Instance) -> bool {
    let groups = instance.cluster().groups();
    let size = groups[0].gpus;
    size.is_power_of_two()
        && groups.iter().all(|group| group.gpus == size)
        && instance
            .classes()
            .iter()
            .all(|class| class.gpus.is_power_of_two() && (groups.len() == 1 || !class.larger_than_server))
}
