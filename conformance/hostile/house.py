"""The server under attack, and the clients that attack it."""

import asyncio
import base64
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

PARLOR = os.environ["PARLOR"]
WHOLE = os.environ.get("PARLOR_PROOF", "0") != "0"
PATIENCE = 30

started = []
addresses = iter(f"10.{a}.{b}.{c}" for a in range(250) for b in range(250) for c in range(1, 250))
names = iter(f"Hostile {n}" for n in range(1_000_000))


class Broken(Exception):
    """Something is not as it should be."""


def tally(words):
    """What came back, counted."""
    words = sorted(words)
    return ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))


def check(so, what):
    if not so:
        raise Broken(what)


class House:
    """The server, and what it uses. It believes who connects from 127.0.0.1 to be a proxy, so that
    every client here may come from an address of its own."""

    def __init__(self, *options, folder=None):
        self.folder = folder or tempfile.mkdtemp(prefix="parlor-hostile-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = open(f"{self.folder}/log", "w+")
        self.process = subprocess.Popen(
            [PARLOR, "serve", "--listen", f"127.0.0.1:{self.port}", "--log", "json",
             "--proxy", "127.0.0.1", "--journal", f"{self.folder}/journal.db", *options],
            stderr=self.log, env={**os.environ, "RUST_LOG": "info", "RUST_BACKTRACE": "1"})
        started.append(self.process)
        self.url = f"ws://127.0.0.1:{self.port}/ws"
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return check(self.http("GET", "/readyz")[0] == 200, "it is not ready")
            except OSError:
                check(time.monotonic() < until, "the server does not come up")
                time.sleep(0.05)

    def memory_mib(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) / 1024

    def cpu_s(self):
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def http(self, method, path, body=None, headers=()):
        """An answer over HTTP: its status, and its body."""
        url = f"http://127.0.0.1:{self.port}{path}"
        headers = {"X-Forwarded-For": next(addresses), **dict(headers)}
        request = urllib.request.Request(url, body, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def metric(self, name):
        """The sum of a metric."""
        _, text = self.http("GET", "/metrics")
        lines = text.decode().splitlines()
        return sum(float(line.split()[-1]) for line in lines if re.match(name + r"[ {]", line))

    def stop(self, keep=False):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=PATIENCE)
        self.log.seek(0)
        log = self.log.read()
        if not keep:
            shutil.rmtree(self.folder)
        check("panicked" not in log, f"the server panicked:\n{log[-3000:]}")
        check(code == 0, f"the server ended with {code}")


class Client:
    """One connection, from an address of its own."""

    def __init__(self, house, socket):
        self.house, self.socket, self.said, self.news = house, socket, 0, []

    @classmethod
    async def open(cls, house, address=None, origin=None, path=""):
        headers = {"X-Forwarded-For": address or next(addresses)}
        if origin:
            headers["Origin"] = origin
        socket = await connect(house.url + path, additional_headers=headers, compression=None,
                               max_size=None, open_timeout=PATIENCE)
        return cls(house, socket)

    @classmethod
    async def guest(cls, house):
        client = await cls.open(house)
        welcome = await client.ask({"type": "hello", "version": 1, "name": next(names)})
        check(welcome["type"] == "welcome", welcome)
        client.token = welcome["token"]
        return client

    async def hears(self):
        async with asyncio.timeout(PATIENCE):
            told = json.loads(await self.socket.recv())
        if told.get("type") in ("refused", "bye"):
            check(told["code"] and told["text"], f"refused without a word: {told}")
        return told

    async def ask(self, say, id=None):
        """Says something; its answer."""
        self.said += 1
        say = {**say, "id": id or f"h{self.said}"}
        await self.socket.send(json.dumps(say))
        return await self.next(lambda told: told.get("id") == say["id"])

    async def next(self, wanted):
        """The next that is wanted; all else is kept."""
        while not wanted(told := await self.hears()):
            self.news.append(told)
        return told

    async def refused(self, say, code):
        answer = await self.ask(say)
        check((answer["type"], answer.get("code")) == ("refused", code), f"{say}: {answer}")
        return code

    async def raw(self, text):
        """Sends a frame as it is; the next one that answers it."""
        await self.socket.send(text)
        answers = ("refused", "done", "created", "bye")
        return await self.next(lambda told: told["type"] in answers)

    async def table(self, game, **config):
        created = await self.ask({"type": "create", "game": game, "config": config})
        check(created["type"] == "created", created)
        return created["table"]

    async def asked(self, table):
        """Waits until one is asked; the update."""
        return await self.last(lambda told: told["type"] == "update" and told["table"] == table
                               and told["ask"] is not None)

    async def last(self, wanted):
        """The last that is wanted of what was heard, or the next."""
        for told in reversed(self.news):
            if wanted(told):
                return told
        self.news.append(await self.next(wanted))
        return self.news[-1]

    async def ends(self):
        """The server ends the connection; what it said before."""
        said = []
        try:
            while True:
                said.append(await self.hears())
        except ConnectionClosed:
            return said

    async def close(self):
        await self.socket.close()


async def two_at(house, game, chips=None, **config):
    """Two people at a table that has begun."""
    people = [await Client.guest(house), await Client.guest(house)]
    table = await people[0].table(game, **config)
    for person in people:
        seated = await person.ask({"type": "sit", "table": table, "chips": chips})
        check(seated["type"] == "seated", seated)
        person.seat_token = seated["token"]
    return table, people


async def closed(clients):
    await asyncio.gather(*(client.close() for client in clients))


def plain(house, source="127.0.0.1", small=False):
    """A TCP connection; with a small buffer for what comes in."""
    raw = socket.socket()
    raw.settimeout(PATIENCE)
    if small:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.bind((source, 0))
    raw.connect(("127.0.0.1", house.port))
    return raw


def upgrade(house, extra="", small=False):
    """A WebSocket without anybody behind it, and the answer it got."""
    raw = plain(house, small=small)
    key = base64.b64encode(os.urandom(16)).decode()
    raw.sendall((f"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
                 f"X-Forwarded-For: {next(addresses)}\r\n{extra}\r\n").encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        more = raw.recv(1)
        check(more, f"no answer: {answer}")
        answer += more
    return raw, answer


def frame(payload, opcode=1, first=0x80):
    """A masked frame."""
    mask = os.urandom(4)
    head = struct.pack("!BB", first | opcode, 0x80 | (len(payload) if len(payload) < 126 else 126))
    if len(payload) >= 126:
        head += struct.pack("!H", len(payload))
    return head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(payload))


def say(**fields):
    """A message in a frame."""
    return frame(json.dumps(fields).encode())


def drained(raw):
    """Reads until the other end hangs up; how much it was."""
    count = 0
    try:
        while more := raw.recv(65536):
            count += len(more)
    except ConnectionResetError:
        pass
    return count
