//! Lines to fields, and fields to values.

use super::report::Reason;

/// Splits a line at `delimiter`. A field in double quotes may hold the delimiter and doubled quotes.
/// Reuses the strings of `fields`; returns how many there are.
///
/// # Errors
/// A quote without end.
pub fn split(line: &str, delimiter: char, fields: &mut Vec<String>) -> Result<usize, Reason> {
    let mut count = 0;
    let mut rest = line;
    loop {
        if fields.len() == count {
            fields.push(String::new());
        }
        let field = &mut fields[count];
        field.clear();
        count += 1;
        if let Some(mut quoted) = rest.strip_prefix('"') {
            loop {
                let Some(end) = quoted.find('"') else {
                    return Err(Reason::new("line", "has a quote without end"));
                };
                field.push_str(&quoted[..end]);
                quoted = &quoted[end + 1..];
                match quoted.strip_prefix('"') {
                    Some(after) => {
                        field.push('"');
                        quoted = after;
                    }
                    None => break,
                }
            }
            rest = quoted;
        }
        match rest.find(delimiter) {
            Some(end) => {
                field.push_str(&rest[..end]);
                rest = &rest[end + delimiter.len_utf8()..];
            }
            None => {
                field.push_str(rest);
                return Ok(count);
            }
        }
    }
}

/// A column that an importer reads.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Name in the header.
    pub name: &'static str,
    /// Whether the file is none of its format without it.
    pub required: bool,
}

/// A column that must be there.
pub const fn required(name: &'static str) -> Column {
    Column { name, required: true }
}

/// A column that may be missing.
pub const fn optional(name: &'static str) -> Column {
    Column { name, required: false }
}

/// Where each column stands.
#[derive(Debug, Clone)]
pub struct Layout {
    columns: &'static [Column],
    positions: Vec<Option<usize>>,
    /// Least number of fields of a row.
    width: usize,
}

impl Layout {
    /// From the fields of a header line; names are compared without case and surrounding blanks.
    ///
    /// # Errors
    /// Names of the required columns that are missing.
    pub fn from_header(columns: &'static [Column], header: &[String]) -> Result<Self, Vec<&'static str>> {
        let position =
            |column: &Column| header.iter().position(|h| h.trim().eq_ignore_ascii_case(column.name));
        let positions: Vec<Option<usize>> = columns.iter().map(position).collect();
        let missing: Vec<&str> = (columns.iter().zip(&positions))
            .filter(|(column, position)| column.required && position.is_none())
            .map(|(column, _)| column.name)
            .collect();
        if !missing.is_empty() {
            return Err(missing);
        }
        Ok(Layout { columns, width: header.len(), positions })
    }

    /// Columns in the order of the fields, for files without a header.
    pub fn in_order(columns: &'static [Column]) -> Self {
        let width = columns.iter().filter(|column| column.required).count();
        Layout { columns, positions: (0..columns.len()).map(Some).collect(), width }
    }

    /// A row under this layout.
    ///
    /// # Errors
    /// Fewer fields than the header has.
    pub fn record<'a>(&'a self, fields: &'a [String]) -> Result<Record<'a>, Reason> {
        if fields.len() < self.width {
            return Err(Reason::new("line", "has too few columns"));
        }
        Ok(Record { layout: self, fields })
    }
}

/// One row.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    layout: &'a Layout,
    fields: &'a [String],
}

impl<'a> Record<'a> {
    /// The text of a column; `None` when the column is absent or the field empty, `None`, `null` or `-`.
    pub fn text(&self, name: &'static str) -> Option<&'a str> {
        let index = self.layout.columns.iter().position(|column| column.name == name)?;
        let field = self.fields.get(self.layout.positions[index]?)?.trim();
        let absent = field.is_empty()
            || field == "-"
            || ["none", "null", "nan"].iter().any(|n| field.eq_ignore_ascii_case(n));
        (!absent).then_some(field)
    }

    /// A text that must be there.
    ///
    /// # Errors
    /// It is missing.
    pub fn required_text(&self, name: &'static str) -> Result<&'a str, Reason> {
        self.text(name).ok_or(Reason::new(name, "is missing"))
    }

    /// A finite number, where there is one.
    ///
    /// # Errors
    /// Text that is no finite number.
    pub fn number(&self, name: &'static str) -> Result<Option<f64>, Reason> {
        self.text(name).map(|text| number(name, text)).transpose()
    }

    /// A finite number that must be there.
    ///
    /// # Errors
    /// It is missing or no finite number.
    pub fn required_number(&self, name: &'static str) -> Result<f64, Reason> {
        number(name, self.required_text(name)?)
    }

    /// A finite number, 0 or above, where there is one.
    ///
    /// # Errors
    /// Text that is no finite number, or one below 0.
    pub fn not_negative(&self, name: &'static str) -> Result<Option<f64>, Reason> {
        match self.number(name)? {
            Some(value) if value < 0.0 => Err(Reason::new(name, "is negative")),
            value => Ok(value),
        }
    }

    /// A GPU demand: a whole number above 0.
    ///
    /// # Errors
    /// Missing, 0, negative, no whole number, or more than [`MOST_GPUS`].
    pub fn gpus(&self, name: &'static str) -> Result<u32, Reason> {
        gpus(name, self.required_number(name)?)
    }

    /// A moment in seconds, see [`moment_s`]; `None` when it is missing.
    ///
    /// # Errors
    /// Text that is neither a date nor a number.
    pub fn moment_s(&self, name: &'static str) -> Result<Option<f64>, Reason> {
        self.text(name).map(|text| moment_s(name, text)).transpose()
    }
}

/// Largest GPU demand that is taken for one.
pub const MOST_GPUS: u32 = 1 << 20;

/// Largest amount that is taken for one: sums and differences of such numbers stay finite, and whole ones
/// exact.
pub const LARGEST: f64 = 1e15;

/// A finite number.
///
/// # Errors
/// Text that is none, or a number beyond [`LARGEST`].
pub fn number(name: &'static str, text: &str) -> Result<f64, Reason> {
    match text.trim().parse::<f64>() {
        Ok(value) if value.abs() <= LARGEST => Ok(value),
        Ok(value) if value.is_finite() => Err(Reason::new(name, "is larger than any amount is")),
        _ => Err(Reason::new(name, "is no finite number")),
    }
}

/// A GPU demand from a number.
///
/// # Errors
/// 0, negative, no whole number, or more than [`MOST_GPUS`].
pub fn gpus(name: &'static str, value: f64) -> Result<u32, Reason> {
    if value < 0.0 {
        Err(Reason::new(name, "is negative"))
    } else if value == 0.0 {
        Err(Reason::new(name, "asks for no GPU"))
    } else if value.fract() != 0.0 {
        Err(Reason::new(name, "asks for a fraction of a GPU"))
    } else if value > f64::from(MOST_GPUS) {
        Err(Reason::new(name, "asks for more GPUs than any cluster has"))
    } else {
        Ok(value as u32)
    }
}

/// Seconds of a moment: a number as it is, a date `YYYY-MM-DD HH:MM:SS` (also with `T`, `/`, a
/// fraction, a final `Z`) as seconds since 1970, read as UTC.
///
/// # Errors
/// Text that is neither.
pub fn moment_s(name: &'static str, text: &str) -> Result<f64, Reason> {
    parse_moment_s(text).ok_or(Reason::new(name, "is no date and no number"))
}

/// `moment_s` for a text that has no column.
pub fn parse_moment_s(text: &str) -> Option<f64> {
    match text.parse::<f64>() {
        Ok(value) => Some(value).filter(|value| value.abs() <= LARGEST),
        Err(_) => date_s(text),
    }
}

fn date_s(text: &str) -> Option<f64> {
    let text = text.trim_end_matches('Z');
    let (date, time) = text.split_once([' ', 'T']).unwrap_or((text, "0:0:0"));
    let mut date = date.split(['-', '/']).map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let mut time = time.splitn(3, ':');
    let (hour, minute) = (time.next()?.parse::<u32>().ok()?, time.next()?.parse::<u32>().ok()?);
    let second = time.next().unwrap_or("0").parse::<f64>().ok()?;
    let sound = (0..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && (0.0..61.0).contains(&second)
        && date.next().is_none();
    // Days since 1970 by the civil calendar, counting years from March.
    sound.then(|| {
        let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let days =
            365 * y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400) + (153 * m + 2) / 5 + day - 1;
        ((days - 719_468) * 86_400 + i64::from(hour * 3600 + minute * 60)) as f64 + second
    })
}

/// The date of seconds since 1970, as `YYYY-MM-DD HH:MM:SS`.
pub fn date(seconds: f64) -> String {
    let whole = seconds.floor().clamp(-6.0e10, 2.5e11) as i64;
    let (days, in_day) = (whole.div_euclid(86_400) + 719_468, whole.rem_euclid(86_400));
    let era = days.div_euclid(146_097);
    let in_era = days.rem_euclid(146_097);
    let year_of_era = (in_era - in_era / 1460 + in_era / 36_524 - in_era / 146_096) / 365;
    let in_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let m = (5 * in_year + 2) / 153;
    let (day, month) = (in_year - (153 * m + 2) / 5 + 1, if m < 10 { m + 3 } else { m - 9 });
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", in_day / 3600, in_day / 60 % 60, in_day % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(line: &str) -> Result<Vec<String>, Reason> {
        let mut fields = Vec::new();
        let count = split(line, ',', &mut fields)?;
        fields.truncate(count);
        Ok(fields)
    }

    #[test]
    fn quoted_fields_may_hold_commas_and_quotes() {
        assert_eq!(fields("a,\"b,c\",\"d\"\"e\",").unwrap(), ["a", "b,c", "d\"e", ""]);
        assert_eq!(fields("").unwrap(), [""]);
        assert_eq!(fields("\"a\"b,c").unwrap(), ["ab", "c"]);
        assert!(fields("a,\"b").is_err());
    }

    #[test]
    fn dates_are_seconds_since_1970_and_back() {
        // Values of `date -u -d ... +%s`.
        for (text, seconds) in [
            ("1970-01-01 00:00:00", 0.0),
            ("2017-10-09 07:01:55", 1_507_532_515.0),
            ("2000-02-29 23:59:59", 951_868_799.0),
            ("2024-03-01 00:00:00", 1_709_251_200.0),
            ("1969-12-31 23:59:59", -1.0),
        ] {
            assert_eq!(date_s(text), Some(seconds), "{text}");
            assert_eq!(date(seconds), text);
        }
        assert_eq!(date_s("2017/10/09T07:01:55.5Z"), Some(1_507_532_515.5));
        for text in
            ["2017-13-01 00:00:00", "2017-10-09 25:00:00", "yesterday", "2017-10", "1-1-1-1 0:0:0", ""]
        {
            assert_eq!(date_s(text), None, "{text}");
        }
    }

    #[test]
    fn demands_are_whole_numbers_above_0() {
        assert_eq!(gpus("g", 8.0), Ok(8));
        for (value, said) in [(0.0, "no GPU"), (0.5, "fraction"), (-1.0, "negative"), (1e12, "more GPUs")] {
            assert!(gpus("g", value).unwrap_err().to_string().contains(said), "{value}");
        }
    }
}
