//! What a plug-in's name says: the program, its arguments, its parameters.

use super::{PREFIX, TIMEOUT_S};
use std::path::Path;
use std::time::Duration;
use synergy_solver::mechanisms::MechanismError;

/// A plug-in's name taken apart; nothing is started yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    /// The name with its prefix, as messages and tables have it.
    pub label: String,
    /// Program and arguments.
    pub words: Vec<String>,
    /// What the plug-in gets in `hello`.
    pub parameters: Vec<(String, String)>,
    /// Time for one answer.
    pub timeout: Duration,
}

impl Command {
    /// From the text behind [`PREFIX`].
    ///
    /// # Errors
    /// No program, parameters that are no `name=value`, a time limit that is none.
    pub fn parse(text: &str) -> Result<Self, MechanismError> {
        let label = format!("{PREFIX}{}", text.trim());
        let failed = |reason: String| MechanismError::Failed { mechanism: label.clone(), reason };
        let (line, inside) = match text.trim().strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
            Some((line, inside)) => (line, inside),
            None => (text, ""),
        };
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            return Err(failed("no command after exec:; give the path of a program".into()));
        }
        let mut timeout_s = TIMEOUT_S;
        let mut parameters = Vec::new();
        for pair in inside.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let Some((name, value)) = pair.split_once('=') else {
                return Err(failed(format!("{pair:?}: write parameter=value in the brackets")));
            };
            let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
            if name == "timeout_s" {
                timeout_s =
                    value.parse().ok().filter(|s| (0.001..=86_400.0).contains(s)).ok_or_else(|| {
                        failed(format!("timeout_s is {value:?}; give seconds, from 0.001 to 86400"))
                    })?;
            } else {
                parameters.push((name, value));
            }
        }
        Ok(Command { label, words, parameters, timeout: Duration::from_secs_f64(timeout_s) })
    }

    /// Hash of every file that the command names: of its code, as far as one can see from outside.
    /// Programs that are found by a search path are not in it. `None` when no word is a readable file.
    pub fn fingerprint(&self) -> Option<String> {
        let mut hasher = blake3::Hasher::new();
        let searched = |index: usize, word: &str| index == 0 && !word.contains(std::path::MAIN_SEPARATOR);
        let named = self.words.iter().enumerate().filter(|(index, word)| !searched(*index, word));
        let files: Vec<Vec<u8>> = named
            .filter(|(_, word)| Path::new(word).is_file())
            .filter_map(|(_, word)| std::fs::read(word).ok())
            .collect();
        for file in &files {
            hasher.update(&(file.len() as u64).to_le_bytes()).update(file);
        }
        (!files.is_empty()).then(|| hasher.finalize().to_hex()[..16].to_string())
    }
}
