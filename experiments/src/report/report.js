"use strict";
// Tables of the report: sorting, filtering and paging of the rows that the page carries.
(() => {
  const PAGE = 25;
  const OPERATORS = ["!=", "<=", ">=", "=", "<", ">"];

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "class") made.className = value;
      else made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  };

  // Six significant digits; the whole number, or a text that is cut, stands in the cell's title.
  const shown = (value) => {
    if (value === null) return "\u2013";
    if (value === true) return "yes";
    if (value === false) return "no";
    if (typeof value !== "number") return value;
    if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
    const size = Math.abs(value);
    return size >= 1e-4 && size < 1e9 ? String(Number(value.toPrecision(6))) : value.toExponential(3);
  };

  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

  // Words that must all hold: text that a cell holds, or COLUMN=VALUE, COLUMN>NUMBER and the like.
  const filterOf = (text, columns) => {
    const tests = text.trim().split(/\s+/).filter(Boolean).map((word) => {
      for (const operator of OPERATORS) {
        const at = word.indexOf(operator);
        const column = at > 0 ? columns.findIndex((c) => c.name === word.slice(0, at)) : -1;
        if (column >= 0) return condition(column, operator, word.slice(at + operator.length));
      }
      const wanted = word.toLowerCase();
      return (row) => row.some((cell) => shown(cell).toString().toLowerCase().includes(wanted));
    });
    return (row) => tests.every((test) => test(row));
  };

  const condition = (column, operator, value) => {
    const number = value === "" ? NaN : Number(value);
    const same = (cell) => shown(cell) === value || String(cell) === value || (typeof cell === "number" && cell === number);
    switch (operator) {
      case "=": return (row) => same(row[column]);
      case "!=": return (row) => !same(row[column]);
      case "<": return (row) => row[column] !== null && row[column] < number;
      case ">": return (row) => row[column] !== null && row[column] > number;
      case "<=": return (row) => row[column] !== null && row[column] <= number;
      default: return (row) => row[column] !== null && row[column] >= number;
    }
  };

  const start = (holder) => {
    const { columns, rows, total } = JSON.parse(document.getElementById(holder.dataset.table).textContent);
    const name = holder.dataset.name;
    const state = { filter: () => true, column: -1, descending: false, page: 0 };

    const search = element("input", { type: "search", autocomplete: "off", spellcheck: "false" });
    const previous = element("button", { type: "button" }, "Previous");
    const next = element("button", { type: "button" }, "Next");
    const status = element("span", { role: "status", class: "soft" });
    const body = element("tbody");
    const headings = columns.map((column, index) => {
      const button = element("button", { type: "button" }, column.unit ? `${column.name} (${column.unit})` : column.name);
      button.addEventListener("click", () => {
        // Ascending, descending, and back to the order of the file.
        if (state.column !== index) [state.column, state.descending] = [index, false];
        else if (!state.descending) state.descending = true;
        else state.column = -1;
        state.page = 0;
        show();
      });
      return element("th", { scope: "col", class: column.number ? "number" : "text" }, button);
    });
    const table = element("table", {}, element("thead", {}, element("tr", {}, ...headings)), body);
    const region = element("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": `Rows of ${name}` }, table);
    const label = element("label", {}, element("span", {}, "Filter"), search);
    const pager = [previous, status, next];
    holder.replaceChildren(element("div", { class: "controls" }, label, ...pager), region);

    search.addEventListener("input", () => {
      [state.filter, state.page] = [filterOf(search.value, columns), 0];
      show();
    });
    // Not `disabled`: a button that holds the focus would lose it.
    const turn = (button, pages) => button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled") === "true") return;
      state.page += pages;
      show();
    });
    turn(previous, -1);
    turn(next, 1);

    const show = () => {
      const found = rows.filter(state.filter);
      if (state.column >= 0) {
        const sign = state.descending ? -1 : 1;
        found.sort((a, b) => {
          const [x, y] = [a[state.column], b[state.column]];
          // Unknown values come last in both directions.
          if (x === null || y === null) return (x === null) - (y === null);
          return sign * compare(x, y);
        });
      }
      headings.forEach((heading, index) => {
        if (index === state.column) heading.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
        else heading.removeAttribute("aria-sort");
      });
      const from = state.page * PAGE;
      const page = found.slice(from, from + PAGE);
      body.replaceChildren(...page.map((row) => element("tr", {}, ...row.map((value, index) => {
        const cell = element("td", { class: value === null ? "unknown" : columns[index].number ? "number" : "text" }, shown(value));
        const long = typeof value === "string" && value.length > 40;
        if (long || (typeof value === "number" && shown(value) !== String(value))) cell.title = String(value);
        return cell;
      }))));
      const all = rows.length < total ? `${rows.length} of ${total} rows` : `${total} rows`;
      const part = found.length ? `${from + 1}\u2013${from + page.length} of ${found.length}` : "none";
      status.textContent = found.length < rows.length ? `${part}, filtered from ${all}` : rows.length < total ? `${part}, from ${all}` : part;
      previous.setAttribute("aria-disabled", state.page === 0);
      next.setAttribute("aria-disabled", from + PAGE >= found.length);
    };
    show();
  };

  document.querySelectorAll("[data-table]").forEach(start);
})();
