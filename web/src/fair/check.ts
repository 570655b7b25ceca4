import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { list, type ChainProof, type DiceProof, type HandProof, type Proof } from './proof';

/** What does not fit; with the number of the draw, link or card. */
export type Fault = 'hex' | 'secret' | 'order' | 'draw' | 'link' | 'root' | 'place' | 'card' | 'deck' | 'nothing' | 'unreadable';

export class Unfair extends Error {
  constructor(
    readonly fault: Fault,
    readonly n = 0,
  ) {
    super(fault);
  }
}

function need(holds: boolean, fault: Fault, n?: number): void {
  if (!holds) throw new Unfair(fault, n);
}

function raw(...links: string[]): Uint8Array {
  need(links.every((link) => /^[0-9a-f]{64}$/i.test(link)), 'hex');
  return concatBytes(...links.map(hexToBytes));
}

/** A number in so many bytes, the highest first. */
function bytes(n: number | bigint, length: number): Uint8Array {
  return hexToBytes(BigInt(n).toString(16).padStart(2 * length, '0'));
}

const sha = (...parts: Uint8Array[]) => bytesToHex(sha256(concatBytes(...parts)));

/** What HMAC gives, as one number modulo n. */
function drawn(key: Uint8Array, n: number, ...parts: Uint8Array[]): number {
  return hmac(sha256, key, concatBytes(...parts)).reduce((rest, byte) => (rest * 256 + byte) % n, 0);
}

function dice({ table, commitment, secret, draws }: DiceProof): void {
  const name = utf8ToBytes(table);
  need(sha(name, raw(secret)) === commitment, 'secret');
  draws.forEach((draw, n) => {
    need(draw.n === n, 'order', n);
    const value = drawn(raw(secret), draw.of, name, bytes(n, 8), raw(...draw.contributions));
    need(draw.of > 0 && value === draw.value, 'draw', n);
  });
}

function chain({ tip, released }: ChainProof): void {
  released.reduce((tip, link, n) => {
    need(sha(raw(link)) === tip, 'link', n);
    return link;
  }, tip);
}

/** From which place of the deck each card is dealt. */
function cut({ hand, root, contributions, commitments }: HandProof): number[] {
  const order = [...commitments.keys()];
  for (let i = order.length - 1; i > 0; i--) {
    const j = drawn(raw(root), i + 1, bytes(hand, 8), raw(...contributions), bytes(i, 4));
    [order[i], order[j]] = [order[j] as number, order[i] as number];
  }
  return order;
}

function cards(proof: HandProof): void {
  const { table, hand, root, commitments, openings } = proof;
  need(sha(raw(...commitments)) === root, 'root');
  const order = cut(proof);
  const shown = new Map<number, number>();
  for (const { k, place, card, salt } of openings) {
    need(order[k] === place, 'place', k);
    const sealed = sha(utf8ToBytes(table), bytes(hand, 8), bytes(place, 1), bytes(card, 1), raw(salt));
    need(sealed === commitments[place], 'card', k);
    need(card < order.length && (shown.get(card) ?? place) === place, 'deck', k);
    shown.set(card, place);
  }
}

/** Works all chance of a table out again. Throws `Unfair` at the first thing that does not fit. */
export function check(proof: Proof): void {
  try {
    const proofs = [list(proof.dice), list(proof.chain), list(proof.cards)] as const;
    need(proofs.some((given) => given.length > 0), 'nothing');
    proofs[0].forEach(dice);
    proofs[1].forEach(chain);
    proofs[2].forEach(cards);
  } catch (error) {
    throw error instanceof Unfair ? error : new Unfair('unreadable');
  }
}
