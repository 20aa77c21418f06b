//! `synergy worst`: the hardest instances of a study, and their instance files.

use super::Context;
use crate::error::{CliError, ExitCode, InputError};
use crate::files::{Format, instance, print, write_file};
use crate::statistics::simulations::are_simulations;
use crate::statistics::summary::Results;
use crate::study::{Inputs, UnitSpec};
use crate::text_table::TextTable;
use std::path::PathBuf;

/// List the instances of a study with the largest gaps, and export them as instance files
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Results directory of a study
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Mechanism whose gap counts
    #[arg(long, default_value = "tune")]
    mechanism: String,
    /// Bound that the gap is measured against; `best` is the least that holds for the allocation
    #[arg(long, default_value = "best")]
    bound: String,
    /// How many instances
    #[arg(long, default_value_t = 10, value_name = "N")]
    top: usize,
    /// Only this unit, whatever its gap
    #[arg(long, value_name = "ID")]
    unit: Option<String>,
    /// Columns to show: parameters of the instances
    #[arg(
        long,
        value_name = "AXIS",
        value_delimiter = ',',
        default_value = "gpus,cpus_per_gpu,split,demand,replicate"
    )]
    show: Vec<String>,
    /// Write each listed instance to DIR/<unit>.json
    #[arg(long, value_name = "DIR")]
    export: Option<PathBuf>,
}

/// Lists and exports.
pub fn run(args: &Args, context: &Context) -> Result<ExitCode, CliError> {
    let input = |message: String| CliError::Input(InputError::whole(args.directory.display(), message));
    super::study::is_results(&args.directory)?;
    if are_simulations(&args.directory) {
        return Err(input(
            "holds simulations and no instances with gaps; `synergy summarise` compares them".into(),
        ));
    }
    let results = Results::read(&args.directory)?;
    let mut chosen: Vec<(usize, Option<f64>)> = Vec::new();
    if let Some(id) = &args.unit {
        let known = results.units().ids.iter().position(|unit| unit == id);
        let unit = known.ok_or_else(|| {
            input(format!("has no unit {id}; `synergy worst {}` lists some", args.directory.display()))
        })?;
        let gap = match (results.mechanism(&args.mechanism), results.against(&args.bound)) {
            (Ok(mechanism), Ok(bound)) => results.gap(mechanism, bound, unit),
            _ => None,
        };
        chosen.push((unit, gap));
    } else {
        let mechanism = results.mechanism(&args.mechanism).map_err(input)?;
        let bound = results.against(&args.bound).map_err(input)?;
        chosen.extend(
            (0..results.units().ids.len())
                .map(|i| (i, results.gap(mechanism, bound, i)))
                .filter(|(_, gap)| gap.is_some()),
        );
        // Largest first; of equals the earlier in the plan.
        chosen.sort_by(|a, b| b.1.unwrap_or(0.0).total_cmp(&a.1.unwrap_or(0.0)).then(a.0.cmp(&b.0)));
        chosen.truncate(args.top);
    }
    let mut columns = Vec::new();
    for axis in &args.show {
        columns.push(results.units().axis(axis).map_err(input)?);
    }
    let headings = ["<unit", "gap %"].into_iter().map(str::to_string).chain(args.show.iter().cloned());
    let mut table = TextTable::new(headings);
    for (unit, gap) in &chosen {
        let gap = gap.map_or("-".to_string(), |gap| format!("{:.3}", 100.0 * gap));
        let mut row = vec![results.units().ids[*unit].as_str().into(), gap.into()];
        row.extend(columns.iter().map(|column| column[*unit].as_str().into()));
        table.row(row);
    }
    print(&table.render(context.colour))?;
    let Some(directory) = &args.export else { return Ok(ExitCode::Fine) };
    std::fs::create_dir_all(directory).map_err(|e| crate::error::OutputError::write(directory, e))?;
    let specs = results.units().specs()?;
    let inputs = Inputs::new(&args.directory, std::collections::BTreeMap::new());
    for (unit, _) in chosen {
        let id = &results.units().ids[unit];
        let spec: UnitSpec = serde_json::from_str(&specs[unit])
            .map_err(|e| input(format!("unit {id}: its specification cannot be read: {e}")))?;
        let instance = spec.instance(&inputs).map_err(|e| input(format!("unit {id}: {e}")))?;
        let path = directory.join(format!("{id}.json"));
        write_file(&path, instance::to_text(&instance, Format::Json)?.as_bytes())?;
        context.info(path.display());
    }
    Ok(ExitCode::Fine)
}
