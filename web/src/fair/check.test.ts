import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { en } from '../i18n/en';
import { worded } from '../i18n/words';
import { check, Unfair } from './check';
import { examine } from './examine';
import { list, type Proof } from './proof';

const FOLDER = '../conformance/fairness';
type Vector = Proof & { unfair?: string };

/** One vector counts hands further than a number of JavaScript does. */
function read(name: string): Vector {
  const text = readFileSync(`${FOLDER}/${name}`, 'utf8').replace(/("hand": )(\d+)/, '$1"$2"');
  return JSON.parse(text, (key, value) => (key === 'hand' ? BigInt(value) : value)) as Vector;
}

const vectors = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .map((name) => [name, read(name)] as const);
const wrong = vectors.filter(([, { unfair }]) => unfair !== undefined);
const right = vectors.filter(([, { unfair }]) => unfair === undefined);

function fault(proof: Proof): Unfair | null {
  try {
    check(proof);
    return null;
  } catch (error) {
    return error as Unfair;
  }
}

test.each(right)('%s is fair', (_, proof) => expect(fault(proof)).toBeNull());

test.each(wrong)('%s is not, for the reason it names', (_, { unfair, ...proof }) => {
  const found = fault(proof) as Unfair;
  expect(found).toBeInstanceOf(Unfair);
  const sentence = worded(en[`unfair.${found.fault}`], 'en', { n: found.n });
  expect(sentence.toLowerCase()).toBe(`${unfair}.`);
});

test('there are vectors of both kinds', () => {
  expect([right.length, wrong.length]).toEqual([8, 12]);
});

test('every value that a proof names counts', () => {
  const [, proof] = vectors.find(([name]) => name === 'dice.json') as (typeof vectors)[number];
  const [dice] = list(proof.dice);
  if (!dice) throw new Error('dice.json has no dice');
  const draws = dice.draws.map((draw) => ({ ...draw, value: (draw.value + 1) % draw.of }));
  expect(fault({ dice: { ...dice, draws } })).toMatchObject({ fault: 'draw', n: 0 });
  expect(fault({ dice: { ...dice, table: 'table-2' } })?.fault).toBe('secret');
  expect(fault({ dice: { ...dice, secret: 'no' } })?.fault).toBe('hex');
});

test('what cannot be read is not fair', () => {
  expect(fault({})?.fault).toBe('nothing');
  expect(fault({ cards: {} } as Proof)?.fault).toBe('unreadable');
});

test('what was promised is compared with what is proved', () => {
  const [, proof] = vectors.find(([name]) => name === 'dice.json') as (typeof vectors)[number];
  const dice = list(proof.dice)[0]?.commitment ?? '';
  const roots = new Set<string>();
  expect(examine(proof, { dice, roots })).toMatchObject({ unfair: null, draws: 4, promised: true, shared: true });
  expect(examine(proof, { dice: null, roots }).promised).toBeNull();
  expect(examine(proof, { dice: 'another', roots }).promised).toBe(false);
});
