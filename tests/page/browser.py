"""A headless Chromium that opens files, and says what happened while they were open.

It is spoken to through a pipe (--remote-debugging-pipe): messages are JSON, a zero byte ends each."""

import json
import os
import select
import shutil
import subprocess
import time

# No request may leave: there is no name that resolves, and the proxy is a port where nobody listens.
OFFLINE = ["--proxy-server=127.0.0.1:9", "--proxy-bypass-list=<-loopback>",
           "--host-resolver-rules=MAP * ~NOTFOUND"]
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--remote-debugging-pipe"]


class BrowserFailed(Exception):
    pass


class Browser:
    def __init__(self, folder, seconds=120):
        program = shutil.which("chromium")
        if program is None:
            raise BrowserFailed("chromium is not installed: tools/install-deps test")
        self.deadline = seconds
        self.number = 0
        self.buffer = b""
        self.events = []
        self.session = None
        to_read, self.out = os.pipe()
        self.into, to_write = os.pipe()
        # It reads from descriptor 3 and writes to 4.
        with open(os.path.join(folder, "chromium.log"), "wb") as log:
            self.process = subprocess.Popen(
                ["sh", "-c", f'exec "$@" 3<&{to_read} 4>&{to_write}', "sh", program, *FLAGS,
                 *OFFLINE, f"--user-data-dir={folder}/profile", "about:blank"],
                pass_fds=(to_read, to_write), env=dict(os.environ, HOME=folder,
                                                       XDG_CONFIG_HOME=folder, XDG_CACHE_HOME=folder),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        os.close(to_read)
        os.close(to_write)

    def receive(self):
        end = time.monotonic() + self.deadline
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.into], [], [], max(0, end - time.monotonic()))
            data = os.read(self.into, 1 << 20) if ready else b""
            if not data:
                raise BrowserFailed("chromium does not answer" if not ready else "chromium ended")
            self.buffer += data
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise BrowserFailed(f"{method}: {answer['error'].get('message')}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method, accepted=lambda parameters: True):
        """Waits for an event, unless it has been since the page was opened; returns its parameters."""
        looked_at = 0
        while True:
            for event in self.events[looked_at:]:
                if event.get("method") == method and accepted(event["params"]):
                    return event["params"]
            looked_at = len(self.events)
            self.events.append(self.receive())

    def open(self, path, scheme="light", width=1200, height=900):
        """Opens a file in a new tab."""
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.session = session
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events = []
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        # Not Page.loadEventFired: that of the empty page before may still be on its way.
        self.wait_until("location.protocol === 'file:' && document.readyState === 'complete'")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserFailed(f"{expression}: {answer['exceptionDetails'].get('text')}")
        return answer["result"].get("value")

    def wait_until(self, condition):
        end = time.monotonic() + self.deadline
        while True:
            try:
                if self.evaluate(condition):
                    return
            except BrowserFailed as problem:
                if "context" not in str(problem):  # between two pages there is none
                    raise
            if time.monotonic() > end:
                raise BrowserFailed(f"never true: {condition}")
            time.sleep(0.02)

    def complaints(self):
        """What the page put on the console, and exceptions, since it was opened."""
        found = []
        for event in self.events:
            details = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                thrown = details["exceptionDetails"]
                found.append(thrown.get("exception", {}).get("description", thrown["text"]))
            elif event.get("method") == "Runtime.consoleAPICalled":
                found.append(details["type"] + ": " + " ".join(
                    str(value.get("value", value.get("description"))) for value in details["args"]))
            elif event.get("method") == "Log.entryAdded":
                found.append(details["entry"]["text"])
        return found

    def requests(self):
        """Addresses that were asked for, other than files and data in the page itself."""
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"
                and not event["params"]["request"]["url"].startswith("data:")]

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(20)
        except (BrowserFailed, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.into)
        os.close(self.out)
