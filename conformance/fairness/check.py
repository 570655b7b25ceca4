"""Checks proofs of fair chance: python3 check.py FILE.json ..."""
import hashlib, hmac, json, sys

def need(holds, why):
    if not holds: raise ValueError(why)
def raw(*links):
    links = [bytes.fromhex(link) for link in links]
    need(all(len(link) == 32 for link in links), "64 hex digits are needed")
    return b"".join(links)
def sha(*parts): return hashlib.sha256(b"".join(parts)).hexdigest()
def mac(key, *parts): return int.from_bytes(hmac.digest(key, b"".join(parts), "sha256"), "big")

def dice(table, commitment, secret, draws):
    need(sha(table.encode(), raw(secret)) == commitment, "the secret is not the one committed to")
    for n, draw in enumerate(draws):
        need(draw["n"] == n, f"draw {n} is not where it should be")
        number = mac(raw(secret), table.encode(), n.to_bytes(8, "big"), raw(*draw["contributions"]))
        fits = draw["of"] > 0 and number % draw["of"] == draw["value"]
        need(fits, f"draw {n} had to be another number")

def chain(tip, released):
    for i, link in enumerate(released):
        need(sha(raw(link)) == tip, f"link {i} does not belong to the chain")
        tip = link

def cards(table, hand, root, commitments, contributions, openings):
    need(sha(raw(*commitments)) == root, "the commitments do not give the root")
    hand, cut, shown = hand.to_bytes(8, "big"), list(range(len(commitments))), {}
    for i in reversed(range(1, len(cut))):
        j = mac(raw(root), hand, raw(*contributions), i.to_bytes(4, "big")) % (i + 1)
        cut[i], cut[j] = cut[j], cut[i]
    for o in openings:
        k, place, card = o["k"], o["place"], o["card"]
        need(0 <= k < len(cut) and cut[k] == place, f"card {k} had to come from another place")
        sealed = sha(table.encode(), hand, bytes([place, card]), raw(o["salt"]))
        need(sealed == commitments[place], f"card {k} is not the one committed to")
        fits = card < len(cut) and shown.setdefault(card, place) == place
        need(fits, f"card {k} is twice in the deck, or not at all")

def check(path):
    with open(path, encoding="utf-8") as file: proof = json.load(file)
    checked = 0
    for kind in (dice, chain, cards):
        given = proof.get(kind.__name__, [])
        for one in given if isinstance(given, list) else [given]: kind(**one); checked += 1
    need(checked, "there is nothing to check")

unfair = 0
for path in sys.argv[1:]:
    try: check(path); print("fair")
    except Exception as why: unfair += 1; print("unfair:", why)
sys.exit(unfair > 0)
