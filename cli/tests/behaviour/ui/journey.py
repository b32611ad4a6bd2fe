"""Reads the live page in a browser and answers a question there, by chromedriver and the standard library alone.

Prints one JSON object with what was seen. With `pictures` it takes pictures of the page as well.
"""

import base64
import json
import pathlib
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request

plan = json.loads(sys.argv[1])
found = {}
# The driver is on this machine, whatever proxy is set.
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Browser:
    def __init__(self):
        self.driver = subprocess.Popen(
            [plan["driver"], "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        for line in self.driver.stdout:
            port = re.search(r"successfully on port (\d+)", line)
            if port:
                break
        self.base = f"http://127.0.0.1:{port[1]}/session"
        options = {
            "binary": plan["browser"],
            "args": [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--hide-scrollbars", "--window-size=1200,860", f"--user-data-dir={plan['profile']}",
            ],
        }
        always = {"goog:chromeOptions": options, "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"}}
        session = self.call("POST", "", {"capabilities": {"alwaysMatch": always}})
        self.base += "/" + session["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with direct.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{method} {path}: {error.read().decode()}")

    def end(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()

    def go(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *args):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(args)})

    def text(self):
        return self.run("return document.getElementById('view').innerText")

    def element(self, css):
        return next(iter(self.call("POST", "/element", {"using": "css selector", "value": css}).values()))

    def click(self, css):
        self.call("POST", f"/element/{self.element(css)}/click", {})

    def type(self, css, text):
        element = self.element(css)
        self.call("POST", f"/element/{element}/clear", {})
        self.call("POST", f"/element/{element}/value", {"text": text})

    def press(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def cdp(self, command, **params):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def log(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def picture(self, name):
        if plan.get("pictures"):
            time.sleep(0.3)
            png = base64.b64decode(self.call("GET", "/screenshot"))
            pathlib.Path(plan["pictures"], f"{name}.png").write_bytes(png)


def until(what, seconds=60):
    """Waits until something is so. What changes on the page comes from a server: there is no signal to wait for."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.05)
    raise SystemExit(f"it did not become so: {found}\n{browser.text()}")


def shows(*parts):
    text = browser.text()
    return all(part in text for part in parts)


def theme(name):
    browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])


browser = Browser()
try:
    theme("light")
    browser.go(plan["url"])
    found["opened"] = until(lambda: shows("What is on", "no-force-push", "5 hooks in force"))
    browser.picture("now-light")

    browser.click('nav a[href$="/decisions"]')
    until(lambda: shows("git push --force origin main", "force push is not allowed here"))
    rows = "return document.querySelectorAll('tbody tr').length"
    all_rows = browser.run(rows)
    browser.picture("decisions-light")
    theme("dark")
    browser.picture("decisions-dark")
    theme("light")
    browser.type('input[name="text"]', "curl")
    browser.click("form.filter button")
    found["filtered"] = until(lambda: browser.run(rows) == 2 < all_rows and not shows("git push"))
    browser.call("POST", "/back", {})
    found["back"] = until(lambda: browser.run(rows) == all_rows)

    browser.type('input[name="text"]', "rm -r")
    browser.click("form.filter button")
    until(lambda: browser.run(rows) == 1)
    browser.click("tbody a")
    found["one_decision"] = until(lambda: shows("rewritten: tool_input", "rm -rf build", "rm -r build", "What it would do"))
    browser.picture("decision-light")

    browser.go(plan["url"] + "/decisions?text=hacked")
    until(lambda: shows("</td><script>"))
    browser.click("tbody a")
    until(lambda: shows("step, as the journal has it", "<img src=x onerror=", "javascript:"))
    links = "return [...document.querySelectorAll('a')].filter((a) => !a.getAttribute('href').startsWith('#')).length"
    markup = "return document.querySelectorAll('main script, main img, main iframe').length"
    found["hostile_text_is_text"] = (
        browser.run("return window.hacked ?? null") is None and browser.run(links) == 0 and browser.run(markup) == 0
    )

    # By the keyboard alone: to the questions, to the first of them.
    browser.go(plan["url"] + "/now")
    until(lambda: shows("What is on", "no-force-push"))
    browser.run("document.querySelector('nav a[href$=\"/numbers\"]').focus()")
    browser.run("document.querySelector('nav a[href$=\"/decisions\"]').focus()")
    browser.press("\ue004")  # Tab
    browser.press("\ue007")  # Enter
    until(lambda: shows("1 waiting question", "deploy to production?"))
    found["keyboard"] = until(lambda: browser.run("return document.title") == "(1) hookgate")
    browser.picture("questions-light")
    browser.click("tbody a")
    found["question"] = until(lambda: shows("tool_input.target: production", "Approve", "Reject", "as ada"))
    theme("dark")
    browser.picture("question-dark")
    theme("light")

    browser.click("details summary")
    text = browser.run("return document.querySelector('textarea').value")
    browser.type("textarea", text.replace("production", "staging"))
    browser.click('button[value="approve_changed"]')
    found["approved"] = until(lambda: shows("is approved", "ada agrees"))

    # What the session does next comes without the page being loaded again.
    browser.run("window.isSame = true")
    browser.click('nav a[href$="/decisions"]')
    found["live"] = until(lambda: shows("Report", "approved")) and browser.run("return window.isSame")

    browser.click('nav a[href$="/numbers"]')
    until(lambda: shows("In shadow", "deny instead of allow", "small-model"))
    browser.picture("numbers-light")
    theme("dark")
    browser.picture("numbers-dark")

    browser.cdp("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
    fits = "return document.documentElement.scrollWidth <= 390"
    found["narrow"] = True
    for view, part in [("now", "What is on"), ("decisions", "git push"), ("numbers", "Spending"), ("questions", "approved")]:
        browser.click(f'nav a[href$="/{view}"]')
        until(lambda: shows(part))
        found["narrow"] = found["narrow"] and browser.run(fits)
        theme("light" if view == "decisions" else "dark")
        browser.picture(f"{view}-phone")

    # From here on somebody has another token.
    browser.go("about:blank")
    browser.go(plan["url"][:-3] + "AAA")
    found["wrong_token"] = until(lambda: shows("the token is missing or wrong")) and not shows("no-force-push")

    against = [entry["message"] for entry in browser.log("browser") if "Content Security Policy" in entry["message"]]
    found["violations"] = against
    requests = [json.loads(entry["message"])["message"] for entry in browser.log("performance")]
    requests = [entry["params"]["request"]["url"] for entry in requests if entry["method"] == "Network.requestWillBeSent"]
    # The first tab of the browser has pages of its own, which come from no network.
    found["requests"] = [url for url in requests if not url.startswith(("about:", "chrome:", "data:"))]

    # The control: the policy is there, and what is against it is seen.
    browser.run(
        "const script = document.createElement('script'); script.textContent = 'window.ran = 1'; document.body.append(script);"
        "const image = document.createElement('img'); image.src = 'http://127.0.0.2:9/x.png'; document.body.append(image);"
    )
    time.sleep(0.5)
    found["control_violations"] = [
        entry["message"] for entry in browser.log("browser") if "Content Security Policy" in entry["message"]
    ]
    found["control_ran"] = browser.run("return window.ran ?? null")
    print(json.dumps(found))
finally:
    browser.end()
