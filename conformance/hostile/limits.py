"""Numbers at the limits of every field that holds one: of messages, configs, options, commands.

The fields of messages come from docs/protocol.schema.json, those of configs from /api/games.
"""

import asyncio
import json
import pathlib
import random

from house import WHOLE, Client, check, closed, two_at

SCHEMA = pathlib.Path(__file__).parents[2] / "docs/protocol.schema.json"
EDGES = [-2**63, -1, -0.0, 0, 0.00001, 0.5, 1, 127, 128, 255, 256, 65535, 65536, 2**31, 2**32 - 1, 2**32,
         2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30, 1e308]

# What a config or a table may hold and does not show by default.
WAGER = {"chips_a_point": 0, "most_points": 0}
MORE = {
    "poker": [{"rake": {"per_10_000": 0}}, {"rake": {"per_10_000": 500, "cap": 0}}, {"straddles": [0]},
              {"bomb_every": 1, "bomb_ante": 0}],
    "backgammon": [WAGER],
    "gomoku": [WAGER, {"clock": {"game": {"reserve_ms": 0, "increment_ms": 0}}}],
}
OPTIONS = [{"disconnect_grace_ms": 0}, {"abandon_after_s": 0}, {"watch_delay_ms": 0},
           {"clock": {"per_move": {"per_move_ms": 0}}},
           {"clock": {"game": {"reserve_ms": 0, "increment_ms": 0, "delay_ms": 0}}},
           {"clock": {"bank": {"per_move_ms": 0, "bank_ms": 0}}}]
STEP = {"from": 0, "to": 0, "die": 0}
COMMANDS = {
    "backgammon": [{"type": "roll", "seat": 0}, {"type": "move", "seat": 0, **STEP},
                   {"type": "enter", "seat": 0, "to": 0, "die": 0},
                   {"type": "bear-off", "seat": 0, "from": 0, "die": 0},
                   {"type": "play", "seat": 0, "moves": [STEP, STEP]},
                   {"type": "offer-resign", "seat": 0, "value": 0}],
    "battle": [{"type": "layout_draft", "layout": [0, 0, 0]}],
    "gomoku": [{"type": "move", "x": 0, "y": 0}, {"type": "place_stone", "x": 0, "y": 0}],
    "poker": [{"type": "raise", "to": 0}, {"type": "intent", "intent": 0}],
}


def numbers(value, path=()):
    """The paths to all numbers in a value; what is nothing may become one."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from numbers(inner, (*path, place))
    elif value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        yield path


def put(value, path, number):
    """The value with this number there."""
    if not path:
        return number
    copy = value.copy()
    copy[path[0]] = put(value[path[0]], path[1:], number)
    return copy


def edges(value):
    """The value with every number in it at every limit."""
    return [put(value, path, number) for path in numbers(value) for number in EDGES]


def messages(table):
    """Every message with every number at every limit."""
    schema = json.loads(SCHEMA.read_text())
    filled = {"table": table, "game": "poker", "name": "Edge", "version": 1, "command": {"type": "fold"},
              "password": "x", "link": "0" * 64, "what": "rematch", "accept": True, "text": "x"}
    said, fields = [], 0
    for form in schema["$defs"]["Request"]["oneOf"]:
        base = {key: filled[key] for key in form["required"] if key in filled}
        base["type"] = form["properties"]["type"]["const"]
        for name, field in form["properties"].items():
            kinds = field.get("type", [])
            kinds = kinds if isinstance(kinds, list) else [kinds]
            if "integer" not in kinds and "number" not in kinds:
                continue
            fields += 1
            own = [limit + by for limit in (field.get("minimum"), field.get("maximum"))
                   if limit is not None for by in (-1, 0, 1)]
            said += [{**base, name: number} for number in [*EDGES, *own]]
    check(fields >= 12, f"only {fields} numbers in {SCHEMA}")
    return said


class Crowd:
    """Guests who ask one after the other, none more than it may."""

    def __init__(self, house):
        self.house, self.guest, self.counts = house, None, {}

    async def ask(self, say, fresh=False):
        if self.guest is None or self.guest.said > 80 or fresh:
            if self.guest:
                await self.guest.close()
            self.guest = await Client.guest(self.house)
        answer = await self.guest.ask(say)
        word = answer.get("code", answer["type"])
        check(word != "slow_down", f"{say}: {answer}")
        self.counts[word] = self.counts.get(word, 0) + 1
        return answer

    def told(self):
        done = sum(self.counts.get(word, 0) for word in ("done", "created", "seated", "tables"))
        refused = sum(self.counts.values()) - done
        return f"{sum(self.counts.values())} asked, {refused} refused with {len(self.counts)} codes"


async def limits(house):
    """every number of every message, config, option and command at its limits"""
    crowd = Crowd(house)
    owner = await Client.guest(house)
    for message in messages(await owner.table("poker")):
        await crowd.ask(message)
    games = json.loads(house.http("GET", "/api/games")[1])
    creates = [{"type": "create", "game": game["game"], "config": config} for game in games
               for form in [game["config"], *MORE.get(game["game"], [])] for config in edges(form)]
    creates += [{"type": "create", "game": game["game"], "options": options} for game in games
                for form in OPTIONS for options in edges(form)]
    # A table of such options is played, too: whoever is asked to, plays against the house.
    for create in creates if WHOLE else random.Random(9).sample(creates, 150):
        created = await crowd.ask(create, fresh=True)
        if created["type"] == "created":
            for next in [{"type": "sit", "chips": 100}, {"type": "house", "chips": 100}]:
                await crowd.ask({**next, "table": created["table"]})
    for game in games:
        chips = 100 if game["comes_and_goes"] else None
        commands = [command for form in COMMANDS[game["game"]] for command in edges(form)]
        while commands:
            table, people = await two_at(house, game["game"], chips)
            asked = [asyncio.create_task(person.asked(table)) for person in people]
            done, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            person = people[asked.index(done.pop())]
            for task in asked:
                task.cancel()
            await asyncio.wait(asked)
            for command in commands[:60]:
                answer = await person.ask({"type": "play", "table": table, "command": command})
                check(answer["type"] in ("done", "refused"), f"{command}: {answer}")
                check(answer.get("code") != "slow_down", answer)
                word = answer.get("code", "done")
                crowd.counts[word] = crowd.counts.get(word, 0) + 1
            commands = commands[60:]
            await closed(people)
    await closed([crowd.guest, owner])
    return crowd.told()
