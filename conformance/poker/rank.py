"""Compares `parlor rank` with PokerKit on random hands of every ranking: any two hands must compare
the same. PARLOR is the binary; with PARLOR_PROOF a million hands a ranking, otherwise two thousand."""
import os, random, subprocess
from itertools import groupby

from pokerkit import (
    BadugiHand, Card, EightOrBetterLowHand, OmahaEightOrBetterLowHand, OmahaHoldemHand,
    RegularLowHand, ShortDeckHoldemHand, StandardHighHand, StandardLowHand,
)

HANDS = 1_000_000 if os.environ.get("PARLOR_PROOF", "0") != "0" else 2_000
DECK = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
SHORT = DECK[16:]
# The ranking, PokerKit's, the deck, cards of the player, cards of the board.
KINDS = [
    ("high", StandardHighHand, DECK, 5, 0),
    ("short-deck", ShortDeckHoldemHand, SHORT, 5, 0),
    ("ace-to-five", RegularLowHand, DECK, 5, 0),
    ("eight-or-better", EightOrBetterLowHand, DECK, 5, 0),
    ("deuce-to-seven", StandardLowHand, DECK, 5, 0),
    ("badugi", BadugiHand, DECK, 4, 0),
    # Choosing five of seven, or two with three, takes PokerKit long: fewer of these.
    ("high", StandardHighHand, DECK, 2, 5),
    ("short-deck", ShortDeckHoldemHand, SHORT, 2, 5),
    ("ace-to-five", RegularLowHand, DECK, 7, 0),
    ("eight-or-better", EightOrBetterLowHand, DECK, 7, 0),
    ("omaha", OmahaHoldemHand, DECK, 4, 5),
    ("omaha-eight", OmahaEightOrBetterLowHand, DECK, 4, 5),
]


def judged(kind, hole, board):
    """PokerKit's strength, or nothing where there is no hand. Its own order is turned for lows."""
    try:
        return kind.from_game(hole, board).entry.index * (-1 if kind.low else 1)
    except ValueError:
        return None


def compare(name, kind, deck, hole, board, count):
    chance = random.Random(f"{name} {hole} {board}")
    hands = []
    for _ in range(count):
        cards = chance.sample(deck, hole + board)
        hands.append(("".join(cards[:hole]), "".join(cards[hole:])))
    lines = "".join(f"{own} {shared}".rstrip() + "\n" for own, shared in hands)
    out = subprocess.run(
        [os.environ["PARLOR"], "rank", name], input=lines, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert len(out) == count
    ours = [int(line.split("\t")[0]) for line in out]
    theirs = [judged(kind, *hand) for hand in hands]
    # Hands that are equal for us are equal for PokerKit, and better ones better.
    order = sorted(range(count), key=lambda i: ours[i])
    last = None
    for number, group in groupby(order, key=lambda i: ours[i]):
        group = list(group)
        said = {theirs[i] for i in group}
        assert len(said) == 1, (name, number, [hands[i] for i in group], said)
        value = said.pop()
        assert (value is None) == (number == 0), (name, hands[group[0]], value)
        if value is not None:
            assert last is None or value > last, (name, hands[group[0]], value, last)
            last = value


for name, kind, deck, hole, board in KINDS:
    count = HANDS // 20 if hole + board > 5 else HANDS
    compare(name, kind, deck, hole, board, count)
    print(f"{name}, {hole} + {board} cards: {count} hands as PokerKit ranks them")
