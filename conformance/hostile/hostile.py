"""Hostile clients against the real binary, while others play on.

PARLOR=target/debug/parlor python hostile.py       the short form; PARLOR_PROOF=1 the whole

Every attack checks what it is answered. Meanwhile others play at the same server, and as many at one
that nobody attacks: that is the quiet figure, from the same machine in the same seconds, and no worse
than what the attacked server itself shows before and after. At the end nothing has panicked, no
connection is left over, memory is bounded, and the server is as idle as it was.
"""

import asyncio
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import threading
import time

import attacks
import downloads
from house import WHOLE, Broken, House, check, started
from limits import limits

TABLES = 8
QUIET_S = 15 if WHOLE else 3
# What is over sooner is done again.
LEAST_S = 2.5 if WHOLE else 0.4
# An attack is judged by itself if so many moves were made meanwhile: a moment in which the machine
# stands still costs each table one of them, all together less than one in twenty.
JUDGED = 25 * TABLES
# A shared machine is noisy by so much; a server that is hurt is slower by far.
NOISE_MS = 5
STALL_MS = 60
FREEZE_MS = 2000
# What the server may need at most, beyond what it needed in peace.
MEMORY_MIB = 600 if WHOLE else 250

# What these take is measured, so they come first and one by one.
FIRST = [downloads.unread_files, downloads.many_files]
# These take their time, and the others meanwhile.
LONG = [attacks.never_ask, attacks.never_read, attacks.slow_read, attacks.crumbs]
SHORT = [attacks.malformed, attacks.huge, attacks.binary, attacks.unknown, attacks.out_of_order,
         attacks.replayed, attacks.anothers_seat, attacks.anothers_token, attacks.flood,
         attacks.half_open, attacks.bombs, attacks.strange_names, attacks.short_times, limits,
         attacks.wrong_origin, attacks.crowd, attacks.over_http, attacks.other_words,
         attacks.many_houses, attacks.rematches]


class Bystanders:
    """Others who play, at the house that is attacked (0) and at the quiet one (1)."""

    def __init__(self, houses):
        script = pathlib.Path(__file__).with_name("bystanders.py")
        self.process = subprocess.Popen(
            [sys.executable, script, str(TABLES), *(house.url for house in houses)],
            stdout=subprocess.PIPE, text=True)
        started.append(self.process)
        self.heard = []
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            at, house, ms = line.split()
            self.heard.append((float(at), int(house), float(ms)))

    def between(self, house, windows):
        """How long moves took at a house, in these times."""
        return sorted(ms for at, of, ms in self.heard
                      if of == house and any(start <= at < end for start, end in windows))

    def slow(self, house, windows, part=0.99):
        took = self.between(house, windows)
        return took[min(int(part * len(took)), len(took) - 1)] if took else float("nan")


class Siege:
    def __init__(self, house, bystanders):
        self.house, self.bystanders, self.windows = house, bystanders, []

    async def under(self, attack):
        began, cpu = time.monotonic(), self.house.cpu_s()
        came = await asyncio.wait_for(attack(self.house), 300)
        while time.monotonic() - began < LEAST_S:
            await asyncio.wait_for(attack(self.house), 300)
        check(self.house.process.poll() is None, "the server is gone")
        check(self.bystanders.process.poll() is None, "the others cannot play on")
        window = (began, time.monotonic())
        self.windows.append((attack.__name__, window))
        p99, quiet = (self.bystanders.slow(house, [window]) for house in (0, 1))
        took, cpu = window[1] - began, self.house.cpu_s() - cpu
        print(f"{attack.__name__:14} {took:5.1f} {p99:7.2f} {quiet:7.2f} {cpu / took:5.2f} "
              f"{self.house.memory_mib():5.0f}  {attack.__doc__}\n{'':48}  → {came}", flush=True)


async def quiet(house, seconds):
    """Waits; the time it was, and how busy the server was."""
    began, cpu = time.monotonic(), house.cpu_s()
    await asyncio.sleep(seconds)
    ended = time.monotonic()
    return (began, ended), (house.cpu_s() - cpu) / (ended - began)


async def main():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 8192)), hard))
    folder, file = await downloads.long_file()
    house, other = House(folder=folder), House()
    house.file = file
    bystanders = Bystanders([house, other])
    while len(bystanders.heard) < 20 * TABLES:
        check(bystanders.process.poll() is None, "the others cannot play")
        await asyncio.sleep(0.05)
    siege = Siege(house, bystanders)
    os.nice(10)  # The attackers are to hurt the server, not to take its processor.
    before, busy_before = await quiet(house, QUIET_S)
    mib = house.memory_mib()
    print(f"{'attack':14} {'s':>5} {'p99 ms':>7} {'quiet':>7} {'CPU':>5} {'MiB':>5}  what was sent → what came back")
    for attack in FIRST:
        await siege.under(attack)
    long = [asyncio.create_task(siege.under(attack)) for attack in LONG]
    for attack in SHORT:
        await siege.under(attack)
    await asyncio.gather(*long)
    until = time.monotonic() + 30
    while (left := house.metric("parlor_connections") - 2 * TABLES) > 0:
        check(time.monotonic() < until, f"{left:.0f} connections are left over")
        await asyncio.sleep(0.1)
    after, busy_after = await quiet(house, QUIET_S)

    attacked = [window for _, window in siege.windows]
    calm = max(bystanders.slow(0, [before, after]), bystanders.slow(1, attacked))
    p99, count = bystanders.slow(0, attacked), len(bystanders.between(0, attacked))
    p50 = statistics.median(bystanders.between(0, attacked))
    longest, still = (bystanders.slow(at, attacked, 1) for at in (0, 1))
    print(f"in peace      p99 {bystanders.slow(0, [before, after]):.2f} ms; meanwhile next door, "
          f"where nobody attacks, {bystanders.slow(1, attacked):.2f} ms")
    print(f"under attack  p99 {p99:.2f} ms, median {p50:.2f} ms, longest {longest:.0f} ms, "
          f"of {count} moves of others")
    print(f"at rest       {busy_before:.3f} processors before, {busy_after:.3f} after; "
          f"{mib:.0f} MiB before, {house.memory_mib():.0f} MiB after")
    check(p99 <= 2 * calm + NOISE_MS, f"others wait {p99:.1f} ms, in peace {calm:.1f} ms")
    check(longest <= 2 * still + FREEZE_MS, f"others once wait {longest:.0f} ms, next door {still:.0f} ms")
    for name, window in siege.windows:
        if len(bystanders.between(0, [window])) >= JUDGED:
            p95, still = (bystanders.slow(at, [window], 0.95) for at in (0, 1))
            bound = 2 * max(still, calm) + STALL_MS
            check(p95 <= bound, f"others wait {p95:.1f} ms during {name}, next door {still:.1f} ms")
    check(house.memory_mib() - mib < MEMORY_MIB, "memory is not bounded")
    check(busy_after <= 2 * busy_before + 0.1, "something goes on that nobody needs")
    bystanders.process.kill()
    house.stop()
    other.stop()
    print("all well")


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except Broken as broken:
        sys.exit(f"hostile: {broken}")
    finally:
        for process in started:
            if process.poll() is None:
                process.kill()
