"""The attacks. Each is named by what is sent, checks what comes back, and says it."""

import asyncio
import gzip
import json
import random
import time
from http.client import HTTPException, HTTPResponse

from websockets.exceptions import ConnectionClosed, InvalidStatus

from house import (PATIENCE, WHOLE, Client, addresses, check, closed, drained, frame, names, plain, say,
                   tally, two_at, upgrade)


async def malformed(house):
    """texts that are no messages, and messages with letters changed"""
    nested = "[" * 1000 + "]" * 1000
    wrong = ["", "{", "null", "[]", "7", '"x"', "{}", "\x00", nested, '{"id":1,"type":"ping"}',
             '{"id":"","type":"ping"}', '{"id":"x"}', '{"id":"x","type":null}',
             '{"id":"x","type":"ping","type":"ping"}', '{"id":"x","id":"y","type":"ping"}',
             '{"id":"x","type":"ping","more":1}', '{"id":"' + "x" * 65 + '","type":"ping"}',
             '{"id":"x","type":"lobby","watch":"yes"}', '{"id":"\\ud800","type":"ping"}',
             '{"id":"x","type":"play","table":"t","command":' + nested + "}",
             '{"id":"x","type":"create","game":"poker","config":[]}', '{"id":"x","type":"ping"}}']
    codes = []
    client = await Client.guest(house)
    for text in wrong:
        told = await client.raw(text)
        check((told["type"], told["code"]) == ("refused", "malformed"), f"{text[:80]!r}: {told}")
        codes.append(told["code"])
    chance = random.Random(7)
    good = '{"id":"x","type":"create","game":"gomoku","config":{"rule":"caro"},"access":"open"}'
    for n in range(2000 if WHOLE else 200):
        if n % 60 == 0:
            await client.close()
            client = await Client.guest(house)
        text = list(good)
        for _ in range(chance.randint(1, 4)):
            text[chance.randrange(len(text))] = chr(chance.choice([34, 44, 58, 91, 123, 125, 48, 0x1F600]))
        told = await client.raw("".join(text))
        check(told["type"] in ("refused", "created"), told)
        codes.append(told.get("code", told["type"]))
    await client.close()
    return tally(codes)


async def huge(house):
    """messages of 5 kB, 70 kB and 10 MB, and a frame that says it has 2⁶² bytes"""
    client = await Client.guest(house)
    told = await client.raw(json.dumps({"id": "x", "type": "ping", "more": "x" * 5000}))
    check(told["code"] == "too_long", told)
    codes = [told["code"]]
    await client.close()
    for size in (70_000, 10_000_000):
        client = await Client.guest(house)
        try:
            await client.socket.send("x" * size)
        except ConnectionClosed:
            pass
        codes += [told["code"] for told in await client.ends()]
    raw, _ = await asyncio.to_thread(upgrade, house)
    raw.sendall(b"\x81\xff" + (2**62).to_bytes(8) + b"0000" + b"x" * 100)
    await asyncio.to_thread(drained, raw)
    raw.close()
    check(set(codes) == {"too_long", "unreadable"}, codes)
    return tally(codes)


async def binary(house):
    """binary frames, frames without a mask, of no kind, in pieces, and no UTF-8"""
    client = await Client.guest(house)
    told = await client.raw(b"\x00\xff" * 50)
    check(told["code"] == "malformed", told)
    check((await client.ask({"type": "ping"}))["type"] == "done", "it goes on")
    await client.close()
    broken = [b"\x81\x05hello", frame(b"x", opcode=3), frame(b"\xff\xfe"), frame(b"x", opcode=0),
              frame(b"{", first=0) * 3, frame(b"x" * 200, opcode=9), frame(b"\x00", opcode=8),
              b"\xff" * 500]
    for bytes in broken:
        raw, _ = await asyncio.to_thread(upgrade, house)
        raw.sendall(bytes)
        await asyncio.to_thread(drained, raw)
        raw.close()
    return f"malformed; {len(broken)} connections ended"


async def unknown(house):
    """messages, games, tables, options, languages and commands that there are not"""
    client = await Client.guest(house)
    asks = [({"type": "fly"}, "malformed"), ({"type": "create", "game": "chess"}, "unknown_game"),
            ({"type": "create", "game": "\x00"}, "unknown_game"),
            ({"type": "create", "game": "poker", "config": {"x": 1}}, "malformed"),
            ({"type": "create", "game": "poker", "options": {"x": 1}}, "malformed"),
            ({"type": "create", "game": "poker", "access": "secret"}, "malformed"),
            ({"type": "account", "language": "tlh"}, "malformed"),
            ({"type": "sit", "table": "t-000000000000"}, "no_such_table"),
            ({"type": "watch", "table": "../../etc"}, "no_such_table"),
            ({"type": "proof", "table": "\u202e"}, "no_such_table"),
            ({"type": "queue", "game": ""}, "unknown_game"),
            ({"type": "release", "table": "t-1", "link": "xyz"}, "malformed")]
    codes = [await client.refused(ask, code) for ask, code in asks]
    table, people = await two_at(house, "gomoku")
    await people[0].asked(table)
    for command in [None, 7, [], {}, {"type": "castle"}, {"type": "move"}, "move", [[]] * 100]:
        play = {"type": "play", "table": table, "command": command}
        codes.append(await people[0].refused(play, "malformed"))
    await closed([client, *people])
    return tally(codes)


async def out_of_order(house):
    """what needs something else first"""
    client = await Client.open(house)
    codes = []
    for say in [{"type": "lobby"}, {"type": "create", "game": "gomoku"}, {"type": "unqueue"},
                {"type": "play", "table": "t-1", "command": {}}, {"type": "logout"}]:
        codes.append(await client.refused(say, "hello_first"))
    for say, code in [({"version": 99, "name": "x"}, "other_version"),
                      ({"version": 1, "token": "0" * 48}, "bad_token"), ({"version": 1}, "malformed")]:
        codes.append(await client.refused({"type": "hello", **say}, code))
    await client.ask({"type": "hello", "version": 1, "name": next(names)})
    codes.append(await client.refused({"type": "hello", "version": 1, "name": next(names)}, "hello_twice"))
    table = await client.table("gomoku")
    move = {"command": {"type": "move", "x": 0, "y": 0}}
    for say, code in [({"type": "play", **move}, "not_seated"), ({"type": "offer", "what": "rematch"}, "not_seated"),
                      ({"type": "top_up", "chips": 1}, "not_seated")]:
        codes.append(await client.refused({**say, "table": table}, code))
    codes.append(await client.refused({"type": "unqueue"}, "not_queued"))
    await client.close()
    return tally(codes)


async def replayed(house):
    """a move five times, its id with another move, an old question"""
    table, people = await two_at(house, "gomoku")
    update = await people[0].asked(table)
    move = {"type": "play", "table": table, "ask": update["ask"],
            "command": {"type": "move", "x": 3, "y": 3}}
    words = [(await people[0].ask(move, id="same"))["type"] for _ in range(5)]
    check(words == ["done"] * 5, words)
    other = {**move, "command": {"type": "move", "x": 4, "y": 4}}
    words.append((await people[0].ask(other, id="same"))["code"])
    update = await people[1].asked(table)
    check(len(update["view"]["moves"]) == 1, "it was done once")
    words.append(await people[0].refused(other, "stale_ask"))
    check("id_reused" in words, words)
    await closed(people)
    return tally(words) + "; played once"


async def anothers_seat(house):
    """moves on another's chair, by a stranger and by the opponent"""
    table, people = await two_at(house, "gomoku")
    update = await people[0].asked(table)
    stranger = await Client.guest(house)
    move = {"type": "play", "table": table, "ask": update["ask"],
            "command": {"type": "move", "x": 3, "y": 3}}
    codes = [await stranger.refused(move, "not_seated"), await people[1].refused(move, "stale_ask"),
             await people[1].refused({**move, "ask": None}, "wrong_player"),
             await stranger.refused({"type": "sit", "table": table, "seat": 0}, "no_chair")]
    await closed([*people, stranger])
    return tally(codes)


async def anothers_token(house):
    """the token of a chair for all else, tokens that are revoked, guessed, or no tokens"""
    table, people = await two_at(house, "gomoku")
    update = await people[0].asked(table)
    seat = await Client.open(house)
    welcome = await seat.ask({"type": "hello", "version": 1, "token": people[0].seat_token})
    check(welcome["tables"] == [table], welcome)
    codes = []
    for say in [{"type": "create", "game": "gomoku"}, {"type": "claim", "password": "x" * 10},
                {"type": "account"}, {"type": "leave", "table": table}, {"type": "queue", "game": "gomoku"},
                {"type": "watch", "table": "t-000000000000"}]:
        codes.append(await seat.refused(say, "seat_only"))
    move = {"type": "play", "table": table, "ask": update["ask"],
            "command": {"type": "move", "x": 3, "y": 3}}
    check((await seat.ask(move))["type"] == "done", "the chair's own token plays")
    await seat.ask({"type": "logout"})
    for token in [people[0].seat_token, "", "\x00", "0" * 48, "x" * 3000, people[1].token[:-1]]:
        thief = await Client.open(house)
        codes.append(await thief.refused({"type": "hello", "version": 1, "token": token}, "bad_token"))
        await thief.close()
    await closed([*people, seat])
    return tally(codes)


async def flood(house):
    """10,000 messages at once on one connection"""
    client = await Client.guest(house)
    message = json.dumps({"id": "x", "type": "ping"})
    reading = asyncio.create_task(client.ends())
    try:
        for _ in range(10_000):
            await client.socket.send(message)
    except ConnectionClosed:
        pass
    codes = [told.get("code", told["type"]) for told in await asyncio.wait_for(reading, PATIENCE)]
    check(codes.count("slow_down") >= 100, f"{codes.count('slow_down')} times told to slow down")
    check("flood" in codes and codes.count("done") < 500, tally(codes))
    back = await Client.open(house)
    welcome = await back.ask({"type": "hello", "version": 1, "token": client.token})
    check(welcome["type"] == "welcome", welcome)
    await back.close()
    return tally(codes)


async def half_open(house):
    """connections that stop in the middle of a request, of a body, of a frame"""
    sockets, count = [], 100 if WHOLE else 50
    halves = [b"GET /ws HTTP/1.1\r\nHost: x\r\nUpg", b"\x16\x03\x01\x02\x00\x01",
              b"POST /api/say HTTP/1.1\r\nHost: x\r\nContent-Length: 4000\r\n\r\n{"]
    for n in range(count):
        raw = await asyncio.to_thread(plain, house)
        raw.sendall(halves[n % len(halves)])
        sockets.append(raw)
        raw, _ = await asyncio.to_thread(upgrade, house)
        raw.sendall(b"\x81\xfe")
        sockets.append(raw)
    client = await Client.guest(house)
    check((await client.ask({"type": "ping"}))["type"] == "done", "others are answered")
    await client.close()
    for raw in sockets:
        raw.close()
    return f"{2 * count} connections, and others are answered"


async def never_ask(house):
    """connections that never send a request, or not the next, or half of one"""
    sockets = [await asyncio.to_thread(plain, house, "127.0.0.2") for _ in range(300)]
    began = time.monotonic()
    # Behind a proxy, and behind none.
    silent = [await asyncio.to_thread(plain, house, source) for source in ("127.0.0.1", "127.0.0.3")]
    for start in [b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /healthz HTTP/1.1\r\nHo"]:
        silent.append(await asyncio.to_thread(plain, house, "127.0.0.3"))
        silent[-1].sendall(start)

    def sent_away(raw):
        drained(raw)
        return time.monotonic() - began
    took = await asyncio.to_thread(lambda: [sent_away(raw) for raw in silent])
    check(min(took) > 8 and max(took) < 15, f"they are sent away after {took} s")
    said = [await asyncio.to_thread(raw.recv, 1000) for raw in sockets]
    refused = [text for text in said if b" 429 " in text and b"too_many_connections" in text]
    check(len(refused) == 44, f"{len(refused)} of 300 are refused")
    for raw in [*sockets, *silent]:
        raw.close()
    check(time.monotonic() - began < 25, "they are not sent away")
    return f"44 too_many_connections, 256 sent away, the last of {len(silent)} after {max(took):.1f} s"


# Asks for so much of a long lobby that no buffer holds it.
ASKS_MUCH = say(id="2", type="lobby", watch=True) + say(id="3", type="lobby") * 80


async def long_lobby(house):
    """Opens many tables; who looks at them, and the last one, which is the first's."""
    hosts = [await Client.guest(house) for _ in range(4)]
    for host in reversed(hosts):
        for _ in range(18):
            table = await host.table("poker")
            await host.ask({"type": "watch", "table": table})
    return hosts, table


async def never_read(house):
    """connections that ask for much and never read"""
    count = 1000 if WHOLE else 200
    hosts, table = await long_lobby(house)
    # Nothing else happens meanwhile, for the sake of the figure.
    before, sockets = house.memory_mib(), []
    for _ in range(count):
        raw, answer = upgrade(house, small=True)
        check(b"101" in answer, answer[:80])
        raw.sendall(say(id="1", type="hello", version=1, name=next(names)) + ASKS_MUCH)
        sockets.append(raw)
    grown = house.memory_mib() - before
    # Some of the longest answers there are, and not all that was asked for.
    lobby = len(house.http("GET", "/api/tables")[1]) / 2**20
    check(grown < count * (8 * lobby + 1 / 8), f"{grown:.0f} MiB for {count} connections")
    began = time.monotonic()
    while (left := house.metric("parlor_connections")) > count:
        check(time.monotonic() - began < 2 * PATIENCE, f"{left} connections are there still")
        # The lobby changes all the time.
        for turn in [{"type": "sit", "chips": 40}, {"type": "leave"}]:
            await hosts[0].ask({**turn, "table": table})
        await asyncio.sleep(0.2)
    for raw in sockets:
        raw.close()
    await closed(hosts)
    return f"{count} cut off after {time.monotonic() - began:.0f} s, {grown * 1024 / count:.0f} KiB each"


async def slow_read(house):
    """a client that asks for much and reads a hundred bytes a second"""
    hosts, _ = await long_lobby(house)
    raw, _ = await asyncio.to_thread(upgrade, house, "", True)
    raw.sendall(say(id="1", type="hello", version=1, name=next(names)) + ASKS_MUCH)
    began, ended = time.monotonic(), False
    while not ended and time.monotonic() - began < 2 * PATIENCE:
        try:
            # Who is cut off hears of it when it says something.
            raw.sendall(say(id="4", type="ping"))
            ended = not await asyncio.to_thread(raw.recv, 5)
        except (ConnectionError, TimeoutError):
            ended = True
        await asyncio.sleep(0.05)
    raw.close()
    await closed(hosts)
    check(ended, "it is not cut off")
    return f"cut off after {time.monotonic() - began:.0f} s"


async def bombs(house):
    """compressed frames and bodies of 10 MB in 10 kB"""
    raw, answer = await asyncio.to_thread(upgrade, house, "Sec-WebSocket-Extensions: permessage-deflate\r\n")
    check(b"permessage-deflate" not in answer, "compression is not agreed on")
    bomb = gzip.compress(b" " * 10_000_000)
    raw.sendall(frame(bomb[:4000], first=0xC0))
    await asyncio.to_thread(drained, raw)
    raw.close()
    headers = {"Content-Encoding": "gzip"}
    status, text = await asyncio.to_thread(house.http, "POST", "/api/say", bomb[:4000], headers)
    check((status, json.loads(text)["code"]) == (400, "malformed"), text)
    status, text = await asyncio.to_thread(house.http, "POST", "/api/say", bomb, headers)
    check((status, json.loads(text)["code"]) == (413, "too_long"), text)
    return "not agreed on, ended; malformed, too_long"


async def strange_names(house):
    """names and chat with control characters, and names that cannot be told apart"""
    strange = ["", " ", "x", "\u0301\u0301", "x" * 25, "a  b", "<b>", "a/b", "\U0001F600\U0001F600"]
    hidden = [*range(0x20), *range(0x7F, 0xA0), 0x00AD, 0x200B, 0x200E, 0x202E, 0x2066, 0xFEFF, 0x3164,
              0xE000, 0xE0041]
    strange += [f"a{chr(point)}b" for point in hidden if chr(point) != " "]
    codes = []
    client = await Client.open(house)
    for n, name in enumerate(strange):
        if n % 15 == 14:
            await client.close()
            client = await Client.open(house)
        codes.append(await client.refused({"type": "hello", "version": 1, "name": name}, "bad_name"))
    codes.append(await client.refused({"type": "hello", "version": 1, "name": "House"}, "name_reserved"))
    await client.close()
    client = await Client.guest(house)
    table = await client.table("gomoku")
    for text in ["", "\x00", "a\nb", "a\x1b[31mb", "x" * 201, "a\u202eb"]:
        codes.append(await client.refused({"type": "chat", "table": table, "text": text}, "bad_chat"))
    await client.close()
    return tally(codes)


async def short_times(house):
    """tables whose times are as short as can be, and nobody who plays"""
    client = await Client.guest(house)
    codes = []
    for game, config in [("poker", {"within_ms": 0}), ("poker", {"within_ms": 999}),
                         ("battle", {"prep_ms": 0}), ("gomoku", {"clock": {"per_move": {"per_move_ms": 0}}})]:
        codes.append(await client.refused({"type": "create", "game": game, "config": config}, "bad_config"))
    everyone = [client]
    for game, config in [("poker", {"within_ms": 1000, "between_ms": 0, "sit_out_after": 0}),
                         ("battle", {"prep_ms": 1, "first_step_ms": 1, "next_step_ms": 1, "stake": 0}),
                         ("backgammon", {})]:
        _, people = await two_at(house, game, 40 if game == "poker" else None, **config)
        everyone += people
    before = house.metric("parlor_entries_total")
    await asyncio.sleep(1)
    written = house.metric("parlor_entries_total") - before
    check(written < 1000, f"{written} entries a second")
    await closed(everyone)
    return tally(codes)


async def wrong_origin(house):
    """pages of other sites, over WebSocket and HTTP"""
    for path in ("", "/battle"):
        for origin in ("https://evil.example", "null", f"http://127.0.0.1:{house.port}.evil.example"):
            try:
                await Client.open(house, origin=origin, path=path)
                check(False, f"a page of {origin} may connect")
            except InvalidStatus as refused:
                check(refused.response.status_code == 403, refused)
                check(json.loads(refused.response.body)["code"] == "foreign_origin", refused.response.body)
    status, text = await asyncio.to_thread(house.http, "POST", "/api/say", b"{}", {"Origin": "null"})
    check((status, json.loads(text)["code"]) == (403, "foreign_origin"), text)
    return "7 foreign_origin"


async def crowd(house):
    """a hundred WebSockets from one address"""
    address, clients, codes = next(addresses), [], []
    for _ in range(100):
        try:
            clients.append(await Client.open(house, address=address))
        except InvalidStatus as error:
            codes.append(json.loads(error.response.body)["code"])
    check(codes == ["too_many_connections"] * 36, codes)
    await closed(clients)
    return tally(codes)


UPGRADE = (b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n")
POST = b"POST /api/say HTTP/1.1\r\nHost: x\r\n"
# Requests that are refused, and the statuses they may be refused with.
NO_REQUESTS = {
    UPGRADE + b"Sec-WebSocket-Version: 99\r\n\r\n": (400, 426),
    UPGRADE + b"\r\n": (400, 426),
    UPGRADE.replace(b"HTTP/1.1", b"HTTP/1.0") + b"Sec-WebSocket-Version: 13\r\n\r\n": (400, 426, 505),
    UPGRADE.replace(b"/ws", b"/ws/chess") + b"Sec-WebSocket-Version: 13\r\n\r\n": (404,),
    UPGRADE.replace(b"GET", b"PUT") + b"Sec-WebSocket-Version: 13\r\n\r\n": (405,),
    b"CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n": (405,),
    b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n": (404, 405),
    b"GET /api/tables/t-1/replay?from=x HTTP/1.1\r\nHost: x\r\n\r\n": (400,),
    POST + b"Transfer-Encoding: chunked\r\n\r\n" + b"2000\r\n" + b"x" * 0x2000 + b"\r\n0\r\n\r\n": (413,),
    POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n": (400,),
}
NO_HTTP = [b"\x00" * 1000, b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\nx: " + b"x" * 100_000,
           b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\n\r\n",
           b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 1000 + b"\r\n",
           b"GET / HTTP/1.1\r\nx y: z\r\n\r\n", POST + b"Content-Length: -1\r\n\r\n",
           b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00"]


def refused_body(house, request, statuses, bare=False):
    """Sends a request that is refused with one of these statuses; the code in the body of the answer.
    If it may be bare, the status where there is no body."""
    raw, status, body = plain(house), None, b""
    try:
        raw.sendall(request)
        answer = HTTPResponse(raw)
        answer.begin()
        status, body = answer.status, answer.read()
    except (ConnectionError, HTTPException):
        pass
    raw.close()
    if bare and not body:
        check(status in (*statuses, None), f"{request[:60]}: {status}")
        return f"bare {status or 'end'}"
    told = json.loads(body or b"{}")
    check(status in statuses and told.get("code") and told.get("text"), f"{request[:60]}: {status} {body}")
    return told["code"]


async def over_http(house):
    """rubbish over HTTP, wrong methods, long bodies and heads, 400 requests at once"""
    codes = []
    for method, path, body, status, code in [
        ("POST", "/api/say", b"{", 400, "malformed"), ("POST", "/api/say", b"\xff", 400, "malformed"),
        ("POST", "/api/say", b"x" * 5000, 413, "too_long"), ("POST", "/api/say", b"x" * 100_000, 413, "too_long"),
        ("GET", "/api/tables/..%2f..%2fetc", None, 404, "no_such_table"),
        ("GET", "/api/tables/%00", None, 404, "no_such_table"), ("GET", "/api/tables/%ff", None, 400, "malformed"),
        ("GET", "/api/tables/t-1?key=a&key=b", None, 400, "malformed"), ("GET", "/api/me", None, 401, "hello_first"),
        ("DELETE", "/api/me", None, 405, "no_such_method"), ("BREW", "/", None, 405, "no_such_method"),
        ("GET", "/api/leaderboards/chess/x", None, 404, "unknown_game"), ("GET", "/api/nowhere", None, 404, "no_such_file"),
        ("GET", "/api/players/%F0%9F%98%80", None, 404, "no_account"),
        ("GET", "/admin/status", None, 404, "no_such_file"), ("GET", "/ws", None, 400, "malformed"),
        ("GET", "/api/tables/t-000000000000/files/mat", None, 404, "no_such_table"),
    ]:
        got, text = await asyncio.to_thread(house.http, method, path, body)
        told = json.loads(text)
        check((got, told["code"]) == (status, code) and told["text"], f"{method} {path}: {got} {text[:200]}")
        codes.append(code)
    guess = {"Authorization": "Bearer guess"}
    got, text = await asyncio.to_thread(house.http, "GET", "/api/me", None, guess)
    check((got, json.loads(text)["code"]) == (401, "bad_token"), text)
    for request, statuses in NO_REQUESTS.items():
        codes.append(await asyncio.to_thread(refused_body, house, request, statuses))
    # What is no HTTP, or too long a head, hyper refuses by itself: it has no body, and may be no answer.
    for rubbish in NO_HTTP:
        codes.append(await asyncio.to_thread(refused_body, house, rubbish, (400, 431), True))
    asks = f"GET /api/games HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: {next(addresses)}\r\n"
    raw = await asyncio.to_thread(plain, house)
    raw.sendall(f"{asks}\r\n".encode() * 399 + f"{asks}Connection: close\r\n\r\n".encode())
    text = await asyncio.to_thread(lambda: b"".join(iter(lambda: raw.recv(65536), b"")))
    raw.close()
    slow = text.count(b'"slow_down"')
    check(text.count(b"HTTP/1.1 429 ") == slow and slow >= 100, f"{slow} of 400 are told to slow down")
    codes += ["slow_down"] * slow
    return tally(codes)


async def other_words(house):
    """rubbish in the battle's own words"""
    client = await Client.open(house, path="/battle")
    said = 0
    for text in ["", "{", "[]", '{"type":"fly"}', '{"type":"hello"}', '{"type":"layout_confirm","layout":[]}',
                 '{"type":"queue_join","stake":1e308}', "\x00", "[" * 2000, '{"type":"hello","nickname":7}']:
        await client.socket.send(text)
        said += bool(await client.hears())
    await client.socket.send("x" * 70_000)
    await client.ends()
    return f"{said} answers, then ended"


async def crumbs(house):
    """a message in empty pieces without end"""
    raw, _ = await asyncio.to_thread(upgrade, house)
    raw.sendall(frame(b"", first=0))
    pieces = frame(b"", opcode=0, first=0) * 1000

    def sends():
        try:
            for _ in range(2000):
                raw.sendall(pieces)
        except ConnectionError:
            pass
    sending, told, began = asyncio.create_task(asyncio.to_thread(sends)), b"", time.monotonic()
    try:
        while more := await asyncio.to_thread(raw.recv, 65536):
            told += more
    except ConnectionError:
        pass
    await sending
    raw.close()
    # Pings, and a close: pieces that are no message count as silence.
    took = time.monotonic() - began
    check(told.endswith(b"\x88\x00") and 70 < took < 110, f"{told[-200:]} after {took:.1f} s")
    return f"closed after {took:.0f} s"


async def many_houses(house):
    """house players at many tables, in matches that take long to think about"""
    # Each is another match, so that what was solved for one is of no use to the next.
    configs = ({"hp": 20, "max_hp": 20, "rounds": rounds, "sudden_death_cap": cap, "stake": 0,
                "both_down": "sudden_death"} for rounds in range(10, 0, -1) for cap in range(100, 90, -1))
    hosts, called = [await Client.guest(house) for _ in range(2)], 0
    for host in hosts:
        for _ in range(20 if WHOLE else 5):
            table = await host.table("battle", **next(configs))
            await host.ask({"type": "watch", "table": table})
            for _ in range(2):
                sat = await host.ask({"type": "house", "table": table, "level": "hard"})
                check(sat["type"] == "done", sat)
                called += 1
    began = time.monotonic()
    newcomer = await Client.guest(house)
    table = await newcomer.table("gomoku")
    await newcomer.ask({"type": "sit", "table": table, "seat": 1})
    await newcomer.ask({"type": "house", "table": table, "level": "medium"})
    let_in = time.monotonic() - began
    await newcomer.asked(table)
    answered = time.monotonic() - began
    check(let_in < 3, f"a newcomer waits {let_in:.1f} s")
    check(answered < 15, f"a newcomer waits {answered:.1f} s for the house")
    await newcomer.ask({"type": "leave", "table": table})
    await closed([*hosts, newcomer])
    return f"{called} called; a newcomer was let in after {let_in:.2f} s and had the house's move after {answered:.1f}"


async def rematches(house):
    """the same again, again and again"""
    client = await Client.guest(house)
    await client.ask({"type": "queue", "game": "gomoku", "house_after_s": 0})
    table = (await client.last(lambda told: told["type"] == "matched"))["table"]
    await client.ask({"type": "leave", "table": table})
    answers = [await client.ask({"type": "offer", "table": table, "what": "rematch"}) for _ in range(50)]
    codes = [answer.get("code", answer["type"]) for answer in answers]
    check(codes == ["done"] + ["rematched"] * 49, tally(codes))
    again = await client.last(lambda told: told["type"] == "matched" and told["table"] != table)
    await client.ask({"type": "leave", "table": again["table"]})
    await client.close()
    return tally(codes)
