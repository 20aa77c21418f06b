"""Runs the notebooks and the SQL files of `notebooks-data/` from the root of the repository.

    python scripts/notebooks.py [--write]

A cell or query that fails, an assertion in a cell, or a query without rows is an error. With `--write` the
notebooks are saved with what they printed and drew.
"""

import pathlib
import sys

import duckdb
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError


def run_notebook(path, write):
    notebook = nbformat.read(path, as_version=4)
    try:
        # The kernel talks to this process alone: its warning about the open channel says nothing.
        quiet = ["--IPKernelApp.log_level=40"]
        NotebookClient(notebook, timeout=120, kernel_name="python3", record_timing=False, extra_arguments=quiet).execute()
    except CellExecutionError as error:
        print(f"{path}: {error}", file=sys.stderr)
        return False
    if write:
        # What a run leaves besides its results.
        notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"], "language_info": {"name": "python"}}
        nbformat.write(notebook, path)
    print(f"{path}: {sum(cell.cell_type == 'code' for cell in notebook.cells)} cells")
    return True


def run_query(path):
    try:
        with duckdb.connect() as connection:
            rows = connection.execute(path.read_text()).fetchall()
    except duckdb.Error as error:
        print(f"{path}: {error}", file=sys.stderr)
        return False
    print(f"{path}: {len(rows)} rows")
    return bool(rows)


def main(write=None):
    notebooks = sorted(pathlib.Path("notebooks-data").glob("*.ipynb"))
    queries = sorted(pathlib.Path("notebooks-data/sql").glob("*.sql"))
    fine = [run_notebook(path, write == "--write") for path in notebooks] + [run_query(path) for path in queries]
    print("notebooks agree" if fine and all(fine) else f"{fine.count(False)} of {len(fine)} notebooks and queries fail")
    return 0 if fine and all(fine) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
