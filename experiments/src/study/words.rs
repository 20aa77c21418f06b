//! serde's messages in a reader's words, with the name of what is wrong.

use crate::error::suggestion;
use toml::{Table, Value};

/// One line of a library's message.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The entry of `table` that `parse` refuses when it stands alone, and why.
pub(super) fn culprit(
    table: &Table,
    parse: impl Fn(Table) -> Result<(), String>,
) -> Option<(&str, &Value, String)> {
    table.iter().find_map(|(key, value)| {
        let alone = [(key.clone(), value.clone())].into_iter().collect();
        parse(alone).err().map(|reason| (key.as_str(), value, reason))
    })
}

/// What is wrong with the value of `name`, from what serde says of it; other messages as they are.
pub(super) fn plainly(name: &str, value: &Value, reason: &str) -> String {
    if let Some((_, expected)) = reason.strip_prefix("invalid ").and_then(|r| r.rsplit_once("expected ")) {
        let wanted = match expected.trim_start_matches("a ").trim_start_matches("an ") {
            "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more",
            "i32" | "i64" => "a whole number",
            "f32" | "f64" => "a number",
            "boolean" => "true or false",
            "string" | "path string" => "text in quotes",
            "sequence" => "a list",
            other => return format!("{name} is {value}; give {other}"),
        };
        return format!("{name} is {value}; give {wanted}");
    }
    let mut names = reason.split('`').skip(1).step_by(2);
    match (reason.starts_with("unknown variant"), names.next()) {
        (true, Some(variant)) => format!("{name} is {variant:?}{}", suggestion(variant, names)),
        _ => reason.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_variants_are_said_in_words() {
        let value = Value::String("many".into());
        assert_eq!(
            plainly("gpus", &value, "invalid type: string \"many\", expected f64"),
            "gpus is \"many\"; give a number"
        );
        assert_eq!(
            plainly("demand", &value, "unknown variant `mutli`, expected one of `single`, `multi`"),
            "demand is \"mutli\"; did you mean \"multi\"?"
        );
        assert_eq!(plainly("x", &value, "missing field `y`"), "missing field `y`");
    }
}
