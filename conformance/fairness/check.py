"""Checks proofs of fair chance: python3 check.py FILE.json ... (docs/fairness.md says what they hold)."""
import hashlib, hmac, json, sys

def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def mac(key, *parts): return int.from_bytes(hmac.digest(key, b"".join(parts), "sha256"), "big")
def links(texts): return b"".join(map(bytes.fromhex, texts))
def need(holds, why):
    if not holds: raise ValueError(why)

def dice(table, commitment, secret, draws):
    table, secret = table.encode(), bytes.fromhex(secret)
    need(sha(table, secret).hex() == commitment, "the secret is not the one committed to")
    for n, d in enumerate(draws):
        need(d["n"] == n, f"draw {n} is not where it should be")
        number = mac(secret, table, n.to_bytes(8, "big"), links(d["contributions"]))
        need(d["of"] > 0 and number % d["of"] == d["value"], f"draw {n} had to be another number")

def chain(tip, released):
    for i, link in enumerate(released):
        need(sha(bytes.fromhex(link)).hex() == tip, f"link {i} does not belong to the chain")
        tip = link

def cards(table, hand, root, commitments, contributions, openings):
    need(sha(links(commitments)).hex() == root, "the commitments do not give the root")
    hand, size, shown = hand.to_bytes(8, "big"), len(commitments), {}
    cut = list(range(size))
    for i in range(size - 1, 0, -1):
        j = mac(bytes.fromhex(root), hand, links(contributions), i.to_bytes(4, "big")) % (i + 1)
        cut[i], cut[j] = cut[j], cut[i]
    for o in openings:
        k, place, card, salt = o["k"], o["place"], o["card"], bytes.fromhex(o["salt"])
        need(0 <= k < size and cut[k] == place, f"card {k} had to come from another place")
        sealed = sha(table.encode(), hand, bytes([place, card]), salt).hex()
        need(sealed == commitments[place], f"card {k} is not the one committed to")
        fits = card < size and shown.setdefault(card, place) == place
        need(fits, f"card {k} is twice in the deck, or not at all")

unfair = 0
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file: proof = json.load(file)
    try:
        for kind, check in (("dice", dice), ("chain", chain), ("cards", cards)):
            if kind in proof: check(**proof[kind])
        print("fair")
    except (ValueError, TypeError, KeyError) as why:
        unfair += 1
        print(f"unfair: {why}")
sys.exit(unfair > 0)
