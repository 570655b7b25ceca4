"""How many hands of PHH PokerKit reads and replays a CPU-second: pokerkit_peer.py FOLDER"""
import pathlib, sys, time, warnings

from pokerkit import HandHistory

warnings.simplefilter("ignore")
texts = [path.read_text() for path in sorted(pathlib.Path(sys.argv[1]).glob("*.phh"))]
start = time.process_time()
for text in texts:
    for _ in HandHistory.loads(text):
        pass
print(f"{len(texts) / (time.process_time() - start):.0f}")
