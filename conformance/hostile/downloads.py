"""Downloads of one long file. What many of them cost the server, and everyone else."""

import asyncio
import json
import time

from house import PATIENCE, WHOLE, Broken, Client, House, addresses, check, closed, plain, tally

# So many hands, of about 500 bytes each: a file of 4 MiB, or of 1.
HANDS = 8500 if WHOLE else 2100
MEMORY_MIB = 32
WAIT_S = 1


async def folds(client, table, times):
    for _ in range(times):
        ask = (await client.asked(table))["ask"]
        client.news.clear()
        done = await client.ask({"type": "play", "table": table, "ask": ask, "command": {"type": "fold"}})
        check(done["type"] == "done", done)


async def long_file():
    """The folder of a journal with a table at which many hands were played, and the address of their
    file."""
    house = House("--no-limits", "--durability", "process-safe")
    people = [await Client.guest(house) for _ in range(2)]
    table = await people[0].table("poker", between_ms=0)
    for person in people:
        seated = await person.ask({"type": "sit", "table": table, "chips": 400})
        check(seated["type"] == "seated", seated)
    # Two who only fold do so in turn.
    await asyncio.gather(*(folds(person, table, HANDS // 2) for person in people))
    await closed(people)
    house.stop(keep=True)
    return house.folder, f"/api/tables/{table}/files/phhs"


def request(path, address):
    return (f"GET {path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: {address}\r\n"
            "Connection: close\r\n\r\n").encode()


async def at_rest(house, seconds):
    """Waits until the server has had little to do for five seconds, and no longer than this; the most
    memory it took."""
    most, calm, until = 0, 0, time.monotonic() + seconds
    while calm < 5 and time.monotonic() < until:
        cpu = house.cpu_s()
        await asyncio.sleep(1)
        most, calm = max(most, house.memory_mib()), calm + 1 if house.cpu_s() - cpu < 0.2 else 0
    return most


async def unread_files(house):
    """250 downloads of one long file from one address, which nobody reads"""
    before, address, sockets = house.memory_mib(), next(addresses), []
    for _ in range(250):
        raw = await asyncio.to_thread(plain, house, small=True)
        raw.sendall(request(house.file, address))
        sockets.append(raw)
        # No faster than an address may ask.
        await asyncio.sleep(1 / 40)
    grown = await at_rest(house, 250) - before
    for raw in sockets:
        raw.close()
    check(grown <= MEMORY_MIB, f"{grown:.0f} MiB more than {before:.0f} for 250 unread downloads")
    return f"{grown:.0f} MiB more"


async def download(house, address):
    """Reads a whole file; the status of the answer, and the code where it is refused."""
    reader, writer = await asyncio.open_connection("127.0.0.1", house.port)
    try:
        writer.write(request(house.file, address))
        head = await reader.readuntil(b"\r\n\r\n")
        status, length, last = int(head.split()[1]), 0, b""
        while more := await reader.read(65536):
            length, last = length + len(more), more
    except (ConnectionError, asyncio.IncompleteReadError):
        return "cut off"
    finally:
        writer.close()
    if status != 200:
        return f"{status} {json.loads(last)['code']}"
    check(length > 400 * HANDS, f"a file of {length} bytes")
    return "200"


async def many_files(house):
    """100 downloads of one long file at a time from one address, while guests come"""
    address, longest = next(addresses), {"hello": 0, "create": 0}
    downloads = [asyncio.create_task(download(house, address)) for _ in range(100)]
    try:
        for _ in range(5):
            began = time.monotonic()
            guest = await Client.guest(house)
            greeted = time.monotonic()
            await guest.table("gomoku")
            created = time.monotonic()
            longest = {"hello": max(longest["hello"], greeted - began),
                       "create": max(longest["create"], created - greeted)}
            await guest.close()
    except TimeoutError:
        raise Broken(f"a guest waits for more than {PATIENCE} s") from None
    done = [task.result() for task in downloads if task.done()]
    for task in downloads:
        task.cancel()
    await asyncio.wait(downloads)
    told = ", ".join(f"{word} {took:.2f} s" for word, took in longest.items())
    check(max(longest.values()) < WAIT_S, f"guests wait: {told}")
    return f"{told}; {tally(done) or 'none'} done meanwhile"
