//! Rows of one run on disk until its turn comes: tables are sorted by run, whoever ends first.

use super::rows::{JobRow, RoundRow};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::marker::PhantomData;
use std::path::Path;

/// A row as numbers: `None` is a NaN, counts and flags are whole.
pub trait Record: Sized {
    /// The numbers, appended to `out`.
    fn put(&self, out: &mut Vec<f64>);
    /// The row of these numbers.
    fn get(numbers: &[f64]) -> Self;
    /// How many numbers there are.
    const LENGTH: usize;
}

/// A file without a name that holds rows.
pub struct Spool<T> {
    file: BufWriter<File>,
    rows: u64,
    numbers: Vec<f64>,
    kind: PhantomData<T>,
}

impl<T: Record> Spool<T> {
    /// A spool on the disk of `directory`.
    ///
    /// # Errors
    /// What the system says.
    pub fn new(directory: &Path) -> io::Result<Self> {
        let file = BufWriter::with_capacity(1 << 16, tempfile::tempfile_in(directory)?);
        Ok(Spool { file, rows: 0, numbers: Vec::with_capacity(T::LENGTH), kind: PhantomData })
    }

    /// Appends a row.
    ///
    /// # Errors
    /// What the system says.
    pub fn push(&mut self, row: &T) -> io::Result<()> {
        self.numbers.clear();
        row.put(&mut self.numbers);
        debug_assert_eq!(self.numbers.len(), T::LENGTH);
        self.rows += 1;
        self.numbers.iter().try_for_each(|number| self.file.write_all(&number.to_le_bytes()))
    }

    /// The rows in the order they came.
    ///
    /// # Errors
    /// What the system says.
    pub fn read(self) -> io::Result<impl Iterator<Item = io::Result<T>>> {
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        let mut file = BufReader::with_capacity(1 << 16, file);
        let mut bytes = vec![0; T::LENGTH * size_of::<f64>()];
        Ok((0..self.rows).map(move |_| {
            file.read_exact(&mut bytes)?;
            let numbers = bytes.chunks_exact(size_of::<f64>());
            let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().unwrap_or_default());
            Ok(T::get(&numbers.map(number).collect::<Vec<_>>()))
        }))
    }
}

fn put(value: Option<f64>) -> f64 {
    value.unwrap_or(f64::NAN)
}

fn get(number: f64) -> Option<f64> {
    (!number.is_nan()).then_some(number)
}

impl Record for RoundRow {
    const LENGTH: usize = 16;

    fn put(&self, out: &mut Vec<f64>) {
        let counts = [self.rounds, self.runnable, self.queued, self.scheduled, self.skipped, self.reverted];
        out.push(self.time_s);
        out.extend(counts.map(|count| count as f64));
        out.extend([self.gpus_allocated, self.throughput, self.value]);
        out.extend(
            [
                self.cpus_allocated,
                self.cpus_used,
                self.memory_gb_allocated,
                self.memory_gb_used,
                self.bound,
                self.gap,
            ]
            .map(put),
        );
    }

    fn get(numbers: &[f64]) -> Self {
        let count = |index: usize| numbers[index] as u64;
        RoundRow {
            time_s: numbers[0],
            rounds: count(1),
            runnable: count(2),
            queued: count(3),
            scheduled: count(4),
            skipped: count(5),
            reverted: count(6),
            gpus_allocated: numbers[7],
            throughput: numbers[8],
            value: numbers[9],
            cpus_allocated: get(numbers[10]),
            cpus_used: get(numbers[11]),
            memory_gb_allocated: get(numbers[12]),
            memory_gb_used: get(numbers[13]),
            bound: get(numbers[14]),
            gap: get(numbers[15]),
        }
    }
}

impl Record for JobRow {
    const LENGTH: usize = 26;

    fn put(&self, out: &mut Vec<f64>) {
        out.extend([self.job_id as f64, self.index as f64, self.class as f64, f64::from(self.gpus)]);
        out.extend([self.work_s, self.arrival_s, self.waited_s, self.longest_wait_s, self.gpu_seconds]);
        out.extend([self.gross_s, self.overshoot_s, self.lost_s, f64::from(self.most_servers)]);
        out.extend(
            [self.rounds_run, self.preemptions, self.moves, self.rounds_reverted, self.rounds_skipped]
                .map(|count| count as f64),
        );
        out.extend([self.measured, self.beyond].map(f64::from));
        out.extend(
            [
                self.first_start_s,
                self.completion_s,
                self.jct_s,
                self.queueing_delay_s,
                self.mean_throughput,
                self.rho,
            ]
            .map(put),
        );
    }

    fn get(numbers: &[f64]) -> Self {
        let count = |index: usize| numbers[index] as u64;
        JobRow {
            job_id: numbers[0] as i64,
            index: count(1) as usize,
            class: count(2) as usize,
            gpus: count(3) as u32,
            work_s: numbers[4],
            arrival_s: numbers[5],
            waited_s: numbers[6],
            longest_wait_s: numbers[7],
            gpu_seconds: numbers[8],
            gross_s: numbers[9],
            overshoot_s: numbers[10],
            lost_s: numbers[11],
            most_servers: count(12) as u32,
            rounds_run: count(13),
            preemptions: count(14),
            moves: count(15),
            rounds_reverted: count(16),
            rounds_skipped: count(17),
            measured: numbers[18] != 0.0,
            beyond: numbers[19] != 0.0,
            first_start_s: get(numbers[20]),
            completion_s: get(numbers[21]),
            jct_s: get(numbers[22]),
            queueing_delay_s: get(numbers[23]),
            mean_throughput: get(numbers[24]),
            rho: get(numbers[25]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_went_in() {
        let numbers: Vec<f64> =
            (0..JobRow::LENGTH).map(|n| if n == 22 { f64::NAN } else { n as f64 }).collect();
        let job = JobRow { measured: true, beyond: false, ..JobRow::get(&numbers) };
        let round = RoundRow::get(&numbers[..RoundRow::LENGTH]);
        let directory = tempfile::tempdir().unwrap();
        let (mut jobs, mut rounds) =
            (Spool::new(directory.path()).unwrap(), Spool::new(directory.path()).unwrap());
        for _ in 0..3 {
            jobs.push(&job).unwrap();
            rounds.push(&round).unwrap();
        }
        assert_eq!(jobs.read().unwrap().map(Result::unwrap).collect::<Vec<_>>(), vec![job; 3]);
        assert_eq!(rounds.read().unwrap().map(Result::unwrap).collect::<Vec<_>>(), vec![round; 3]);
    }
}
