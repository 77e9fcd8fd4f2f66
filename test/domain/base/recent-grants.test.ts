import { expect, test } from 'vitest';
import { type RecentGrants, recentAt, withGrants } from '../../../shared/domain/base/recent-grants.ts';
import { at } from '../../support/a-board.ts';

const grant = (recent: RecentGrants | null, sec: number, namespace: string, count: number): RecentGrants =>
  withGrants(recent, at(sec), namespace, count);
const shown = (recent: RecentGrants | null, sec: number): string =>
  recentAt(recent, at(sec))
    .map(({ namespace, granted }) => `${namespace} ${granted}`)
    .join(', ');

test('what was granted counts half as much every two seconds, until it is forgotten', () => {
  const recent = grant(grant(null, 100, 'a', 8), 102, 'b', 2);
  expect(shown(recent, 102)).toBe('a 4, b 2');
  expect(shown(recent, 104)).toBe('a 2, b 1');
  expect(shown(recent, 108)).toBe('a 0.5, b 0.25');
  expect(shown(recent, 109)).toMatch(/^a 0\.3\d+$/);
  expect(shown(recent, 120)).toBe('');
  expect(shown(grant(recent, 104, 'b', 5), 104)).toBe('b 6, a 2');
});

test('a clock that is behind changes nothing, and what a wrong clock wrote is ignored', () => {
  const recent = grant(null, 100, 'a', 8);
  expect(shown(recent, 97)).toBe('a 8');
  expect(shown(recent, 10)).toBe('');
});

test('eight namespaces with names as long as they may be fit into the kilobyte of their row', () => {
  let recent: RecentGrants | null = null;
  for (let n = 0; n < 30; n++) recent = grant(recent, 100 + n / 100, `${n}`.padStart(63, 'x'), 10 + n / 3);
  expect(recent?.namespaces.map(({ namespace }) => Number(namespace.slice(-2))).sort()).toEqual([
    22, 23, 24, 25, 26, 27, 28, 29,
  ]);
  expect(JSON.stringify(recent).length).toBeLessThan(850);
});
