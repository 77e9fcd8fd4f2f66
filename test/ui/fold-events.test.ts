import { expect, test } from 'vitest';
import { type WatchEvent, foldEvents, knownOf } from '../../ui/model/fold-events.ts';
import type { KubeObject } from '../../ui/model/objects.ts';

const object = (name: string, version: string, namespace = 'team'): KubeObject => ({
  metadata: { name, namespace, resourceVersion: version },
});
const event = (type: WatchEvent<KubeObject>['type'], of: KubeObject): WatchEvent<KubeObject> => ({ type, object: of });

test('a watch adds, changes, and removes what a list has said', () => {
  const listed = knownOf([object('a', '1'), object('b', '2'), object('a', '3', 'other')], '7');
  const known = foldEvents(listed, [
    event('MODIFIED', object('a', '8')),
    event('DELETED', object('b', '9')),
    event('ADDED', object('c', '10')),
  ]);
  expect([...known.objects].map(([key, { metadata }]) => [key, metadata.resourceVersion])).toEqual([
    ['team/a', '8'],
    ['other/a', '3'],
    ['team/c', '10'],
  ]);
  expect([known.version, known.isExpired]).toEqual(['10', false]);
});

test('what was known before is not changed', () => {
  const listed = knownOf([object('a', '1')], '1');
  foldEvents(listed, [event('DELETED', object('a', '2'))]);
  expect(listed.objects.size).toBe(1);
});

test('a bookmark moves the version and nothing else', () => {
  const known = foldEvents(knownOf([object('a', '1')], '1'), [event('BOOKMARK', object('', '40'))]);
  expect([known.version, [...known.objects.keys()]]).toEqual(['40', ['team/a']]);
});

test('after an error the list is read again, and what came before it counts', () => {
  const known = foldEvents(knownOf<KubeObject>([], '1'), [
    event('ADDED', object('a', '2')),
    event('ERROR', object('', '')),
    event('ADDED', object('b', '3')),
  ]);
  expect([known.isExpired, known.version, [...known.objects.keys()]]).toEqual([true, '2', ['team/a']]);
});

test('nothing new is the same object, so that nothing is drawn', () => {
  const known = knownOf<KubeObject>([], '1');
  expect(foldEvents(known, [])).toBe(known);
});
