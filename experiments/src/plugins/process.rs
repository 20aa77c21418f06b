//! A child process that is asked line by line, with a time limit and its stderr kept.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Lines of stderr that are kept for messages.
const STDERR_LINES: usize = 20;

/// Longest answer, in bytes: a plug-in gone wild must not fill the memory.
const LONGEST_ANSWER: u64 = 1 << 30;

/// How long a child that closed its output may take to end, before it is killed.
const GRACE: Duration = Duration::from_millis(200);

pub(super) struct Process {
    child: Child,
    /// Lines for the child go through a thread, so that one who does not read cannot stop us.
    requests: Option<Sender<Vec<String>>>,
    answers: Receiver<std::io::Result<String>>,
    stderr: Arc<Mutex<VecDeque<String>>>,
}

impl Process {
    /// Starts the program of these words.
    pub fn start(command: &[String]) -> Result<Self, String> {
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| match error.kind() {
                ErrorKind::NotFound => {
                    format!("{}: no such program; give its path, such as ./{0}", command[0])
                }
                ErrorKind::PermissionDenied => format!("{}: cannot be executed; chmod +x it", command[0]),
                _ => format!("{}: cannot be started: {error}", command[0]),
            })?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("its pipes are missing".into());
        };
        let (requests, incoming) = channel();
        thread::spawn(move || write_lines(stdin, &incoming));
        let (outgoing, answers) = channel();
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            loop {
                let mut line = String::new();
                let read = (&mut stdout).take(LONGEST_ANSWER).read_line(&mut line);
                let is_last = !matches!(read, Ok(n) if n > 0);
                if outgoing.send(read.map(|_| line)).is_err() || is_last {
                    return;
                }
            }
        });
        let kept = Arc::new(Mutex::new(VecDeque::new()));
        let lines = Arc::clone(&kept);
        thread::spawn(move || {
            for line in BufReader::new(stderr).split(b'\n').map_while(Result::ok) {
                let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                if lines.len() == STDERR_LINES {
                    lines.pop_front();
                }
                lines.push_back(String::from_utf8_lossy(&line).trim_end().to_owned());
            }
        });
        Ok(Process { child, requests: Some(requests), answers, stderr: kept })
    }

    /// Sends these lines and waits for one line of answer.
    pub fn ask(&mut self, lines: &[String], timeout: Duration) -> Result<String, String> {
        if let Some(requests) = &self.requests {
            // A failed send means that the child is gone; the answer will say so.
            let _ = requests.send(lines.to_vec());
        }
        match self.answers.recv_timeout(timeout) {
            Ok(Ok(line)) if line.ends_with('\n') => Ok(line),
            Ok(Ok(line)) if line.is_empty() => {
                let end = self.ended();
                Err(self.explain(&end))
            }
            Ok(Ok(_)) => Err(self.explain("its answer ends without a newline")),
            Ok(Err(error)) => Err(self.explain(&format!("its answer cannot be read: {error}"))),
            Err(RecvTimeoutError::Timeout) => {
                Err(self.explain(&format!("no answer within {} s", timeout.as_secs_f64())))
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.explain("it has ended")),
        }
    }

    /// `reason`, and what the child last said on stderr.
    pub fn explain(&self, reason: &str) -> String {
        // What the child wrote before it fell silent may still be on its way here.
        thread::sleep(Duration::from_millis(20));
        let lines = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.is_empty() {
            return reason.to_owned();
        }
        let said: Vec<&str> = lines.iter().map(String::as_str).filter(|line| !line.is_empty()).collect();
        format!("{reason}; stderr: {}", said.join(" | "))
    }

    /// How a child whose output is closed came to its end.
    fn ended(&mut self) -> String {
        let step = Duration::from_millis(5);
        for _ in 0..GRACE.as_millis() / step.as_millis() {
            match self.child.try_wait() {
                Ok(Some(status)) => return describe(status),
                Ok(None) => thread::sleep(step),
                Err(_) => break,
            }
        }
        "it closed its output".into()
    }
}

fn describe(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("it ended with exit code {code}"),
        None => format!("it was ended by a {status}"),
    }
}

fn write_lines(mut stdin: ChildStdin, incoming: &Receiver<Vec<String>>) {
    for lines in incoming {
        if stdin.write_all(lines.concat().as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

impl Drop for Process {
    /// Closes the child's input, which asks it to end, and ends it if it does not.
    fn drop(&mut self) {
        self.requests = None;
        let step = Duration::from_millis(5);
        for _ in 0..GRACE.as_millis() / step.as_millis() {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(step);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
