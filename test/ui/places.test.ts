import { expect, test } from 'vitest';
import { found } from '../../ui/model/found.ts';
import { type Place, pathOf, placeOf, queryWith } from '../../ui/model/route.ts';

test.each<[string, Place]>([
  ['/ui/', { view: 'jobs' }],
  ['/ui/doctor', { view: 'doctor' }],
  ['/ui/ns/render/jobs/frames', { view: 'job', namespace: 'render', name: 'frames' }],
  ['/ui/ns/a%2Fb/jobs/c%20d', { view: 'job', namespace: 'a/b', name: 'c d' }],
  ['/ui/ns/r/jobs/f/index/7', { view: 'index', namespace: 'r', name: 'f', index: 7, attempt: null }],
  ['/ui/ns/r/jobs/f/index/7/attempt/2', { view: 'index', namespace: 'r', name: 'f', index: 7, attempt: 2 }],
])('%s is a place, and the place has this path', (path, place) => {
  expect(placeOf(path)).toEqual(place);
  expect(pathOf(place)).toBe(path);
});

test.each([
  '/',
  '/uix',
  '/ui/nothing',
  '/ui/doctor/more',
  '/ui/ns/r/pods/f',
  '/ui/ns/r/jobs/f/index/x',
  '/ui/ns/r/jobs/f/index/7/attempt',
  '/ui/ns/r/jobs/f/index/7/attempt/2/more',
  '/ui/ns/r/jobs/f/logs/7',
  '/ui/ns/%E0%A4%A/jobs/f',
])('%s is nowhere', (path) => {
  expect(placeOf(path)).toEqual({ view: 'nowhere', path });
});

test('the path without its last slash is the same place', () => {
  expect([placeOf('/ui'), placeOf('/ui/graph/')]).toEqual([{ view: 'jobs' }, { view: 'graph' }]);
});

test('a query keeps what is not changed, and loses what is empty', () => {
  expect(queryWith('?q=a&ns=b', { q: '', state: 'failed' })).toBe('?ns=b&state=failed');
  expect(queryWith('?q=a', { q: null })).toBe('');
  expect(queryWith('', { q: 'a=b &c' })).toBe('?q=a%3Db+%26c');
});

const THINGS = [
  { kind: 'Job', title: 'render/frames', href: '/ui/ns/render/jobs/frames' },
  { kind: 'Job', title: 'default/old-frames', href: '/ui/ns/default/jobs/old-frames' },
  { kind: 'Schedule', title: 'default/nightly', href: '/ui/schedules?q=nightly' },
];

test('what begins with the text is found first', () => {
  expect(found(THINGS.toReversed(), 'frames').map(({ title }) => title)).toEqual([
    'render/frames',
    'default/old-frames',
  ]);
});

test('a kind is found by its word, and all words must be there', () => {
  expect(found(THINGS, 'schedule').map(({ title }) => title)).toEqual(['default/nightly']);
  expect(found(THINGS, 'render schedule')).toEqual([]);
});

test('a number behind the name of a Job is one of its indexes', () => {
  expect(found(THINGS, 'render/frames 17')).toEqual([
    { kind: 'Index', title: 'render/frames 17', href: '/ui/ns/render/jobs/frames/index/17' },
  ]);
});
