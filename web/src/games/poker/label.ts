import { rankName, type Says } from './cards';

/** As the server names ranks, the lowest first. */
const NAMES = 'deuce three four five six seven eight nine ten jack queen king ace'.split(' ');
const LETTERS = '23456789TJQKA';

const letterOf = (name: string): string => {
  const one = name === 'sixes' ? 'six' : name.replace(/s$/, '');
  return LETTERS[NAMES.indexOf(one)] ?? name;
};

/** What the server says of a hand, and the word of the page for it: `many` where ranks are plural. */
const SHAPES = [
  { shape: /^high card (\w+)$/, key: 'made.high', many: false },
  { shape: /^a pair of (\w+)$/, key: 'made.pair', many: true },
  { shape: /^two pair, (\w+) and (\w+)$/, key: 'made.two_pair', many: true },
  { shape: /^three of a kind, (\w+)$/, key: 'made.trips', many: true },
  { shape: /^a straight, (\w+) to (\w+)$/, key: 'made.straight', many: false },
  { shape: /^a flush, (\w+) high$/, key: 'made.flush', many: false },
  { shape: /^a full house, (\w+) full of (\w+)$/, key: 'made.full', many: true },
  { shape: /^four of a kind, (\w+)$/, key: 'made.quads', many: true },
  { shape: /^a straight flush, (\w+) to (\w+)$/, key: 'made.straight_flush', many: false },
  { shape: /^a royal flush$/, key: 'made.royal', many: false },
] as const;
const LISTS = [
  { shape: /^([\w-]+) low$/, key: 'made.low' },
  { shape: /^badugi ([\w-]+)$/, key: 'made.badugi' },
  { shape: /^three cards ([\w-]+)$/, key: 'made.three' },
  { shape: /^two cards ([\w-]+)$/, key: 'made.two' },
  { shape: /^one card ([\w-]+)$/, key: 'made.one' },
] as const;

function one(label: string, t: Says): string {
  for (const { shape, key, many } of SHAPES) {
    const found = shape.exec(label);
    if (!found) continue;
    const [a = '', b = ''] = found.slice(1).map((name) => rankName(letterOf(name), t, many));
    return t(key, { a, b });
  }
  for (const { shape, key } of LISTS) {
    const ranks = shape.exec(label)?.[1];
    if (ranks) return t(key, { a: ranks.replace('T', '10') });
  }
  return label;
}

/** What a hand is, in the reader's language; of a hand that plays for two halves both. */
export const labelText = (label: string, t: Says): string =>
  label.split('; ').map((part) => one(part, t)).join('; ');
