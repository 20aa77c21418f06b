"""Looks at a page of `synergy report` in headless Chromium, as a user with a keyboard would.

    python3 scripts/report-test.py REPORT.html [SHOTS]

Speaks the DevTools protocol over a pipe: nothing but Python and Chromium is needed.
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
    "--disable-sync", "--disable-component-update", "--hide-scrollbars", "--remote-debugging-pipe",
]
DEADLINE_S = 120
KEYS = {"Tab": (9, "\t"), "Enter": (13, "\r")}


class Browser:
    """Chromium with one page."""

    def __init__(self, profile):
        into_read, into_write = os.pipe()
        out_read, out_write = os.pipe()

        # Copies far above 4, so that placing one in the child does not close the other.
        ends = [os.dup2(into_read, 103), os.dup2(out_write, 104)]

        def place():
            # The browser reads commands from 3 and writes answers to 4.
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.process = subprocess.Popen(
            ["chromium", *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=place, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=True,
        )
        for end in (into_read, out_write, *ends):
            os.close(end)
        self.commands, self.answers = into_write, out_read
        self.buffer, self.number, self.session = b"", 0, None
        self.errors, self.fetched = [], []
        self.end = time.monotonic() + DEADLINE_S
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def message(self):
        while b"\0" not in self.buffer:
            if time.monotonic() > self.end:
                raise SystemExit("report test: the browser does not answer")
            part = os.read(self.answers, 1 << 16)
            if not part:
                raise SystemExit("report test: the browser has ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def note(self, event):
        method, what = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(what["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
            self.errors.append(f"console: {what['args']}")
        elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            self.errors.append(what["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            url = what["request"]["url"]
            if not url.startswith(("file:", "data:", "about:")):
                self.fetched.append(url)

    def call(self, method, **params):
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"report test: {method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def open(self, path):
        self.call("Page.navigate", url=path.resolve().as_uri())
        while self.js("document.readyState") != "complete":
            time.sleep(0.05)

    def js(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise SystemExit(f"report test: {expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def press(self, key):
        code, text = KEYS[key]
        common = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text if key == "Enter" else "", **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def size(self, width):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def shot(self, path):
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                         clip=dict(x=0, y=0, scale=1, width=self.js("innerWidth"),
                                   height=self.js("document.documentElement.scrollHeight")))
        path.write_bytes(base64.b64decode(shot["data"]))


def luminance(colour):
    """Relative luminance (WCAG) of `rgb(r, g, b)`."""
    parts = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    a, b = sorted((luminance(a), luminance(b)), reverse=True)
    return (a + 0.05) / (b + 0.05)


class Test:
    def __init__(self, page):
        self.page, self.faults, self.checks = page, [], 0

    def check(self, holds, what):
        self.checks += 1
        if not holds:
            self.faults.append(what)

    def tab_to(self, condition, what):
        """Tabs until the active element meets a condition; every stop on the way must show its focus."""
        for _ in range(300):
            self.page.press("Tab")
            outline = self.page.js("(e => getComputedStyle(e).outlineStyle + parseFloat(getComputedStyle(e).outlineWidth))(document.activeElement)")
            self.check(not outline.startswith("none") and not outline.endswith("0"),
                       f"no visible focus on {self.page.js('document.activeElement.outerHTML.slice(0, 80)')}: {outline}")
            if self.page.js(f"(e => {condition})(document.activeElement)"):
                return
        self.check(False, f"{what} cannot be reached with Tab")

    def structure(self):
        js = self.page.js
        self.check(js("document.querySelectorAll('main').length") == 1, "one main landmark")
        for selector in ("header", "nav[aria-label]", "footer", "h1", "html[lang]", "figure svg[role=img][aria-label]"):
            self.check(js(f"document.querySelectorAll('{selector}').length") > 0, f"no {selector}")
        self.check(js("[...document.querySelectorAll('nav a')].every(a => document.querySelector(a.getAttribute('href')))"),
                   "a link of the contents leads nowhere")
        self.check(js("(ids => ids.length === new Set(ids).size)([...document.querySelectorAll('[id]')].map(e => e.id))"), "an id is there twice")
        self.check(js("[...document.querySelectorAll('input')].every(e => e.labels.length)"), "an input has no label")
        self.check(js("[...document.querySelectorAll('[data-table]')].every(e => e.querySelectorAll('tbody tr').length > 0)"), "a table shows no row")

    def skip_link(self):
        self.page.press("Tab")
        self.check(self.page.js("document.activeElement.className") == "skip", "Tab does not reach the skip link first")
        self.check(self.page.js("document.activeElement.getBoundingClientRect().left >= 0"), "the focused skip link is out of sight")
        self.page.press("Enter")
        self.check(self.page.js("location.hash") == "#main", "the skip link does not lead to the results")

    def sort_and_filter(self):
        """With keys alone, in the first table of at least two pages; what is shown is compared with the page's own data."""
        js = self.page.js
        name = js("(() => { for (const e of document.querySelectorAll('[data-table]')) { const d = JSON.parse(document.getElementById(e.dataset.table).textContent);"
                  " if (d.rows.length > 50 && d.columns.some(c => c.name === 'mechanism')) return e.dataset.table; } })()")
        self.check(name is not None, "no table of two pages with mechanisms")
        if name is None:
            return
        data = json.loads(js(f"document.getElementById('{name}').textContent"))
        column = next(i for i, c in enumerate(data["columns"]) if c["number"] and len({row[i] for row in data["rows"]}) > 5)
        heading = data["columns"][column]["name"]
        mechanism = next(i for i, c in enumerate(data["columns"]) if c["name"] == "mechanism")
        holder = f"document.querySelector('[data-table=\"{name}\"]')"
        shown = lambda index: js(f"[...{holder}.querySelectorAll('tbody tr')].map(r => r.children[{index}].textContent)")
        status = lambda: js(f"{holder}.querySelector('[role=status]').textContent")
        in_holder = f"{holder}.contains(e)"

        self.tab_to(f"{in_holder} && e.type === 'search'", "the filter")
        self.page.call("Input.insertText", text="mechanism=tune")
        expected = sum(row[mechanism] == "tune" for row in data["rows"])
        self.check(set(shown(mechanism)) == {"tune"}, "the filter lets other mechanisms through")
        self.check(f" of {expected}, filtered from" in status(), f"{expected} rows expected, status says {status()!r}")

        self.tab_to(f"{in_holder} && e.textContent === 'Next'", "the button Next")
        before = status()
        self.page.press("Enter")
        if expected > 25:
            self.check(status() != before, "Next does not turn the page")

        self.tab_to(f"{in_holder} && e.closest('th') && e.textContent.startsWith('{heading}')", f"the heading {heading}")
        values = sorted((row[column] for row in data["rows"] if row[mechanism] == "tune"), key=lambda v: (v is None, v))
        known = [value for value in values if value is not None]
        for direction, wanted in (("ascending", known[0]), ("descending", known[-1])):
            self.page.press("Enter")
            sort = js("document.activeElement.closest('th').getAttribute('aria-sort')")
            self.check(sort == direction, f"aria-sort is {sort}, not {direction}")
            first = float(shown(column)[0])
            self.check(abs(first - wanted) <= 1e-5 * max(1.0, abs(wanted)), f"{direction}: first is {first}, not {wanted}")
        self.page.press("Enter")
        self.check(js("document.activeElement.closest('th').getAttribute('aria-sort')") is None, "the third press does not unsort")

    def narrow(self):
        for width in (360, 768, 1280):
            self.page.size(width)
            over = self.page.js("document.documentElement.scrollWidth - innerWidth")
            self.check(over <= 0, f"at {width} px the page scrolls sideways by {over} px")

    def schemes(self):
        seen = []
        for scheme in ("light", "dark"):
            self.page.scheme(scheme)
            ink, paper, soft = self.page.js(
                "(b => [getComputedStyle(b).color, getComputedStyle(b).backgroundColor, getComputedStyle(document.querySelector('.soft')).color])(document.body)")
            seen.append(paper)
            self.check(contrast(ink, paper) >= 7 and contrast(soft, paper) >= 4.5, f"{scheme}: {ink} and {soft} on {paper}")
        self.check(seen[0] != seen[1], "the dark scheme is the light one")
        self.page.scheme("light")


def main(path, shots=None):
    profile = tempfile.mkdtemp()
    page = Browser(profile)
    try:
        page.size(1280)
        page.open(pathlib.Path(path))
        test = Test(page)
        test.structure()
        test.skip_link()
        test.sort_and_filter()
        test.narrow()
        test.schemes()
        test.check(not page.errors, f"console: {page.errors}")
        test.check(not page.fetched, f"fetched: {page.fetched}")
        if shots:
            for scheme, width in (("light", 1280), ("light", 360), ("dark", 1280)):
                page.scheme(scheme)
                page.size(width)
                page.shot(pathlib.Path(shots) / f"report-{width}-{scheme}.png")
    finally:
        page.process.kill()
        page.process.wait()
        shutil.rmtree(profile, ignore_errors=True)
    for fault in dict.fromkeys(test.faults):
        print(f"report test: {fault}", file=sys.stderr)
    print(f"report test {'passed' if not test.faults else 'failed'}: {test.checks} checks")
    return 1 if test.faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
