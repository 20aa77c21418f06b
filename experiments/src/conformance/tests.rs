//! Built-in mechanisms pass; one broken mechanism of each kind is caught by the property that it breaks.

use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use synergy_solver::mechanisms::{ALL, Guarantees, Outcome, Tune};

/// TUNE, with something done to its allocation.
struct Broken<F>(F);

impl<F> Mechanism for Broken<F>
where
    F: Fn(&Instance, &mut Allocation) + Send + Sync,
{
    fn about(&self) -> About {
        Tune::ABOUT
    }

    fn allocate(&self, instance: &Instance, queue: &[usize]) -> Result<Outcome, MechanismError> {
        let mut outcome = Tune.allocate(instance, queue)?;
        (self.0)(instance, &mut outcome.allocation);
        Ok(outcome)
    }
}

const QUICK: Effort = Effort { random: 60, seed: 1, measure: false };

fn failures(make: &Make) -> Vec<(Property, Failure)> {
    let found = run("under test", make, &QUICK).unwrap();
    let failed = |(property, verdict): (Property, Verdicted)| match verdict {
        Verdicted::Failed(failure) => Some((property, *failure)),
        _ => None,
    };
    found.properties.into_iter().filter_map(failed).collect()
}

/// The broken mechanism breaks this property, and the smallest instance found has at most as many jobs.
fn assert_caught<F>(property: Property, jobs: usize, change: F)
where
    F: Fn(&Instance, &mut Allocation) + Send + Sync + Copy + 'static,
{
    let failures = failures(&|| Ok(Box::new(Broken(change))));
    let caught: Vec<Property> = failures.iter().map(|(property, _)| *property).collect();
    let failure = failures.iter().find(|(broken, _)| *broken == property).map(|(_, failure)| failure);
    let failure = failure.unwrap_or_else(|| panic!("{property:?} is not among {caught:?}"));
    assert!(failure.smallest.jobs.len() <= jobs, "{}: {}", failure.smallest.name, failure.why);
}

#[test]
fn every_built_in_mechanism_keeps_its_promises() {
    // The mechanisms of the configuration LP solve programs for every instance: too slow for here.
    for entry in ALL.iter().filter(|entry| !entry.about.name.starts_with("opt")) {
        let found = run(entry.about.name, &|| Ok((entry.build)(&Default::default())?), &QUICK).unwrap();
        assert!(found.passed(), "{}", to_text(&found));
    }
}

#[test]
fn capacity_and_proportion_are_checked() {
    assert_caught(Property::Valid, 1, |instance, allocation| {
        for part in allocation.jobs.iter_mut().flat_map(|job| &mut job.parts) {
            part.amounts = instance.cluster().server(part.server).capacity.scaled(1.01);
        }
    });
    // A split takes three jobs, or one that is larger than a server.
    assert_caught(Property::Valid, 3, |_, allocation| {
        allocation
            .jobs
            .iter_mut()
            .filter(|job| job.parts.len() > 1)
            .for_each(|job| job.parts[0].amounts[0] *= 0.9);
    });
    assert_caught(Property::Valid, 1, |_, allocation| {
        allocation.jobs.iter_mut().take(1).for_each(|job| job.parts[0].gpus += 1.0);
    });
}

#[test]
fn an_unfair_job_is_found() {
    assert_caught(Property::Fair, 1, |_, allocation| {
        allocation
            .jobs
            .iter_mut()
            .take(1)
            .flat_map(|job| &mut job.parts)
            .for_each(|p| p.amounts = p.amounts.scaled(0.2));
    });
}

#[test]
fn a_job_left_out_is_found() {
    assert_caught(Property::Complete, 1, |_, allocation| _ = allocation.jobs.pop());
}

#[test]
fn a_job_split_without_need_is_found() {
    assert_caught(Property::Consolidated, 1, |instance, allocation| {
        let last = instance.cluster().servers() - 1;
        let is_idle = allocation.jobs.iter().flat_map(|job| &job.parts).all(|part| part.server != last);
        let first = allocation.jobs.iter_mut().find(|job| job.parts[0].gpus > 1.0);
        if let Some(job) = first.filter(|_| is_idle)
            && let [part] = job.parts.as_slice()
        {
            let fraction = 1.0 / part.gpus;
            let mut moved = *part;
            (moved.gpus, moved.amounts, moved.server) = (1.0, part.amounts.scaled(fraction), last);
            let mut left = *part;
            (left.gpus, left.amounts) = (part.gpus - 1.0, part.amounts.scaled(1.0 - fraction));
            job.parts = vec![left, moved].into();
        }
    });
}

#[test]
fn memory_of_earlier_calls_is_found() {
    let calls = AtomicUsize::new(0);
    let failures = failures(&|| {
        let offset = calls.fetch_add(1, Ordering::Relaxed);
        let count = AtomicUsize::new(offset);
        Ok(Box::new(Broken(move |_: &Instance, allocation: &mut Allocation| {
            let turn = count.fetch_add(1, Ordering::Relaxed);
            let jobs = allocation.jobs.len();
            allocation
                .jobs
                .iter_mut()
                .skip(turn % (jobs + 1))
                .take(1)
                .for_each(|j| j.parts[0].amounts[1] += 1e-3);
        })))
    });
    assert!(failures.iter().any(|(property, _)| *property == Property::Deterministic));
}

#[test]
fn names_and_listing_must_not_matter() {
    let by_name = |instance: &Instance, allocation: &mut Allocation| {
        let first = allocation.jobs.iter_mut().max_by_key(|entry| instance.jobs()[entry.job].id.clone());
        first.into_iter().for_each(|entry| entry.parts.iter_mut().for_each(|p| p.amounts[1] *= 0.999_999));
    };
    let names = failures(&|| Ok(Box::new(Broken(by_name))));
    assert!(names.iter().any(|(property, _)| *property == Property::StableUnderRenaming));

    let by_index = |_: &Instance, allocation: &mut Allocation| {
        allocation
            .jobs
            .iter_mut()
            .take(1)
            .for_each(|e| e.parts.iter_mut().for_each(|p| p.amounts[1] *= 0.999_999));
    };
    let listing = failures(&|| Ok(Box::new(Broken(by_index))));
    let properties: Vec<Property> = listing.iter().map(|(property, _)| *property).collect();
    assert!(properties.contains(&Property::StableUnderListing), "{properties:?}");
    assert!(!properties.contains(&Property::StableUnderRenaming));
}

#[test]
fn a_panic_and_an_error_are_findings() {
    struct Fails;
    impl Mechanism for Fails {
        fn about(&self) -> About {
            About { guarantees: Guarantees::default(), ..Tune::ABOUT }
        }
        fn allocate(&self, instance: &Instance, queue: &[usize]) -> Result<Outcome, MechanismError> {
            assert!(
                instance.cluster().groups().len() < 2,
                "cannot handle {} groups",
                instance.cluster().groups().len()
            );
            Tune.allocate(instance, queue)
        }
    }
    let failures = failures(&|| Ok(Box::new(Fails)));
    let (property, failure) = &failures[0];
    assert_eq!((*property, failure.why.as_str()), (Property::Answers, "panic: cannot handle 2 groups"));
    assert_eq!((failure.smallest.jobs.len(), failure.smallest.groups.len()), (0, 2));
}

#[test]
fn a_value_above_its_bound_is_found() {
    // No allocation can do that; the instance that the bound sees is made poorer instead.
    let case = &odd()[2];
    let instance = case.instance().unwrap();
    let queue = instance.queue();
    let outcome = Tune.allocate(&instance, &queue).unwrap();
    let mut report = check(&instance, &queue, &outcome.allocation);
    assert_eq!(beaten_bound(&instance, &queue, &report), None);
    report.value *= 10.0;
    assert!(beaten_bound(&instance, &queue, &report).unwrap().contains("lp"));
}

#[test]
fn reports_say_the_same_in_every_format() {
    let make = || -> Result<Box<dyn Mechanism>, ResolveError> {
        Ok(Box::new(Broken(|_: &Instance, allocation: &mut Allocation| _ = allocation.jobs.pop())))
    };
    let found = run("pops<&>", &make, &QUICK).unwrap();
    let (text, json, xml) = (to_text(&found), to_json(&found), to_junit(&found));
    assert!(text.contains("does not conform") && text.contains("FAIL  complete"), "{text}");
    assert_eq!(json["passed"], false);
    let complete = json["properties"].as_array().unwrap().iter().find(|p| p["name"] == "complete").unwrap();
    assert_eq!(complete["failure"]["instance"]["schema"], "synergy-instance/1");
    assert_eq!(complete["failure"]["instance"]["jobs"].as_array().unwrap().len(), 1);
    assert!(xml.contains("pops&lt;&amp;&gt;") && xml.contains("<failure message="), "{xml}");
}

#[test]
fn measures_of_tune_are_its_own() {
    let found = run("tune", &|| Ok(Box::new(Tune)), &Effort { random: 0, seed: 1, measure: true }).unwrap();
    let measures = found.measures.clone().unwrap();
    let gap = measures.gap.unwrap();
    assert_eq!(gap.closed(), Some(0.0));
    assert!(gap.mean > 0.05 && gap.instances == 16);
    assert!(to_text(&found).contains("gap to the best bound"));
}
