"""Controls a headless Chromium through the DevTools protocol over a pipe. Only the standard library is needed.

    with Browser() as browser:
        page = browser.page("file:///tmp/report.html", width=1280)
        page.evaluate("document.title")
        page.press("Tab")
        page.screenshot("page.png")
        page.errors, page.requests    # error messages, and the addresses that were loaded
        page.save("button")           # presses a button and returns the name and content of the saved file
        page.close()                  # the next page reuses its process, because starting one is slow
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

TIMEOUT = 30  # seconds to wait for an answer; a busy machine can be slow

KEYS = {  # name: (virtual key code, text)
    "Tab": (9, ""), "Enter": (13, "\r"), "Escape": (27, ""), " ": (32, " "), "End": (35, ""),
    "Home": (36, ""), "ArrowLeft": (37, ""), "ArrowUp": (38, ""), "ArrowRight": (39, ""),
    "ArrowDown": (40, "")}


def find_browser():
    """Returns the path of the browser, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
                None)


class Browser:
    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="reusedist-browser-")
        to_browser, self.write_fd = os.pipe()
        self.read_fd, from_browser = os.pipe()

        def pipes_at_3_and_4():
            read, write = os.dup(to_browser), os.dup(from_browser)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [find_browser(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
             "--disable-extensions", "--disable-background-networking", "--disable-component-update",
             "--renderer-process-limit=1", "--in-process-gpu",
             "--force-color-profile=srgb", f"--user-data-dir={self.profile}", "about:blank"],
            close_fds=False, preexec_fn=pipes_at_3_and_4, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.listeners, self.idle = b"", 0, {}, []
        self.downloads = os.path.join(self.profile, "downloads")
        os.mkdir(self.downloads)
        self.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=self.downloads)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.send("Browser.close")
            self.process.wait(10)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.write_fd)
        os.close(self.read_fd)
        shutil.rmtree(self.profile, ignore_errors=True)

    def read_message(self, deadline):
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.read_fd], [], [], left)[0]:
                raise RuntimeError("the browser does not answer")
            part = os.read(self.read_fd, 1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, session=None, **params):
        """Calls a method and waits for its answer. Events that arrive meanwhile go to their pages."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_fd, data):]
        deadline = time.monotonic() + TIMEOUT
        while True:
            answer = self.read_message(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.take_event(answer)

    def take_event(self, event):
        listener = self.listeners.get(event.get("sessionId"))
        if listener and "method" in event:
            listener.take_event(event["method"], event["params"])

    def page(self, url, width=1280, height=900, scale=1, dark=False):
        page = self.idle.pop() if self.idle else self.new_page()
        page.resize(width, height, scale)
        page.prefer(dark)
        page.open(url)
        return page

    def new_page(self):
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self.listeners[session] = Page(self, session)
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.send(domain + ".enable")
        return page


class Page:
    def __init__(self, browser, session):
        self.browser, self.session = browser, session
        self.errors, self.requests, self.loaded = [], [], False

    def send(self, method, **params):
        return self.browser.send(method, self.session, **params)

    def take_event(self, method, params):
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(a.get("value", a)) for a in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loaded = True

    def open(self, url):
        """Loads an address. Returns the seconds until the page has run its scripts and drawn once."""
        start = time.monotonic()
        self.loaded = False
        self.send("Page.navigate", url=url)
        while not self.loaded:
            self.browser.take_event(self.browser.read_message(start + TIMEOUT))
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.seconds = time.monotonic() - start
        return self.seconds

    def evaluate(self, expression):
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def resize(self, width, height, scale=1):
        self.width, self.height, self.scale = width, height, scale
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=width < 500)

    def prefer(self, dark):
        self.send("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def press(self, key, shift=False):
        """Presses one key. A single character is typed."""
        code, text = KEYS.get(key, (ord(key[0].upper()), key))
        common = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def screenshot(self, path, whole=True):
        """Saves a picture of the whole page, or of the part that fits in the window."""
        if whole:
            height = self.evaluate("Math.ceil(document.documentElement.getBoundingClientRect().height)")
            old = self.height
            self.resize(self.width, max(min(height, 12000), old), self.scale)
            self.evaluate("new Promise((d) => requestAnimationFrame(() => requestAnimationFrame(d)))")
        data = self.send("Page.captureScreenshot", format="png")["data"]
        if whole:
            self.resize(self.width, old, self.scale)
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def save(self, selector):
        """Presses a button that saves a file. Returns the name and the bytes of the file."""
        folder, deadline = self.browser.downloads, time.monotonic() + TIMEOUT
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name))
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")
        while time.monotonic() < deadline:
            names = [name for name in os.listdir(folder)
                     if not name.startswith(".") and not name.endswith(".crdownload")]
            if names:
                with open(os.path.join(folder, names[0]), "rb") as file:
                    return names[0], file.read()
            time.sleep(0.02)
        raise RuntimeError(f"{selector} saves no file")

    def pdf(self, path):
        data = self.send("Page.printToPDF", printBackground=True, paperWidth=8.27,
                         paperHeight=11.69)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        self.open("about:blank")
        self.errors, self.requests = [], []
        self.browser.idle.append(self)
