// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { placeOf, playerAddress, replayAddress, tableAddress } from '../src/routes/router.svelte';

const at = (address: string) => {
  const { pathname, hash } = new URL(address, 'http://parlor');
  return placeOf(pathname, hash);
};

test('what is made of a table leads back to it', () => {
  expect(at(tableAddress('t-1', 'key'))).toEqual({ at: 'table', table: 't-1', key: 'key' });
  expect(at(tableAddress('t-1'))).toEqual({ at: 'table', table: 't-1', key: null });
  expect(at(replayAddress('t-1', 'key', 12))).toEqual({ at: 'replay', table: 't-1', key: 'key', at_ms: 12 });
  expect(at(replayAddress('t-1'))).toEqual({ at: 'replay', table: 't-1', key: null, at_ms: null });
});

test('a name leads to who has it, whatever is in it', () => {
  for (const name of ['Anna', 'Гость 7.5', 'Lý_Tự-Trọng']) {
    expect(at(playerAddress(name))).toEqual({ at: 'profile', name });
  }
  expect(at('/p')).toEqual({ at: 'profile', name: null });
  expect(at('/p/100%')).toEqual({ at: 'profile', name: '100%' });
});

test('an address that is none leads nowhere', () => {
  for (const address of ['/x', '/t/t-1/more', '/r/t-1/x', '/r/t-1/1/2', '/p/a/b', '/lobby/1']) {
    expect(at(address), address).toEqual({ at: 'nowhere' });
  }
});
