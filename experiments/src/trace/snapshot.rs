//! The queue of a cluster at a moment of a trace.

use super::Trace;

/// Length of a round (problem statement, section 6).
const ROUND_S: f64 = 300.0;

/// A job that has arrived and not ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Waiting {
    /// Index into the trace's jobs.
    pub job: usize,
    /// Arrival.
    pub arrival_s: f64,
    /// GPU demand.
    pub gpus: u32,
    /// Run time in all, at the baseline rate.
    pub total_s: f64,
    /// Run time left, at the baseline rate.
    pub remaining_s: f64,
    /// GPU-seconds had so far.
    pub attained_gpu_s: f64,
}

/// Jobs in the queue at the start of the last round that is not after `at_s`, in policy order, on a
/// cluster of `gpus` GPUs that was empty at time 0. Until then jobs ran round by round: in policy order
/// while their demand fits (the runnable set), every job at its baseline rate, as under GPU-proportional
/// shares. `key` is the policy's, smaller first, of a job and the time; ties go by arrival. `steady`
/// says that keys of waiting jobs do not change and those of running jobs only fall: then rounds
/// without arrival or completion are taken in one step.
///
/// # Errors
/// A job without a duration, which cannot be known to have ended.
pub fn queue_at(
    trace: &Trace,
    gpus: u64,
    at_s: f64,
    steady: bool,
    key: &dyn Fn(&Waiting, f64) -> f64,
) -> Result<Vec<Waiting>, String> {
    let last = (at_s / ROUND_S).floor().max(0.0) as u64;
    let mut queue: Vec<Waiting> = Vec::new();
    let mut arrivals = trace.jobs.iter().enumerate().peekable();
    let mut round = 0;
    loop {
        let now_s = round as f64 * ROUND_S;
        while let Some((job, found)) = arrivals.next_if(|(_, job)| job.arrival_s <= now_s) {
            let total_s = found.duration_s.ok_or_else(|| format!("job {:?} has no duration", found.id))?;
            queue.push(Waiting {
                job,
                arrival_s: found.arrival_s,
                gpus: found.gpus,
                total_s,
                remaining_s: total_s,
                attained_gpu_s: 0.0,
            });
        }
        let mut keyed: Vec<(f64, Waiting)> = queue.iter().map(|job| (key(job, now_s), *job)).collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.job.cmp(&b.1.job)));
        queue.clear();
        queue.extend(keyed.into_iter().map(|(_, job)| job));
        if round >= last {
            return Ok(queue);
        }
        let mut free = gpus;
        let mut running = Vec::new();
        for (index, job) in queue.iter().enumerate() {
            if u64::from(job.gpus) <= free {
                free -= u64::from(job.gpus);
                running.push(index);
            }
        }
        let entry = arrivals.peek().map_or(last, |(_, job)| (job.arrival_s / ROUND_S).ceil() as u64);
        let steps =
            match running.iter().map(|&index| (queue[index].remaining_s / ROUND_S).ceil() as u64).min() {
                None => entry.max(round + 1) - round,
                Some(end) if steady => end.min(entry.max(round + 1) - round).max(1),
                Some(_) => 1,
            }
            .min(last - round);
        let seconds = steps as f64 * ROUND_S;
        for index in running {
            queue[index].remaining_s -= seconds;
            queue[index].attained_gpu_s += seconds * f64::from(queue[index].gpus);
        }
        queue.retain(|job| job.remaining_s > 1e-6);
        round += steps;
    }
}

#[cfg(test)]
mod tests {
    use super::super::TraceJob;
    use super::*;
    use proptest::prelude::*;

    fn trace(rows: &[(f64, u32, f64)]) -> Trace {
        let job = |(index, &(arrival_s, gpus, duration_s)): (usize, &(f64, u32, f64))| TraceJob {
            id: index.to_string().into(),
            arrival_s,
            gpus,
            duration_s: Some(duration_s),
            ..TraceJob::default()
        };
        Trace { jobs: rows.iter().enumerate().map(job).collect(), ..Trace::default() }
    }

    fn fifo(job: &Waiting, _: f64) -> f64 {
        job.arrival_s
    }

    #[test]
    fn rounds_by_hand() {
        // 2 GPUs. Job 0 runs rounds 0 and 1; job 1 needs both GPUs and starts in round 2; job 2 fits beside 0.
        let trace = trace(&[(0.0, 1, 500.0), (10.0, 2, 600.0), (20.0, 1, 300.0)]);
        let at = |at_s| queue_at(&trace, 2, at_s, true, &fifo).unwrap();
        let shown = |queue: Vec<Waiting>| queue.iter().map(|j| (j.job, j.remaining_s)).collect::<Vec<_>>();
        assert_eq!(shown(at(0.0)), [(0, 500.0)]);
        assert_eq!(shown(at(299.0)), [(0, 500.0)]);
        assert_eq!(shown(at(300.0)), [(0, 200.0), (1, 600.0), (2, 300.0)]);
        assert_eq!(shown(at(600.0)), [(1, 600.0)]);
        assert_eq!(shown(at(900.0)), [(1, 300.0)]);
        assert!(at(1e6).is_empty());
        let shortest = |job: &Waiting, _: f64| job.remaining_s;
        assert_eq!(shown(queue_at(&trace, 2, 300.0, true, &shortest).unwrap())[1], (2, 300.0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        /// Taking quiet rounds in one step changes nothing.
        #[test]
        fn skipping_is_stepping(rows in prop::collection::vec((0.0..5000.0f64, 1u32..5, 1.0..3000.0f64), 1..30), at_s in 0.0..20_000.0f64) {
            let mut rows = rows;
            rows.sort_by(|a, b| a.0.total_cmp(&b.0));
            let trace = trace(&rows);
            let shortest = |job: &Waiting, _: f64| job.remaining_s;
            for key in [&fifo as &dyn Fn(&Waiting, f64) -> f64, &shortest] {
                let skipped = queue_at(&trace, 4, at_s, true, key).unwrap();
                let stepped = queue_at(&trace, 4, at_s, false, key).unwrap();
                prop_assert_eq!(skipped.len(), stepped.len());
                for (a, b) in skipped.iter().zip(&stepped) {
                    prop_assert_eq!(a.job, b.job);
                    prop_assert!((a.remaining_s - b.remaining_s).abs() < 1e-6);
                    prop_assert_eq!(a.attained_gpu_s, b.attained_gpu_s);
                }
            }
        }
    }
}
