//! A child process that is asked line by line, with a time limit and its stderr kept.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Lines of stderr that are kept for messages.
const STDERR_LINES: usize = 20;

/// Longest answer, in bytes: a plug-in gone wild must not fill the memory.
const LONGEST_ANSWER: usize = 1 << 30;

/// Bytes read at a time: an answer for some hundred jobs.
const BUFFER: usize = 1 << 16;

/// How long a child that closed its output may take to end, before it is killed.
const GRACE: Duration = Duration::from_millis(200);

/// The child's standard input and output are sockets rather than pipes, because sockets have time
/// limits: asking needs no thread beside the caller's, and a round costs two changes of process.
pub(super) struct Process {
    child: Child,
    requests: Option<UnixStream>,
    answers: BufReader<UnixStream>,
    stderr: Arc<Mutex<VecDeque<String>>>,
}

impl Process {
    /// Starts the program of these words.
    pub fn start(command: &[String]) -> Result<Self, String> {
        let (requests, stdin) = pair()?;
        let (answers, stdout) = pair()?;
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .stdin(Stdio::from(OwnedFd::from(stdin)))
            .stdout(Stdio::from(OwnedFd::from(stdout)))
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| match error.kind() {
                // The system says the same where the program is there and what its first line names is not.
                ErrorKind::NotFound if Path::new(&command[0]).exists() => {
                    format!("{}: the interpreter in its first line does not exist", command[0])
                }
                ErrorKind::NotFound if command[0].contains('/') => {
                    format!("{}: no such program; check the path", command[0])
                }
                ErrorKind::NotFound => {
                    format!("{}: no such program; give its path, such as ./{0}", command[0])
                }
                ErrorKind::PermissionDenied => format!("{}: cannot be executed; chmod +x it", command[0]),
                _ => format!("{}: cannot be started: {error}", command[0]),
            })?;
        let Some(stderr) = child.stderr.take() else { return Err("its stderr is missing".into()) };
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
        let answers = BufReader::with_capacity(BUFFER, answers);
        Ok(Process { child, requests: Some(requests), answers, stderr: kept })
    }

    /// Sends `message`, whole lines, and waits for one line of answer. What the child writes before it has
    /// read the message stays in the socket's buffer.
    pub fn ask(&mut self, message: &str, timeout: Duration) -> Result<Vec<u8>, String> {
        let deadline = Instant::now() + timeout;
        let late = |how: &str| format!("{how} within {} s", timeout.as_secs_f64());
        match self.send(message.as_bytes(), deadline) {
            Err(error) if is_late(&error) => return Err(self.explain(&late("it did not read its input"))),
            // The child is gone; the missing answer will say how.
            _ => (),
        }
        let mut line = Vec::new();
        match self.receive(&mut line, deadline) {
            Ok(()) if line.ends_with(b"\n") => Ok(line),
            Ok(()) if line.is_empty() => {
                let end = self.ended();
                Err(self.explain(&end))
            }
            Ok(()) if line.len() > LONGEST_ANSWER => Err(self.explain("its answer is longer than 1 GiB")),
            Ok(()) => Err(self.explain("its answer ends without a newline")),
            Err(error) if is_late(&error) => Err(self.explain(&late("no answer"))),
            Err(error) => Err(self.explain(&format!("its answer cannot be read: {error}"))),
        }
    }

    fn send(&mut self, mut message: &[u8], deadline: Instant) -> std::io::Result<()> {
        let Some(requests) = &mut self.requests else { return Ok(()) };
        while !message.is_empty() {
            requests.set_write_timeout(Some(left_until(deadline)?))?;
            match requests.write(message) {
                Ok(sent) => message = &message[sent..],
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads until the end of a line, the end of the stream, or more than [`LONGEST_ANSWER`].
    fn receive(&mut self, line: &mut Vec<u8>, deadline: Instant) -> std::io::Result<()> {
        while line.len() <= LONGEST_ANSWER {
            self.answers.get_ref().set_read_timeout(Some(left_until(deadline)?))?;
            let bytes = match self.answers.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let taken = end.map_or(bytes.len(), |at| at + 1);
            line.extend_from_slice(&bytes[..taken]);
            self.answers.consume(taken);
            if end.is_some() || taken == 0 {
                break;
            }
        }
        Ok(())
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

fn pair() -> Result<(UnixStream, UnixStream), String> {
    UnixStream::pair().map_err(|error| format!("no sockets for its input and output: {error}"))
}

/// Time left; an error of kind `TimedOut` when there is none.
fn left_until(deadline: Instant) -> std::io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// Systems say either when a socket's time is up.
fn is_late(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock)
}

fn describe(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("it ended with exit code {code}"),
        None => format!("it was ended by a {status}"),
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
