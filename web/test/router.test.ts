// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { placeOf, replayAddress, tableAddress } from '../src/routes/router.svelte';

const at = (address: string) => {
  const { pathname, hash } = new URL(address, 'http://parlor');
  return placeOf(pathname, hash);
};

test('what is made of a table leads back to it', () => {
  expect(at(tableAddress('t-1', 'key'))).toEqual({ at: 'table', table: 't-1', key: 'key' });
  expect(at(tableAddress('t-1'))).toEqual({ at: 'table', table: 't-1', key: null });
  expect(at(replayAddress('t-1', 'key', 12))).toEqual({ at: 'replay', table: 't-1', key: 'key', scene: 12 });
  expect(at(replayAddress('t-1'))).toEqual({ at: 'replay', table: 't-1', key: null, scene: null });
});

test('an address that is none leads nowhere', () => {
  for (const address of ['/x', '/t/t-1/more', '/r/t-1/x', '/r/t-1/1/2', '/lobby/1']) {
    expect(at(address), address).toEqual({ at: 'nowhere' });
  }
});
