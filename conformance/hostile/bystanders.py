"""Others who play gomoku meanwhile: bystanders.py TABLES URL...

At each address so many tables are played, a move every tenth of a second. For every move a line:
when the opponent has heard of it, at which address, and how many milliseconds that took.
"""

import asyncio
import itertools
import json
import random
import sys
import time

from websockets.asyncio.client import connect

THINK = 0.1
addresses = itertools.count(1)


class Player:
    def __init__(self, socket, house, sent):
        self.socket, self.house, self.sent, self.said = socket, house, sent, 0

    @classmethod
    async def open(cls, url, house, sent, name):
        n = next(addresses)
        headers = {"X-Forwarded-For": f"10.252.{n // 250}.{n % 250 + 1}"}
        socket = await connect(url, additional_headers=headers, compression=None, max_size=None)
        player = cls(socket, house, sent)
        await player.say({"type": "hello", "version": 1, "name": name})
        await player.hears("welcome")
        return player

    async def say(self, say):
        self.said += 1
        await self.socket.send(json.dumps({**say, "id": f"b{id(self)}-{self.said}"}))

    async def hears(self, kind):
        while (told := json.loads(await self.socket.recv()))["type"] != kind:
            if told["type"] == "refused":
                raise RuntimeError(told)
        return told

    async def plays(self, table):
        answered = None
        async for text in self.socket:
            told = json.loads(text)
            if told["type"] == "matched":
                table, answered = told["table"], None
            elif told["type"] == "table" and told["table"] == table and told["over"]:
                await self.say({"type": "offer", "table": table, "what": "rematch"})
            elif told["type"] == "update" and told["table"] == table:
                if told["ask"] in (None, answered):
                    continue
                answered = told["ask"]
                moved = self.sent.pop((table, self), None)
                if moved:
                    now = time.monotonic()
                    print(f"{now:.6f} {self.house} {(now - moved) * 1000:.3f}", flush=True)
                await asyncio.sleep(THINK * random.uniform(0.5, 1.5))
                await self.moves(table, told)

    async def moves(self, table, told):
        free = [(x, y) for y, row in enumerate(told["legal"]["rows"]) for x in range(32) if row >> x & 1]
        x, y = random.choice(free)
        self.sent[(table, self.other)] = time.monotonic()
        await self.say({"type": "play", "table": table, "ask": told["ask"],
                        "command": {"type": "move", "x": x, "y": y}})


async def table(url, house, number):
    sent = {}
    two = [await Player.open(url, house, sent, f"By {number} {side}") for side in "ab"]
    two[0].other, two[1].other = two[1], two[0]
    await two[0].say({"type": "create", "game": "gomoku"})
    name = (await two[0].hears("created"))["table"]
    for player in two:
        await player.say({"type": "sit", "table": name})
        await player.hears("seated")
    await asyncio.gather(*(player.plays(name) for player in two))
    raise RuntimeError("the server has hung up")


async def main():
    tables, urls = int(sys.argv[1]), sys.argv[2:]
    await asyncio.gather(*(table(url, house, number)
                           for house, url in enumerate(urls) for number in range(tables)))


if __name__ == "__main__":
    asyncio.run(main())
