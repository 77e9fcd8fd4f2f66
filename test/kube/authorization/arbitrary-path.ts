import fc from 'fast-check';

// Paths of the API, written as somebody would who wants the router to read another thing than the authorizer.

const GROUPS = ['/api/v1', '/apis/batch/v1', '/apis/execution.furiko.io/v1alpha1', '/apis/muster.run/v1', '/muster/v1'];
const RESOURCES = [
  'jobs',
  'cronjobs',
  'jobconfigs',
  'pods',
  'events',
  'services',
  'serviceaccounts',
  'configmaps',
  'worklists',
  'namespaces',
  'secrets',
];
const SUBRESOURCES = [
  'status',
  'finalize',
  'log',
  'eviction',
  'parts',
  'parts/0',
  'seal',
  'indexes',
  'waits',
  'failures',
  'progress',
  'attempts',
  'items',
  'diagnosis',
  'grid',
  'durations',
  'timeline',
];
const NAMES = ['team-a', 'team-b', 'default', 'sums', 'held', 'diagnosis', 'jobs', 'namespaces', 'status'];
const TRICKS = [
  '..',
  '.',
  '%2e%2e',
  '%2E',
  '',
  'team-a%2Fjobs%2Fx',
  'team-a%2f..%2fteam-b',
  'team-a%252Fx',
  '%zz',
  '%',
  '%ff',
  'team-b%00',
  'team-b%0a',
  'team-b%0D%0A',
  'team-a;team-b',
  'team-a%3B',
  'team-a?x',
  'team-a#x',
  'team-a%23x',
  'team-a%3Fx',
  '\\',
  'a%5Cb',
  'team-a ',
  'team-a%20',
  '+',
  '%2B',
  'TEAM-A',
  'é',
  '%C3%A9',
  '*',
  ':name',
  '%2A',
];

const encoded = (text: string, at: number): string =>
  Array.from(text, (char, i) => (i === at ? `%${char.charCodeAt(0).toString(16).padStart(2, '0')}` : char)).join('');

/** A word as it is, or with one letter as an escape. */
const disguised = (word: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(word, fc.option(fc.nat(6), { freq: 4 })).map(([text, at]) => (at === null ? text : encoded(text, at)));

const name = fc.oneof(
  { weight: 6, arbitrary: disguised(fc.constantFrom(...NAMES)) },
  { weight: 2, arbitrary: fc.constantFrom(...TRICKS) },
);
const resource = disguised(fc.constantFrom(...RESOURCES));
const subresource = disguised(fc.constantFrom(...SUBRESOURCES));
const slash = fc.oneof(
  { weight: 30, arbitrary: fc.constant('/') },
  { weight: 1, arbitrary: fc.constantFrom('//', '/./', '%2F', '\\') },
);

const parts: fc.Arbitrary<readonly string[]> = fc.oneof(
  fc.tuple(fc.constant('namespaces'), name, resource, name, subresource),
  fc.tuple(fc.constant('namespaces'), name, resource, name),
  fc.tuple(fc.constant('namespaces'), name, resource),
  fc.tuple(fc.constant('namespaces'), name, subresource),
  fc.tuple(fc.constant('namespaces'), name),
  fc.tuple(resource, name),
  fc.tuple(resource),
  fc.tuple(subresource),
  fc.constant(['submissions']),
  fc.array(fc.oneof(name, resource, subresource), { maxLength: 7 }),
);

export const anyPath = fc
  .record({
    method: fc.constantFrom('GET', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
    group: disguised(fc.constantFrom(...GROUPS)),
    parts,
    slashes: fc.array(slash, { minLength: 8, maxLength: 8 }),
    end: fc.constantFrom('', '', '', '', '/', '//', '?watch=true', '/?watch=1', '?fieldSelector=metadata.name%3Dsums'),
  })
  .map(({ method, group, parts: words, slashes, end }) => ({
    method,
    path: `${group}${words.map((word, i) => `${slashes[i] ?? '/'}${word}`).join('')}${end}`,
  }));
