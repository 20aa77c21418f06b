//! HTML in the making.

/// Longest text in characters that stands on one line of a cell.
const LINE: usize = 44;

/// A page or a part of one.
#[derive(Debug, Clone, Default)]
pub(super) struct Html(String);

impl Html {
    /// Text that is HTML already.
    pub(super) fn raw(&mut self, html: &str) {
        self.0.push_str(html);
    }

    /// An element with text alone.
    pub(super) fn element(&mut self, name: &str, attributes: &str, text: &str) {
        let blank = if attributes.is_empty() { "" } else { " " };
        self.raw(&format!("<{name}{blank}{attributes}>{}</{name}>\n", escaped(text)));
    }

    /// A table of text. Columns whose heading begins with `<` are to the left, as in [`crate::text_table`];
    /// `label` names the region that scrolls where the window is too narrow.
    pub(super) fn table(&mut self, label: &str, headings: &[&str], rows: &[Vec<String>]) {
        self.raw(&format!(
            "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\"><table>\n<thead><tr>",
            escaped(label)
        ));
        let class = |column: usize| if headings[column].starts_with('<') { "text" } else { "number" };
        for (column, heading) in headings.iter().enumerate() {
            let heading = heading.trim_start_matches('<');
            self.raw(&format!("<th scope=\"col\" class=\"{}\">{}</th>", class(column), escaped(heading)));
        }
        self.raw("</tr></thead>\n<tbody>\n");
        for row in rows {
            self.raw("<tr>");
            for (column, cell) in row.iter().enumerate() {
                // Sentences take several lines.
                let class = if cell.chars().count() > LINE { "wrap" } else { class(column) };
                self.raw(&format!("<td class=\"{class}\">{}</td>", escaped(cell)));
            }
            self.raw("</tr>\n");
        }
        self.raw("</tbody></table></div>\n");
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}

/// Text as HTML, also inside attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
    html
}

/// JSON inside a script element: no `<` that could end it.
pub(super) fn json_in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}
