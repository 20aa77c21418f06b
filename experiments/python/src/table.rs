//! Tables in Arrow's memory format.

use crate::errors::{SynergyError, invalid};
use polars::prelude::{
    ArrowDataType, ArrowField, CompatLevel, DataFrame, ParquetReader, SchemaExt, SerReader,
};
use polars_arrow::array::{Array, StructArray};
use polars_arrow::ffi::export_iterator;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::fs::File;
use std::path::Path;

/// A table. Any reader of Arrow's PyCapsule interface takes it: `polars.DataFrame(table)`, `pyarrow.table(table)`.
#[pyclass(frozen, module = "synergy_lab")]
pub struct Table {
    data: DataFrame,
}

impl Table {
    /// The Parquet file at `path`.
    pub fn read(path: &Path) -> PyResult<Self> {
        let named = |error: &dyn std::fmt::Display| invalid(format!("{}: {error}", path.display()));
        let file = File::open(path).map_err(|error| named(&error))?;
        let mut data = ParquetReader::new(file).finish().map_err(|error| named(&error))?;
        data.rechunk_mut();
        Ok(Table { data })
    }
}

/// A table that a command wrote, such as results/quick/mechanisms.parquet.
#[pyfunction]
pub fn read_table(py: Python<'_>, path: &str) -> PyResult<Table> {
    py.detach(|| Table::read(Path::new(path)))
}

#[pymethods]
impl Table {
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.data.get_column_names().into_iter().map(ToString::to_string).collect()
    }

    fn __len__(&self) -> usize {
        self.data.height()
    }

    fn __repr__(&self) -> String {
        format!("<Table: {} rows, {} columns>", self.data.height(), self.data.width())
    }

    /// Arrow's PyCapsule interface. Numbers and flags are handed over where they lie; text is copied once, into
    /// the layout that every reader knows. The schema that a reader asks for is not looked at, as the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let level = CompatLevel::oldest();
        let fields: Vec<ArrowField> =
            self.data.schema().iter_fields().map(|field| field.to_arrow(level)).collect();
        let struct_type = ArrowDataType::Struct(fields);
        let batches: Vec<_> = self
            .data
            .iter_chunks(level, false)
            .map(|batch| {
                let length = batch.len();
                let arrays = batch.into_arrays();
                StructArray::try_new(struct_type.clone(), length, arrays, None)
                    .map(|array| Box::new(array) as Box<dyn Array>)
            })
            .collect();
        if let Some(Err(error)) = batches.iter().find(|batch| batch.is_err()) {
            return Err(SynergyError::new_err(error.to_string()));
        }
        let field = ArrowField::new("".into(), struct_type, false);
        let stream = export_iterator(Box::new(batches.into_iter()), field);
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}
