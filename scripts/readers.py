"""Opens the tables of a results directory with polars, DuckDB and pandas, and compares what they see.

    python scripts/readers.py DIR

Fails when a reader cannot open a table, or when two disagree about rows, columns, nulls or sums.
"""

import math
import pathlib
import sys

import duckdb
import pandas
import polars
import pyarrow.parquet

TABLES = ["instances", "bounds", "placements", "mechanisms", "gaps", "timings"]


def describe_polars(path):
    frame = polars.read_parquet(path)
    numbers = {}
    for name in frame.columns:
        column = frame[name]
        total = column.cast(polars.Float64).sum() if column.dtype.is_numeric() or column.dtype == polars.Boolean else None
        numbers[name] = (column.null_count(), total)
    return frame.height, frame.columns, numbers


def describe_pandas(path):
    frame = pandas.read_parquet(path, dtype_backend="numpy_nullable")
    numbers = {}
    for name in frame.columns:
        column = frame[name]
        is_number = pandas.api.types.is_numeric_dtype(column) or pandas.api.types.is_bool_dtype(column)
        numbers[name] = (int(column.isna().sum()), float(column.sum()) if is_number else None)
    return len(frame), list(frame.columns), numbers


def rows_of(query):
    with duckdb.connect() as connection:
        return connection.execute(query).fetchall()


def describe_duckdb(path):
    columns = [(name, kind) for name, kind, *_ in rows_of(f"describe select * from read_parquet('{path}')")]
    numbers = {}
    for name, kind in columns:
        is_number = kind in ("BIGINT", "DOUBLE", "BOOLEAN")
        total = f'coalesce(sum("{name}"::double), 0)' if is_number else "null"
        query = f"select count(*) - count(\"{name}\"), {total} from read_parquet('{path}')"
        numbers[name] = rows_of(query)[0]
    count = rows_of(f"select count(*) from read_parquet('{path}')")[0][0]
    return count, [name for name, _ in columns], numbers


def agree(a, b):
    return a == b or (a is not None and b is not None and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9))


def main(directory):
    faults = 0
    for table in TABLES:
        path = pathlib.Path(directory) / f"{table}.parquet"
        rows, columns, numbers = describe_polars(path)
        for reader, describe in (("pandas", describe_pandas), ("duckdb", describe_duckdb)):
            other_rows, other_columns, other_numbers = describe(path)
            same = rows == other_rows and list(columns) == list(other_columns)
            same = same and all(
                numbers[name][0] == other_numbers[name][0] and agree(numbers[name][1], other_numbers[name][1])
                for name in columns
            )
            if not same:
                faults += 1
                print(f"{path}: polars and {reader} disagree", file=sys.stderr)
        footer = pyarrow.parquet.read_metadata(path).metadata
        version = (footer.get(b"synergy.schema") or b"").decode()
        if not version.startswith("synergy-tables/"):
            faults += 1
            print(f"{path}: no schema version in the footer", file=sys.stderr)
        print(f"{table}: {rows} rows, {len(columns)} columns, {version}")
    # A question across tables, as a user would ask it.
    best = rows_of(
        f"""select i.demand, m.mechanism, avg(g.gap) as gap
            from read_parquet('{directory}/gaps.parquet') g
            join read_parquet('{directory}/instances.parquet') i using (unit)
            join read_parquet('{directory}/mechanisms.parquet') m using (unit, mechanism)
            where g.bound = 'lp' group by all order by all"""
    )
    print(f"mean gaps to lp by demand and mechanism: {len(best)} rows")
    print("readers agree" if faults == 0 else f"{faults} disagreements")
    return 1 if faults or not best else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
