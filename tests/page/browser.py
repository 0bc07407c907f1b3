"""A headless Chromium driven through its remote-debugging pipe; standard library only."""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile


def find():
    """The command, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return name
    return None


class Browser:
    """One browser with one tab: everything a test asks of a page."""

    def __init__(self, command, width=1400, height=1000):
        self.profile = tempfile.mkdtemp(prefix="kgen-page-")
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                 "--disable-extensions", "--disable-background-networking", "--disable-component-update",
                 "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={self.profile}",
                 f"--window-size={width},{height}", "about:blank"]
        # It reads commands from descriptor 3 and answers on 4. Both ends are moved out of the way of these first.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_read, to_write)]
        self.process = subprocess.Popen([command, *flags], stderr=subprocess.DEVNULL, close_fds=False,
                                        preexec_fn=lambda: (os.dup2(ends[0], 3), os.dup2(ends[1], 4)))
        for end in ends:
            os.close(end)
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.next, self.session, self.events = b"", 0, None, []
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def _message(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.back, 1 << 16)
            if not piece:
                raise RuntimeError("the browser ended")
            self.buffer += piece
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.next += 1
        message = {"id": self.next, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") != self.next:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def open(self, path):
        """Loads a file and waits until its scripts have run; returns what went wrong in it."""
        self.events = []
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}")
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self._message())
        return self.complaints()

    def complaints(self):
        """Exceptions and errors in the log since the page was opened."""
        kinds = {"Runtime.exceptionThrown": "exceptionDetails", "Log.entryAdded": "entry"}
        return [e["params"][kinds[e["method"]]] for e in self.events if e.get("method") in kinds]

    def requests(self):
        """Addresses asked for since the page was opened."""
        return [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]

    def js(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def _middle(self, selector, index=0, x=0.5, y=0.5):
        box = self.js(f"(() => {{ const e = document.querySelectorAll({json.dumps(selector)})[{index}];"
                      "e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect();"
                      "return [b.left, b.top, b.width, b.height]; })()")
        return box[0] + box[2] * x, box[1] + box[3] * y

    def hover_at(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, selector, index=0, x=0.5, y=0.5):
        at = self._middle(selector, index, x, y)
        self.hover_at(*at)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", clickCount=1)

    def key(self, name):
        codes = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35, "Enter": 13, "Tab": 9}
        for kind in ("keyDown", "keyUp"):
            extra = {"text": "\r"} if name == "Enter" and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=codes[name], **extra)

    def media(self, media="", scheme="light"):
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path, whole=True):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole,
                         **({"clip": {**self._size(), "x": 0, "y": 0, "scale": 1}} if whole else {}))["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def _size(self):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"width": size["width"], "height": size["height"]}

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def close(self):
        self.session = None
        try:
            self.call("Browser.close")
        except RuntimeError:
            pass
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
