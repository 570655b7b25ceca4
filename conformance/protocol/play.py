"""Clients written from docs/protocol.md and the pages of the games, and from nothing else: two of
them play every game to its end against each other, having met in the lobby, in the queue and by a
private link, and each loses its connection once on the way.

PARLOR=target/debug/parlor python play.py [--games N] [--seed S] [--strict]

Needs the package websockets; openapi-spec-validator and what comes with it are used if they are
there. Each game is played once each way, with PARLOR_PROOF ten times, with --games as often as that
says. The clients of a pair share the protocol, and on a private table the link that people give
each other; a strategy knows its chair, `view` and `legal`. What is known not to be as the pages say
is told at the end, and with --strict it fails."""
import argparse, asyncio, collections, hashlib, json, os, random, secrets, shutil, signal, socket
import subprocess, sys, tempfile, time, traceback, urllib.error, urllib.request
from pathlib import Path

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

try: from openapi_spec_validator import validate as validate_openapi
except ImportError: validate_openapi = None
try: from jsonschema import Draft202012Validator
except ImportError: Draft202012Validator = None

HERE = Path(__file__).resolve().parent
LIMIT = 30  # seconds that anything is waited for
HANDS = 20  # of poker
PROOF = os.environ.get("PARLOR_PROOF", "0") != "0"
ANSWERS = {"welcome", "account", "done", "refused", "created", "seated", "proof"}  # have an id
NEWS = {"table", "update", "matched", "chat", "offered", "declined", "left", "bye"}  # have none
ODD = collections.Counter()  # what is not as the pages say, and can be lived with
SECRETS = set()  # what must not stand in the log


STRICT = False


class Failed(Exception):
    pass


def need(true, *what):
    if not true: raise Failed(" ".join(what if isinstance(what, str) else repr(what) for what in what))


def odd(what):
    need(not STRICT, "not as the pages say:", what)
    ODD[what] += 1


# ---------------------------------------------------------------- what the server says, by the types

class Shapes:
    """Checks messages by docs/protocol.schema.json, where jsonschema is there."""

    def __init__(self):
        schema = json.loads((HERE.parent.parent / "docs" / "protocol.schema.json").read_text())
        self.checks = {}
        for one in schema["$defs"]["Tell"]["oneOf"]:
            kind = one["properties"]["type"]["const"]
            if Draft202012Validator:
                self.checks[kind] = Draft202012Validator({**one, "$defs": schema["$defs"]})
            else:
                self.checks[kind] = None
        self.left = collections.Counter({kind: 200 for kind in self.checks})  # it takes its time

    def check(self, message):
        kind = message.get("type")
        need(kind in self.checks, "a message of a type that protocol.schema.json does not name", message)
        if self.checks[kind] and self.left[kind] > 0:
            self.left[kind] -= 1
            for error in self.checks[kind].iter_errors(message):
                raise Failed(f"not by protocol.schema.json: {error.message}: {message}")


SHAPES = Shapes()


# ---------------------------------------------------------------- a client

class Table:
    """What a client knows of a table."""

    def __init__(self):
        self.info = self.update = self.left = self.last = None
        self.views = {}  # by seq

    @property
    def over(self): return self.info is not None and self.info["over"]

    @property
    def seq(self): return self.update["seq"] if self.update else -1


class Connection:
    def __init__(self, client, socket):
        self.client, self.socket = client, socket
        self.prefix, self.count = secrets.token_hex(4), 0
        self.waiting = {}
        self.heard, self.updated = set(), {}  # tables with a `table`; the seq of the last update
        self.since = {}  # what was known of a table when it was watched: its seq, and whether it was told
        self.closed = False
        self.bye = None
        self.reader = asyncio.create_task(self.read())

    async def read(self):
        try:
            async for text in self.socket:
                self.client.hear(self, json.loads(text))
        except ConnectionClosed:
            pass
        except Exception as error:
            self.client.broken = self.client.broken or error
        finally:
            self.closed = True
            for future in self.waiting.values():
                if not future.done(): future.set_exception(self.client.broken or Failed("the connection ended before the answer"))
            self.client.news.set()

    def new_id(self):
        self.count += 1
        return f"{self.prefix}-{self.count}"

    async def send(self, message):
        """Sends, and gives the future of the answer."""
        future = asyncio.get_running_loop().create_future()
        future.add_done_callback(lambda future: future.cancelled() or future.exception())
        self.waiting[message["id"]] = future
        await self.socket.send(json.dumps(message))
        return future

    def drop(self):
        """Loses the connection, without a word."""
        self.socket.transport.abort()


class Client:
    def __init__(self, port, name, seed):
        self.port, self.name, self.seed = port, name, seed
        self.rng = random.Random(f"{name} {seed}")
        self.token = self.connection = self.broken = None
        self.connections, self.tables, self.lobby = [], collections.defaultdict(Table), None
        self.matched, self.chair_tokens = [], {}
        self.me, self.news = None, asyncio.Event()
        self.provoked, self.answers, self.backs = collections.Counter(), 0, 0
        self.chain = self.key = None

    # -- hearing

    def hear(self, connection, message):
        SHAPES.check(message)
        kind, id = message["type"], message.get("id")
        if id is not None:
            need(id in connection.waiting, "an answer to nothing, or a second one:", message)
            need(kind in ANSWERS or kind == "tables", "no answer:", message)
            if kind == "refused": need(message["code"] and message["text"], "a refusal that says nothing", message)
            for name in ("token", "key"):
                if message.get(name): SECRETS.add(message[name])
            if kind == "seated": self.chair_tokens[message["table"]] = message["token"]
            future = connection.waiting.pop(id)
            if not future.done(): future.set_result(message)
            self.news.set()
            return
        need(kind in NEWS or kind == "tables", "an answer without an id:", message)
        if kind == "table":
            table = self.tables[message["table"]]
            if table.info and table.info["you"] != message["you"]: self.forget(message["table"])
            table.info = message
            connection.heard.add(message["table"])
        elif kind == "update": self.hear_update(connection, message)
        elif kind == "tables": self.lobby = message["tables"]
        elif kind == "matched":
            SECRETS.add(message["token"])
            self.chair_tokens[message["table"]] = message["token"]
            self.matched.append(message)
        elif kind == "left":
            self.tables[message["table"]].left = message
            self.forget(message["table"])
        elif kind == "bye": connection.bye = message
        self.news.set()

    def forget(self, name):
        """The chair is another one now, or none: its updates have a count of their own."""
        table = self.tables[name]
        table.last, table.update, table.views = table.update, None, {}
        for each in self.connections:
            each.updated.pop(name, None)
            each.since.pop(name, None)

    def hear_update(self, connection, update):
        """Updates of a connection count up by one; a later connection goes on with the count."""
        name, seq, table = update["table"], update["seq"], self.tables[update["table"]]
        first = name not in connection.updated
        if not first:
            need(seq == connection.updated[name] + 1, "after update", connection.updated[name], "came", seq)
        if seq in table.views:
            need(table.views[seq] == update["view"], "update", seq, "was another one on another connection")
        if table.update is not None: need(update["epoch"] == table.update["epoch"], "the epoch has changed")
        if first:
            # One update that shows how things stand, with what was missed if that was asked for.
            known, numbered = connection.since.get(name, (0, False))
            need(update["sights"] == [] or numbered, "after", known, "came", seq, "with sights")
            need(seq > known or not numbered and seq == known, "known was", known, "and", seq, "came")
        connection.updated[name] = seq
        table.views[seq] = update["view"]
        if seq >= table.seq: table.update = update

    async def until(self, ready, what):
        """Waits for a condition; it is looked at whenever something is heard."""
        try:
            async with asyncio.timeout(LIMIT):
                while True:
                    if self.broken: raise self.broken
                    self.news.clear()
                    found = ready()
                    if found: return found
                    need(not self.connection.closed, self.name, "was cut off, waiting for", what, "bye:", self.connection.bye)
                    await self.news.wait()
        except TimeoutError:
            states = {name: (table.info, table.update) for name, table in self.tables.items()}
            raise Failed(f"{self.name} waited {LIMIT} s for {what}; {states}") from None

    # -- saying

    async def answer(self, future, message):
        try:
            async with asyncio.timeout(LIMIT): return await future
        except TimeoutError:
            raise Failed(f"no answer within {LIMIT} s to {message}") from None

    async def say(self, kind, **fields):
        message = {"id": self.connection.new_id(), "type": kind, **fields}
        return await self.answer(await self.connection.send(message), message)

    async def get(self, kind, answer="done", **fields):
        told = await self.say(kind, **fields)
        need(told["type"] == answer, "to", kind, fields, "was answered", told)
        return told

    async def provoke(self, codes, kind, **fields):
        told = await self.say(kind, **fields)
        need(told["type"] == "refused" and told["code"] in codes, "to", kind, fields, "was answered", told, "not", codes)
        self.provoked[told["code"]] += 1
        return told

    # -- coming and going

    async def connect(self):
        """A new connection, and `hello` on it: with the name, or with the token."""
        async with asyncio.timeout(LIMIT):
            socket = await connect(f"ws://127.0.0.1:{self.port}/ws", compression=None, max_size=None)
        connection = Connection(self, socket)
        self.connections.append(connection)
        known = {"token": self.token} if self.token else {"name": self.name}
        message = {"id": connection.new_id(), "type": "hello", "version": 1, **known}
        told = await self.answer(await connection.send(message), message)
        need(told["type"] == "welcome" and told["me"]["name"] == self.name, "no welcome:", told)
        need(bool(told.get("token")) == (self.token is None), "the token is told once:", told)
        self.token, self.me = self.token or told["token"], told["me"]
        return connection, told

    async def start(self):
        self.connection, told = await self.connect()
        need(told["tables"] == [], "a new guest sits somewhere:", told)

    async def come_back(self, name, unanswered=None, gently=False):
        """Loses the connection and takes the chair up again; gently with a second connection before
        the first is gone. What was sent and not answered is sent again."""
        table, lost = self.tables[name], self.connection
        before = table.update
        if not gently: lost.drop()
        connection, told = await self.connect()
        numbers = {"epoch": before["epoch"], "seq": before["seq"]} if self.rng.random() < 0.6 else {}
        message = {"id": connection.new_id(), "type": "watch", "table": name, **numbers}
        connection.since[name] = before["seq"], bool(numbers)
        answer = await self.answer(await connection.send(message), message)
        need(answer["type"] == "done", "to watch was answered", answer)
        self.connection = connection
        await self.until(lambda: name in connection.heard, "the table after coming back")
        need(name in told["tables"] or table.over, "welcome does not name the table one sits at:", told)
        if not numbers: await self.until(lambda: name in connection.updated, "the view after watching without numbers")
        if gently: lost.drop()
        if unanswered:
            answer = await self.answer(await connection.send(unanswered), unanswered)
            need(answer["type"] == "done", "the same message with the same id was answered", answer)
        # What was seen before must not be taken back: on this connection, nor over HTTP.
        need(table.seq >= before["seq"], "an older view after coming back")
        status, shown = await self.http(f"/api/tables/{name}")
        need(status == 200 and shown["table"] == name, "no table over HTTP:", status, shown)
        need(shown["update"]["seq"] >= before["seq"], "an older view over HTTP", shown["update"]["seq"], before["seq"])
        if shown["update"]["seq"] == before["seq"]:
            need(shown["update"]["view"] == before["view"], "another view over HTTP")
        self.backs += 1

    # -- over HTTP

    async def http(self, path, token=True, body=None, plain=False):
        token = self.token if token is True else token
        return await asyncio.to_thread(http, self.port, path, token, body, plain)


def http(port, path, token=None, body=None, plain=False):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}")
    if token: request.add_header("authorization", f"Bearer {token}")
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("content-type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=LIMIT) as answer: status, text = answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        status, text = error.code, error.read().decode()
    try: return status, text if plain and status == 200 else json.loads(text)
    except ValueError: raise Failed(f"{path}: {status} and no JSON: {text[:500]}") from None


# ---------------------------------------------------------------- strategies: from view and legal alone

def backgammon(client, seat, view, legal, turn):
    """Any play; sometimes step by step, with a step taken back; the cube and resignations now and then."""
    rng, commands = client.rng, legal["commands"]
    say = lambda kind, **fields: {"type": kind, "seat": seat, **fields}
    if "answer-resign" in commands: return say("answer-resign", accept=rng.random() < 0.5)
    if "accept" in commands: return say("accept" if turn < 10 or rng.random() < 0.9 else "forfeit")
    if turn > 250 and "offer-resign" in commands and rng.random() < 0.2: return say("offer-resign", value=3)
    plays = legal["plays"]
    if plays is None:
        # Not too soon: both are to lose their connections before it is over.
        if "propose-double" in commands and turn > 40 and rng.random() < 0.05: return say("propose-double")
        need("roll" in commands, "asked, and nothing to say:", legal)
        return say("roll")
    nodes = plays["nodes"]
    if not nodes[0]:
        need("commit" in commands, "no steps, and no commit:", legal)
        return say("commit")
    if "undo" in commands and rng.random() < 0.2: return say("undo")
    step = lambda way: {key: value for key, value in zip(("from", "to", "die"), way) if value is not None}
    if not plays["whole"] or view["played"] or rng.random() < 0.2:
        way = step(rng.choice(nodes[0]))
        return say("enter" if "from" not in way else "bear-off" if "to" not in way else "move", **way)
    moves, node = [], 0
    while nodes[node]:
        way = rng.choice(nodes[node])
        moves.append(step(way))
        node = way[3]
    return say("play", moves=moves)


def gomoku(client, seat, view, legal, turn):
    """Stones anywhere, after some moves where the own row is longest."""
    rng, commands = client.rng, legal["commands"]
    if "make_choice" in commands: return {"type": "make_choice", "choice": rng.choice(legal["choices"])}
    free = [(x, y) for y, row in enumerate(legal["rows"] or []) for x in range(row.bit_length()) if row >> x & 1]
    if "answer_draw" in commands and not free: return {"type": "answer_draw", "accept": False}
    if "answer_takeback" in commands and not free: return {"type": "answer_takeback", "accept": False}
    need(free, "asked, and no point to play:", legal)
    kind = "place_stone" if "place_stone" in commands else "move"
    if turn > 80: return {"type": "resign"}
    board, mine = view["board"], "X" if view["black"] == seat else "O"

    def length(x, y):
        """The longest row of the own colour through this point."""
        def run(dx, dy):
            n = 1
            while 0 <= y + n * dy < len(board) and 0 <= x + n * dx < len(board) and board[y + n * dy][x + n * dx] == mine: n += 1
            return n - 1
        return max(run(dx, dy) + run(-dx, -dy) for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)))

    if kind == "move" and turn > 6: free = [point for point in free if length(*point) == max(length(*point) for point in free)]
    x, y = rng.choice(free)
    return {"type": kind, "x": x, "y": y}


def battle(client, seat, view, legal, turn):
    """Three of the hand, or nothing, in any order; now and then a draft before."""
    cards = client.rng.sample(legal["hand"] + [None], 3)
    draft = client.rng.random() < 0.3 and view["yourDraft"] == [None] * 3
    return {"type": "layout_draft" if draft else "layout_confirm", "layout": cards}


def poker(client, seat, view, legal, turn):
    """Checks and calls, folds and raises a little: nobody loses more than some thirty blinds in a hand."""
    rng = client.rng
    if legal.get("discard"): return {"type": "discard", "cards": ""}
    if legal.get("bring_in") is not None: return {"type": "bring_in"}
    raise_ = legal.get("raise")
    if raise_ and raise_["least"] <= 12 and rng.random() < 0.35:
        return {"type": "raise", "to": rng.choice([raise_["least"], min(raise_["most"], raise_["least"] + 1.5)])}
    if legal["check"]: return {"type": "check"}
    if legal.get("call") is not None and rng.random() < 0.85: return {"type": "call"}
    return {"type": "fold"}


# What is refused, whether or not it is one's turn, and the codes for it: what is not one's turn first.
def out_of_turn(game, seat, view):
    if game == "backgammon": return {"type": "commit", "seat": seat}, {"not_your_turn"}, {"wrong_status", "unfinished_turn"}
    if game == "gomoku":
        taken = [(x, y) for y, row in enumerate(view["board"]) for x, stone in enumerate(row) if stone]
        x, y = taken[0] if taken else (99, 99)
        return {"type": "move", "x": x, "y": y}, {"wrong_player"}, {"position_occupied", "out_of_bounds", "invalid_phase"}
    if game == "battle": return {"type": "layout_confirm", "layout": [None] * 2}, {"malformed"}, {"already_confirmed", "not_in_prep", "match_over"}
    return {"type": "raise", "to": 0.5}, {"not_your_turn"}, {"below_minimum", "not_in_hand", "not_reopened"}


# The game, its file, how it is found to be over, its options by how one meets, those of the table.
GAMES = {
    "backgammon": {
        "play": backgammon, "file": "mat", "ended": lambda view: view["status"] == "finished" and view["match"]["over"],
        "winner": lambda view: view["match"]["winner"],
        "config": {"lobby": {"jacoby": True}, "queue": {}, "private": {"beavers": True}},
        "options": {"clock": {"game": {"reserve_ms": 600_000, "increment_ms": 8_000}}},
    },
    "gomoku": {
        "play": gomoku, "file": "sgf", "ended": lambda view: "reason" in view and view["match"]["over"],
        "winner": lambda view: view["winner"],
        "config": {"lobby": {"rule": "freestyle"}, "queue": {}, "private": {"swap2Enabled": True, "rule": "standard"}},
        "options": {},
    },
    "battle": {
        "play": battle, "file": "jsonl", "ended": lambda view: view["phase"] == "END",
        "winner": lambda view: view["end"]["winner"],
        "config": {
            "lobby": {"first_step_ms": 20, "next_step_ms": 20}, "queue": {},
            "private": {"first_step_ms": 20, "next_step_ms": 20, "stake": 2, "show_confirmed": True},
        },
        "options": {"disconnect_grace_ms": 60_000},
    },
    "poker": {
        "play": poker, "file": "phhs", "ended": lambda view: view["phase"] == "closed",
        "config": {
            "lobby": {"between_ms": 40}, "queue": {"between_ms": 50},
            "private": {"between_ms": 60, "small_blind": 0.5, "big_blind": 1, "rabbit": True},
        },
        "options": {"abandon_after_s": 30},
    },
}
BUY_IN = 200


# ---------------------------------------------------------------- meeting

class Chain:
    """A share in chance: a chain of hashes, whose links are given one by one."""

    def __init__(self, rng, length=2000):
        self.links = [rng.randbytes(32)]
        for _ in range(length): self.links.append(hashlib.sha256(self.links[-1]).digest())
        self.tip = self.links.pop().hex()

    def next(self): return self.links[-1].hex()

    def given(self): self.links.pop()


async def meet(client, game, way, first, link):
    """Gets a chair, and gives the name of the table."""
    what = GAMES[game]
    config, chips = what["config"][way], {}
    # Tables of poker stay in the lobby: one option more tells those of an earlier round apart.
    if game == "poker": config, chips = {**config, "max_pause_s": 1800 + client.seed}, {"chips": BUY_IN}
    if way == "queue":
        ranked = game == "battle"
        # Who queues for poker at the same moment may be given a table each, and waits there for ever.
        if game == "poker" and not first: await find(client, game, config)
        await client.get("queue", game=game, config=config, **chips, **({"ranked": True} if ranked else {}))
        if game != "poker" and first and not client.matched: await provoke_queued(client, game)
        matched = await client.until(lambda: client.matched, "matched")
        name, seat = matched[0]["table"], matched[0]["seat"]
        key = None
    elif first:
        access = "private" if way == "private" else "open"
        seats = {"seats": 2} if game == "poker" else {}
        created = await client.get("create", "created", game=game, config=config, options=what["options"], access=access, **seats)
        name, key = created["table"], created.get("key")
        need((way == "private") == bool(key), "only private tables have a key:", created)
        if way == "private" and game in ("backgammon", "poker"): client.chain = Chain(client.rng)
        tip = {"tip": client.chain.tip} if client.chain else {}
        seat = (await client.get("sit", "seated", table=name, seat=client.rng.randrange(2), **chips, **tip, **({"key": key} if key else {})))["seat"]
        if way == "private": link.put_nowait((name, key))
        await client.provoke({"seated"}, "sit", table=name, **chips)
    elif way == "private":
        async with asyncio.timeout(LIMIT): name, key = await link.get()
        await client.provoke({"private"}, "sit", table=name, **chips)
        await client.provoke({"private"}, "watch", table=name, key="0" * 24)
        listed = await client.get("lobby", "tables")
        need(all(table["table"] != name for table in listed["tables"]), "a private table in the lobby")
        status, told = await client.http(f"/api/tables/{name}")
        need(status == 403 and told["code"] == "private", "a private table over HTTP:", status, told)
        if game in ("backgammon", "poker"): client.chain = Chain(client.rng)
        tip = {"tip": client.chain.tip} if client.chain else {}
        seat = (await client.get("sit", "seated", table=name, key=key, **chips, **tip))["seat"]
    else:
        name, key = await find(client, game, config), None
        seat = (await client.get("sit", "seated", table=name, **chips))["seat"]
    table = client.tables[name]
    await client.until(lambda: table.info and table.update, "table and update after sitting down")
    need(table.info["you"] == seat, "not one's chair:", table.info)
    return name, seat, key


async def find(client, game, config):
    """A table in the lobby where somebody waits."""
    client.lobby = (await client.get("lobby", "tables", watch=True))["tables"]

    def found():
        for table in client.lobby:
            chairs = {chair["is"] for chair in table["chairs"]}
            if table["game"] == game and {"open", "taken"} <= chairs and config.items() <= table["config"].items(): return table["table"]

    name = await client.until(found, f"a table of {game} in the lobby")
    await client.get("lobby", "tables")
    return name


async def provoke_queued(client, game):
    told = await client.say("queue", game=game)
    if told["type"] == "done":
        odd("who is being matched can queue again, and play twice")
        await client.say("unqueue")
    else:
        # The other may have come meanwhile.
        need(told["code"] in ("queued", "in_game"), "queued twice:", told)
        client.provoked[told["code"]] += 1


# ---------------------------------------------------------------- playing

async def play(client, game, way, first, link):
    what = GAMES[game]
    await client.start()
    await client.provoke({"hello_twice"}, "hello", version=1, name="nobody")
    await client.provoke({"no_such_table"}, "watch", table="t-000000000000")
    await client.provoke({"malformed"}, "ping", more=1)
    before = client.me
    name, seat, key = await meet(client, game, way, first, link)
    client.key = key
    table, last, asked, stale = client.tables[name], -1, None, None
    gently = game == "battle" and way == "queue"
    # When, in own answers, the connection is lost, and how.
    when, how = client.rng.randint(1, 2) if game == "battle" else client.rng.randint(3, 5), client.rng.choice(["asked", "sent", "answered"])
    tried, released, leaving, hand = False, None, False, 0

    def something():
        if table.left or table.over: return True
        update = table.update
        if update["seq"] == last: return False
        if game == "poker" and (update["view"]["hand"] > HANDS or may_top_up(update)): return True
        return update["ask"] is not None

    def may_top_up(update):
        stack = next((player["stack"] for player in update["view"]["players"] if player["seat"] == seat), BUY_IN)
        return update["view"]["actor"] is None and stack < BUY_IN / 2

    while True:
        await client.until(something, "something to answer")
        if table.over or table.left: break
        update = table.update
        view, legal, ask = update["view"], update["legal"], update["ask"]
        last = update["seq"]
        if game == "poker":
            hand = view["hand"]
            if hand > HANDS and not leaving:
                leaving = True
                await client.get("leave", table=name)
            if leaving:
                last = table.seq
                continue
            if client.chain and released != hand:
                released = hand
                told = await client.say("release", table=name, link=client.chain.next())
                if told["type"] == "done": client.chain.given()
                else: need(told["code"] == "share_too_early", "a link was answered", told)
            if may_top_up(update):
                stack = next(player["stack"] for player in view["players"] if player["seat"] == seat)
                told = await client.say("top_up", table=name, chips=BUY_IN - stack)
                need(told["type"] == "done" or told["code"] == "hand_in_play", "chips to add were answered", told)
            if ask is None: continue
        if asked is not None and asked != ask: stale = asked
        asked = ask
        command = what["play"](client, seat, view, legal, client.answers)
        back = client.answers == when and client.backs == 0
        if back and how == "asked":
            await client.come_back(name, gently=gently)
            if table.seq != update["seq"]:
                last = update["seq"]
                continue
        if stale is not None and not tried:
            tried = True
            await client.provoke({"stale_ask"}, "play", table=name, ask=stale, command=command)
            status, told = await client.http(f"/api/tables/{name}/log")
            need(table.over or status == 409 and told["code"] == "not_over", "a log of a running game:", status, told)
            # The token of the chair is good for the table, and for nothing else.
            status, told = await client.http(f"/api/tables/{name}", client.chair_tokens[name])
            need(status == 200 and told["you"] == seat and told["update"]["seq"] >= update["seq"], "with the token of a chair:", status, told)
            status, told = await client.http("/api/me", client.chair_tokens[name])
            need(status == 403 and told["code"] == "seat_only", "/api/me with the token of a chair:", status, told)
        message = {"id": client.connection.new_id(), "type": "play", "table": name, "ask": ask, "command": command}
        rolls = client.chain and command["type"] == "roll"
        if rolls: message["link"] = client.chain.next()
        future = await client.connection.send(message)
        if back and how == "sent":
            await client.come_back(name, unanswered=message, gently=gently)
            told = {"type": "done"}
        else: told = await client.answer(future, message)
        if told["type"] == "refused":
            need(told["code"] in ("stale_ask", "too_late"), "to", message, "after", legal, "was answered", told)
            continue
        if rolls: client.chain.given()
        client.answers += 1
        if client.answers == 2:
            # Once more is once; the same id for something else is not.
            again = await client.answer(await client.connection.send(message), message)
            need(again["type"] == "done", "the same again was answered", again)
            other = {**message, "ask": None, "command": {"type": "something"}}
            again = await client.answer(await client.connection.send(other), other)
            need(again["type"] == "refused" and again["code"] in ("id_reused", "malformed"), "an id used again was answered", again)
            client.provoked[again["code"]] += 1
        if client.answers in (3, 4, 5) and not table.over and table.update["ask"] is None:
            foul, codes, otherwise = out_of_turn(game, seat, table.update["view"])
            told = await client.say("play", table=name, command=foul)
            need(told["type"] == "refused", "out of turn was answered", told)
            need(table.over or told["code"] in codes | otherwise | {"too_late"} or table.update["ask"] is not None, "out of turn was answered", told)
            client.provoked[told["code"]] += 1
        if back and how == "answered": await client.come_back(name, gently=gently)
    await finish(client, game, way, name, seat, key, before)
    return name


async def finish(client, game, way, name, seat, key, before):
    """What is known when all is over."""
    what, table = GAMES[game], client.tables[name]
    view = (table.update or table.last)["view"]
    suffix = f"?key={key}" if key else ""
    status, me = await client.http("/api/me")
    need(status == 200 and me["name"] == client.name, "/api/me:", status, me)

    async def history():
        status, history = await client.http("/api/me/history")
        need(status == 200, "/api/me/history:", status, history)
        return [one for one in history if one["table"] == name]

    played = await history()
    if not played and game != "poker":
        odd(f"the history does not have a game of {game} that is over, for a moment")
        played = await eventually(history, "the game in the history")
    client.me = (await client.get("account", "account"))["me"]
    if game == "poker":
        need(table.left["code"] == "left", "left:", table.left)
    else:
        need(what["ended"](view), "over, and the view does not say so:", view)
        need(len(played) == 1, "the game is not in the history once:", played)
        winner = what["winner"](view)
        result = "drawn" if winner is None else "won" if winner == seat else "lost"
        need(played[0]["game"] == game and played[0]["seat"] == seat and played[0]["result"] == result, "history", played, "and", view)
        need(client.name == played[0]["names"][seat], "names:", played)
        status, log = await client.http(f"/api/tables/{name}/log{suffix}", plain=True)
        need(status == 200 and log, "the log:", status, log)
        status, proof = await client.http(f"/api/tables/{name}/proof{suffix}")
        need(status == 200, "the proof:", status, proof)
        if game == "backgammon": await check_proof(proof)
    if game == "battle":
        stake = view["config"]["stake"]
        won = 0 if winner is None else stake if winner == seat else -stake
        need(client.me["tokens"] == before["tokens"] + won, "tokens", before, client.me, won)
        rated = [one for one in client.me["ratings"] if one["game"] == game]
        need(bool(rated) == (way == "queue") == bool(played[0].get("rating")), "ratings:", client.me, played)
    status, file = await client.http(f"/api/tables/{name}/files/{what['file']}{suffix}", plain=True)
    need(status == 200, "the file:", status, file)
    if game == "backgammon": need("Game 1" in file, "no match:", file)
    if game == "gomoku": need(file.startswith("(;") and "GM[4]" in file, "no sgf:", file)
    if game == "poker": need(file.count("variant") >= HANDS, "too few hands:", file)
    if game == "battle":
        lines = [json.loads(line) for line in file.splitlines()]
        need(lines[-1]["type"] == "match_end" and all("at_ms" in line for line in lines), "no messages:", file)


async def eventually(ask, what, limit=LIMIT):
    """Asks over and over, for what comes without news. Without `what` it may be in vain."""
    until = time.monotonic() + limit
    while not (found := await ask()):
        if time.monotonic() > until:
            if what is None: return None
            raise Failed(f"asked {limit} s for {what}")
        await asyncio.sleep(0.02)
    return found


async def check_proof(proof):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(proof, file)
        file.flush()
        checker = await asyncio.create_subprocess_exec(
            sys.executable, str(HERE.parent / "fairness" / "check.py"), file.name, stdout=subprocess.PIPE)
        said = (await checker.communicate())[0].decode()
    need(checker.returncode == 0, "the dice are", said)


async def pair(port, game, way, seed, clients):
    """Two clients, a game; says what has happened."""
    began, link = time.monotonic(), asyncio.Queue()
    both = [Client(port, f"{who} {game[:4]}.{way}.{seed}", seed) for who in ("Ann", "Bob")]
    clients += both
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(play(client, game, way, first, link)) for first, client in zip((True, False), both)]
    except* Exception as failed:
        why = failed
        while isinstance(why, ExceptionGroup): why = why.exceptions[0]
        if not isinstance(why, Failed): traceback.print_exception(why)
        raise Failed(f"{game}, {way}, seed {seed}: {why!r}"[:6000]) from None
    names = {task.result() for task in tasks}
    need(len(names) == 1, "not one table:", names)
    name = names.pop()
    need(all(client.backs == 1 for client in both), game, way, "reconnects:", [client.backs for client in both])
    views = [(client.tables[name].update or client.tables[name].last)["view"] for client in both]
    if game in ("backgammon", "gomoku"): need(views[0] == views[1], "the ends differ:", views)
    if game == "poker":
        chips = await settle(both, clients, name, way)
        end = f"{views[0]['hand'] - 1} hands, chips {chips[0]:g} and {chips[1]:g}"
    else:
        winner, table = GAMES[game]["winner"](views[0]), both[0].tables[name].info
        reason = {"backgammon": lambda: f"{views[0]['match']['history'][-1]['points']} points", "gomoku": lambda: views[0]["reason"],
                  "battle": lambda: f"{views[0]['end']['reason']} in round {views[0]['roundIndex']}"}[game]()
        end = f"{'drawn' if winner is None else table['chairs'][winner]['name'].split()[0] + ' won'}: {reason}"
    codes = " ".join(sorted(both[0].provoked + both[1].provoked))
    print(f"{seed:2} {game:10} {way:7} {both[0].answers + both[1].answers:4} answers, 2 back, {time.monotonic() - began:4.1f} s; {end}; refused: {codes}", flush=True)


async def settle(both, clients, name, way):
    """Who has left a poker table has the chips when the next hand would begin."""
    async def chips():
        chips = [(await client.get("account", "account"))["me"]["chips"] for client in both]
        return chips if abs(sum(chips) - 2 * 1000) < 1e-9 else None

    found = await eventually(chips, None, 2)
    if not found:
        odd("the chips of who leaves a poker table last stay there until it is closed")
        if way != "queue": found = await eventually(chips, "the chips of a table that is closed")
        else:
            # Somebody who sits down wakes the table up.
            waker = Client(both[0].port, f"Eve {name}", 0)
            clients.append(waker)
            await waker.start()
            await waker.get("sit", "seated", table=name, chips=40)
            found = await eventually(chips, "the chips of those who have left")
    return found


async def closed(client, name):
    """A poker table that nobody sits at is closed after a minute; then there are a log and a proof."""
    key = f"?key={client.key}" if client.key else ""

    async def log():
        status, log = await client.http(f"/api/tables/{name}/log{key}", plain=True)
        need(status == 200 or log["code"] == "not_over", "a log was answered", status, log)
        return status == 200 and log

    if not await eventually(log, None, 90):
        print("not closed:", client.name, await client.http(f"/api/tables/{name}{key}"), flush=True)
        return odd("a poker table that all have left is not closed after a minute")
    status, proof = await client.http(f"/api/tables/{name}/proof{key}")
    need(status == 200, "the proof:", status, proof)
    await check_proof(proof)


async def gone(port, seed, clients):
    """In a queued battle who is gone has lost."""
    config = {"rounds": 2, "first_step_ms": 30, "next_step_ms": 30}
    both = [Client(port, f"{who} gone.{seed}", seed) for who in ("Ann", "Bob")]
    clients += both
    for client in both:
        await client.start()
        await client.get("queue", game="battle", config=config)
    ann, bob = both
    for client in both: await client.until(lambda: client.matched, "matched")
    name = ann.matched[0]["table"]
    need((ann.matched[0]["seat"], bob.matched[0]["seat"]) == (0, 1), "who waited longer has chair 0:", ann.matched, bob.matched)
    ann.connection.drop()
    table = bob.tables[name]
    await bob.until(lambda: table.over, "the end of a battle whose other player is gone")
    end = table.update["view"]["end"]
    need(end["reason"] == "disconnect" and end["winner"] == 1, "who is gone has lost:", end)
    print(f"{seed:2} battle     gone       Ann lost the connection, Bob won: {end['reason']}", flush=True)


# ---------------------------------------------------------------- the server

class Server:
    def __init__(self, binary):
        need(shutil.which(binary), "PARLOR is no program:", binary)
        self.folder = tempfile.mkdtemp(prefix="parlor-play-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = Path(self.folder) / "log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [binary, "serve", "--no-limits", "--log", "json", "--listen", f"127.0.0.1:{self.port}", "--journal", f"{self.folder}/journal.db"],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, env={**os.environ, "RUST_LOG": "trace"})

    def wait_ready(self):
        until = time.monotonic() + LIMIT
        while True:
            need(self.process.poll() is None, "the server ended:", self.tail())
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=LIMIT) as answer:
                    if answer.status == 200: return
            except OSError: pass
            need(time.monotonic() < until, "the server is not ready:", self.tail())
            time.sleep(0.02)

    def tail(self): return self.log.read_bytes()[-2000:].decode(errors="replace")

    def remove(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder)


def check_openapi(port):
    status, described = http(port, "/api/openapi.json")
    need(status == 200 and described["openapi"].startswith("3."), "no OpenAPI:", described.get("openapi"))
    need(described["info"]["title"] and described["info"]["version"], "no info")
    for path in ("/api/games", "/api/say", "/api/me", "/api/me/history", "/api/tables", "/api/tables/{table}"):
        need(path in described["paths"], path, "is not described:", list(described["paths"]))
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            need(operation["responses"], path, method, "has no responses")
            named = {one["name"] for one in operation.get("parameters", []) if one["in"] == "path"}
            need(named == {part[1:-1] for part in path.split("/") if part.startswith("{")}, path, "has parameters", named)
    if validate_openapi: validate_openapi(described)


async def run(server, rounds, seed):
    clients = []
    status, games = await asyncio.to_thread(http, server.port, "/api/games")
    need(status == 200 and {game["game"] for game in games} == set(GAMES), "the games:", games)
    need(all(GAMES[game["game"]]["file"] in game["files"] for game in games), "the files:", games)
    check_openapi(server.port)
    status, told = await asyncio.to_thread(http, server.port, "/api/me")
    need(status == 401 and told["type"] == "refused", "/api/me without a token:", status, told)
    for round in range(seed, seed + rounds):
        try:
            async with asyncio.TaskGroup() as group:
                for game in GAMES:
                    for way in ("lobby", "queue", "private"): group.create_task(pair(server.port, game, way, round, clients))
                group.create_task(gone(server.port, round, clients))
        except* Exception as failed: raise failed.exceptions[0] from None
    if PROOF:
        tables = [(client, name) for client in clients if "poke.lobby" in client.name or "poke.private" in client.name for name in client.tables]
        async with asyncio.TaskGroup() as group:
            for client, name in tables: group.create_task(closed(client, name))
        print(f"{len({name for _, name in tables})} tables of poker were closed, with their logs and proofs")
    # The server stops: all are told, and it ends well.
    there = [client for client in clients if not client.connection.closed]
    need(len(there) >= len(clients) - rounds, "only", len(there), "of", len(clients), "are still there")
    server.process.send_signal(signal.SIGTERM)
    for client in there: await client.until(lambda: client.connection.bye, "bye")
    need(all(client.connection.bye["code"] == "stopping" for client in there), "bye:", there[0].connection.bye)
    status = await asyncio.wait_for(asyncio.to_thread(server.process.wait, LIMIT), LIMIT)
    need(status == 0, "the server ended with", status, server.tail())
    SECRETS.update(client.token for client in clients)
    log = server.log.read_text(errors="replace")
    told = [secret for secret in SECRETS if secret in log]
    need(not told, len(told), "tokens and keys stand in the log")
    print(f"all {len(there)} clients were told bye; none of {len(SECRETS)} tokens and keys in {len(log) / 1e6:.1f} MB of log")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("--games", type=int, default=10 if PROOF else 1)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--strict", action="store_true")
    arguments = arguments.parse_args()
    global STRICT
    STRICT = arguments.strict
    began = time.monotonic()
    server = None
    try:
        server = Server(os.environ.get("PARLOR", "parlor"))
        server.wait_ready()
        asyncio.run(run(server, arguments.games, arguments.seed))
    except Failed as failed:
        print("failed:", failed, file=sys.stderr)
        return 1
    finally:
        if server: server.remove()
    for what, times in ODD.items(): print(f"not as the pages say, {times} times: {what}")
    print(f"all well in {time.monotonic() - began:.1f} s")
    return 0


if __name__ == "__main__": sys.exit(main())
