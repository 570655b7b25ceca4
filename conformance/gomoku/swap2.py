"""The fourteen properties of Swap 2, driven through `parlor referee gomoku`.

PARLOR names the binary; PARLOR_PROOF=1 asks for the large counts.
"""

import copy
import json
import os
import subprocess
import unittest

from hypothesis import assume, given, settings, strategies as st

EXAMPLES = 1000 if os.environ.get("PARLOR_PROOF", "0") != "0" else 100
settings.register_profile("parlor", max_examples=EXAMPLES, deadline=None, derandomize=True, database=None)
settings.load_profile("parlor")

PLAYERS = ["ada", "bob"]
OPTIONS = {"swap2_choice": ["black", "white", "place_more"], "swap2_final_choice": ["black", "white"]}


class Referee:
    """One process; every example opens a table of its own."""

    def __init__(self):
        self.process = subprocess.Popen(
            [os.environ.get("PARLOR", "parlor"), "referee", "gomoku"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def open(self, **config):
        answer = self.ask(open={"config": config})
        assert "opened" in answer, answer

    def say(self, seat, **command):
        return self.ask(play={"seat": seat, "command": command})

    def state(self):
        return self.ask(state={})["state"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def setUpModule():
    global referee
    referee = Referee()


def tearDownModule():
    referee.close()


NAMES = st.lists(st.text(min_size=1, max_size=20), min_size=2, max_size=2, unique=True)
POINTS = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), min_size=5, max_size=5, unique=True)


@st.composite
def scripts(draw):
    """A way through an opening: (seat, phase, command) a step."""
    points = draw(POINTS)
    choice = draw(st.sampled_from(OPTIONS["swap2_choice"]))
    steps = [(0, "swap2_placement", place(*point)) for point in points[:3]]
    steps.append((1, "swap2_choice", choose(choice)))
    if choice == "place_more":
        steps += [(1, "swap2_extra", place(*point)) for point in points[3:]]
        steps.append((0, "swap2_final_choice", choose(draw(st.sampled_from(["black", "white"])))))
    return steps


@st.composite
def prefixes(draw):
    """A script, and how many of its steps are taken."""
    steps = draw(scripts())
    return steps, draw(st.integers(0, len(steps)))


def place(x, y):
    return {"type": "place_stone", "x": x, "y": y}


def choose(choice):
    return {"type": "make_choice", "choice": choice}


def black_of(steps):
    seat, _, command = steps[-1]
    return seat if command["choice"] == "black" else 1 - seat


def begin(steps=(), **config):
    referee.open(**{"swap2Enabled": True, "players": PLAYERS, **config})
    for seat, _, command in steps:
        answer = referee.say(seat, **command)
        assert "events" in answer, answer


class Swap2(unittest.TestCase):

    # **Feature: swap2-opening-rule, Property 1: Initial Phase Correctness**
    # **Validates: Requirements 1.1**
    @given(NAMES)
    def test_property_1_initial_phase(self, players):
        referee.open(swap2Enabled=True, players=players)
        state = referee.state()
        self.assertEqual(state["gamePhase"], "swap2")
        self.assertEqual(state["swap2State"]["phase"], "swap2_placement")
        self.assertEqual(state["swap2State"]["activePlayerId"], players[0])
        self.assertEqual(state["swap2State"]["player1Id"], players[0])

    # **Feature: swap2-opening-rule, Property 2: State Machine Transition Correctness**
    # **Validates: Requirements 1.2, 1.3, 1.5, 1.6**
    @given(scripts())
    def test_property_2_transitions(self, steps):
        begin()
        for seat, phase, command in steps:
            state = referee.state()
            self.assertEqual((state["gamePhase"], state["swap2State"]["phase"]), ("swap2", phase))
            self.assertIn("events", referee.say(seat, **command))
        state = referee.state()
        self.assertEqual((state["gamePhase"], state["swap2State"]["phase"]), ("main_game", "complete"))

    # **Feature: swap2-opening-rule, Property 3: Stone Count Invariant**
    # **Validates: Requirements 2.1, 2.2, 2.3**
    @given(prefixes())
    def test_property_3_stone_count(self, prefix):
        steps, taken = prefix
        begin(steps[:taken])
        opening = referee.state()["swap2State"]
        counts = {"swap2_placement": range(0, 3), "swap2_choice": [3], "swap2_extra": [3, 4],
                  "swap2_final_choice": [5], "complete": [3, 5]}
        self.assertIn(len(opening["tentativeStones"]), counts[opening["phase"]])
        orders = [stone["placementOrder"] for stone in opening["tentativeStones"]]
        self.assertEqual(orders, list(range(1, len(orders) + 1)))
        colors = [stone["color"] for stone in opening["tentativeStones"]]
        self.assertEqual(colors, ["black", "white", "black", "white", "black"][:len(colors)])

    # **Feature: swap2-opening-rule, Property 4: Occupied Cell Rejection**
    # **Validates: Requirements 2.4**
    @given(prefixes(), st.integers(0, 4))
    def test_property_4_occupied_cell(self, prefix, which):
        steps, taken = prefix
        assume(0 < taken < len(steps) and steps[taken][1] in ("swap2_placement", "swap2_extra"))
        begin(steps[:taken])
        before = referee.state()
        stones = before["swap2State"]["tentativeStones"]
        stone = stones[which % len(stones)]
        error = referee.say(steps[taken][0], **place(stone["x"], stone["y"]))["error"]
        self.assertEqual((error["code"], error["reason"]), ("position_occupied", "occupied"))
        self.assertEqual(referee.state(), before)

    # **Feature: swap2-opening-rule, Property 5: Color Assignment Correctness**
    # **Validates: Requirements 3.2, 3.3**
    @given(scripts())
    def test_property_5_color_assignment(self, steps):
        begin(steps)
        opening, black = referee.state()["swap2State"], black_of(steps)
        self.assertEqual(opening["blackPlayerId"], PLAYERS[black])
        self.assertEqual(opening["whitePlayerId"], PLAYERS[1 - black])
        chooser, _, command = steps[-1]
        self.assertEqual(opening["finalChoice"], {"chooser": PLAYERS[chooser], "chosenColor": command["choice"]})

    # **Feature: swap2-opening-rule, Property 6: Available Options Correctness**
    # **Validates: Requirements 3.1, 3.5**
    @given(prefixes(), st.text(max_size=12))
    def test_property_6_options(self, prefix, word):
        steps, taken = prefix
        assume(taken < len(steps))
        begin(steps[:taken])
        seat, phase, _ = steps[taken]
        options = OPTIONS.get(phase, [])
        self.assertEqual(referee.ask(legal={"seat": seat})["legal"]["choices"], options)
        if options and word not in options:
            error = referee.say(seat, **choose(word))["error"]
            self.assertEqual((error["code"], error["validOptions"]), ("invalid_choice", options))

    # **Feature: swap2-opening-rule, Property 7: Next Mover Determination**
    # **Validates: Requirements 3.6**
    @given(scripts(), st.sampled_from(["black", "white"]))
    def test_property_7_next_mover(self, steps, first):
        begin(steps, first_mover=first)
        black = black_of(steps)
        mover = black if first == "black" else 1 - black
        state = referee.state()
        self.assertEqual(state["currentTurn"], "X" if first == "black" else "O")
        self.assertEqual(state["up"], mover)
        taken = {(s["x"], s["y"]) for s in state["swap2State"]["tentativeStones"]}
        x = next(x for x in range(15) if (x, 0) not in taken)
        error = referee.say(1 - mover, type="move", x=x, y=0)["error"]
        self.assertEqual((error["code"], error["activePlayerId"]), ("wrong_player", PLAYERS[mover]))
        self.assertIn("events", referee.say(mover, type="move", x=x, y=0))

    # **Feature: swap2-opening-rule, Property 8: Ranked Mode Enforcement**
    # **Validates: Requirements 4.1**
    @given(prefixes(), st.sampled_from([None, True, False]))
    def test_property_8_ranked(self, prefix, asked):
        steps, taken = prefix
        config = {} if asked is None else {"swap2Enabled": asked}
        referee.open(mode="ranked", players=PLAYERS, **config)
        for seat, _, command in steps[:taken]:
            referee.say(seat, **command)
        state = referee.state()
        self.assertTrue(state["swap2Enabled"])
        for change in (lambda doc: doc, lambda doc: doc["match"]["config"]):
            changed = copy.deepcopy(state)
            change(changed)["swap2Enabled"] = False
            self.assertEqual(referee.ask(load={"state": changed})["error"]["code"], "invalid_document")
        self.assertEqual(referee.state(), state)

    # **Feature: swap2-opening-rule, Property 9: Disabled Swap 2 Behavior**
    # **Validates: Requirements 4.3**
    @given(st.sampled_from(["tieu_dao", "van_mon", "di_bien_ky", "custom", "casual"]),
           st.sampled_from(["freestyle", "standard", "caro", "caro_overline", "renju"]),
           st.sampled_from([15, 19, 20]), NAMES, st.integers(0, 14), st.integers(0, 14))
    def test_property_9_disabled(self, mode, rule, size, players, x, y):
        referee.open(mode=mode, rule=rule, board_size=size, players=players, swap2Enabled=False)
        state = referee.state()
        self.assertEqual((state["gamePhase"], state["currentTurn"]), ("main_game", "X"))
        self.assertEqual((state["up"], state["black"]), (0, 0))
        self.assertNotIn("swap2State", state)
        error = referee.say(0, **place(x, y))["error"]
        self.assertEqual((error["code"], error["phase"]), ("invalid_phase", "main_game"))
        self.assertIn("events", referee.say(0, type="move", x=x, y=y))
        state = referee.state()
        self.assertEqual((state["board"][y][x], state["currentTurn"]), ("X", "O"))

    # **Feature: swap2-opening-rule, Property 10: Series Swap 2 Reset**
    # **Validates: Requirements 6.3**
    @given(prefixes(), st.integers(0, 1))
    def test_property_10_series(self, prefix, loser):
        steps, taken = prefix
        begin(steps[:taken], mode="ranked")
        referee.say(loser, type="resign")
        self.assertIn("events", referee.ask(expire={"seat": None}))
        state = referee.state()
        self.assertEqual(state["swap2State"]["phase"], "swap2_placement")
        self.assertEqual(state["swap2State"]["tentativeStones"], [])
        self.assertEqual(state["swap2State"]["actions"], [])
        self.assertNotIn("blackPlayerId", state["swap2State"])
        self.assertEqual(state["match"]["score"][1 - loser], 1)

    # **Feature: swap2-opening-rule, Property 11: State Persistence Round-Trip**
    # **Validates: Requirements 7.1, 7.2**
    @given(prefixes())
    def test_property_11_round_trip(self, prefix):
        steps, taken = prefix
        begin(steps[:taken])
        state = referee.state()
        begin()
        self.assertEqual(referee.ask(load={"state": json.loads(json.dumps(state))}), {"loaded": True})
        self.assertEqual(referee.state(), state)
        for seat, _, command in steps[taken:]:
            self.assertIn("events", referee.say(seat, **command))
        self.assertEqual(referee.state()["swap2State"]["phase"], "complete")

    # **Feature: swap2-opening-rule, Property 12: Invalid Action Rejection**
    # **Validates: Requirements 8.1, 8.2, 8.3**
    @given(prefixes(), st.integers(0, 1),
           st.one_of(st.integers(-3, 17), st.floats(-2, 17)), st.one_of(st.integers(-3, 17), st.floats(-2, 17)),
           st.sampled_from(["black", "white", "place_more", "red", ""]), st.booleans())
    def test_property_12_invalid_actions(self, prefix, seat, x, y, word, places):
        steps, taken = prefix
        assume(taken < len(steps))
        begin(steps[:taken])
        active, phase, _ = steps[taken]
        before = referee.state()
        wanted = phase in ("swap2_placement", "swap2_extra")
        stones = {(s["x"], s["y"]) for s in before["swap2State"]["tentativeStones"]}
        inside = all(value == int(value) and 0 <= value < 15 for value in (x, y))
        if places != wanted:
            code = "invalid_phase"
        elif seat != active:
            code = "wrong_player"
        elif places and not inside:
            code = "out_of_bounds"
        elif places and (x, y) in stones:
            code = "position_occupied"
        elif not places and word not in OPTIONS[phase]:
            code = "invalid_choice"
        else:
            code = None
        answer = referee.say(seat, **(place(x, y) if places else choose(word)))
        if code is None:
            self.assertIn("events", answer)
            return
        self.assertEqual(answer["error"]["code"], code)
        self.assertEqual(answer["error"]["phase"], phase)
        if code == "wrong_player":
            self.assertEqual(answer["error"]["activePlayerId"], PLAYERS[active])
        self.assertEqual(referee.state(), before)

    # **Feature: swap2-opening-rule, Property 13: Active Player Correctness**
    # **Validates: Requirements 1.1, 1.2, 1.4, 1.5**
    @given(prefixes())
    def test_property_13_active_player(self, prefix):
        steps, taken = prefix
        begin(steps[:taken])
        opening = referee.state()["swap2State"]
        active = {"swap2_placement": "ada", "swap2_final_choice": "ada", "swap2_choice": "bob", "swap2_extra": "bob"}
        if opening["phase"] in active:
            self.assertEqual(opening["activePlayerId"], active[opening["phase"]])
        else:
            self.assertEqual(opening["activePlayerId"], PLAYERS[black_of(steps)])

    # **Feature: swap2-opening-rule, Property 14: Swap 2 History Completeness**
    # **Validates: Requirements 6.4, 7.3**
    @given(scripts())
    def test_property_14_history(self, steps):
        begin(steps)
        done = [(PLAYERS[seat], {k: v for k, v in command.items() if k != "type"}) for seat, _, command in steps]
        told = [(a["playerId"], a["data"]) for a in referee.state()["swap2State"]["actions"]]
        self.assertEqual(told, done)
        referee.say(0, type="resign")
        history = referee.ask(outcome={})["outcome"]["swap2_history"]
        self.assertEqual([(a["playerId"], a["data"]) for a in history["actions"]], done)
        self.assertEqual(history["finalAssignment"]["blackPlayerId"], PLAYERS[black_of(steps)])


if __name__ == "__main__":
    unittest.main()
