import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Container } from '../../../shared/domain/manifests/pod-spec.ts';
import { overridesOf } from '../../../shared/domain/task/launch-overrides.ts';
import { sourcesOfTexts, sourcesPrint, textsForLaunches } from '../../../shared/domain/task/launch-sources.ts';
import { aConfigMap, aPodOf, aSecret, anAttempt, sourcesOf } from './a-pod.ts';

const HOST: Container['env'] = [{ name: 'HOST', valueFrom: { configMapKeyRef: { name: 'c', key: 'host' } } }];
const SOURCES = sourcesOf({ configMaps: { c: aConfigMap({ host: 'example.org', other: 'x' }) } });

test.each<[string, Partial<Container>, number]>([
  ['nothing is put together', { env: HOST, args: ['$HOST', '$(MUSTER_INDEX)'] }, 0],
  ['all of it is known before', { env: HOST, args: ['$(HOST)'] }, 0],
  ['a word says something of the attempt', { env: HOST, args: ['$(HOST)', '$(MUSTER_INDEX)'] }, 1],
  ['a value does', { env: [...HOST, { name: 'URL', value: '$(HOST)/$(MUSTER_INDEX)' }] }, 1],
])('a launch template keeps texts only where launches need them: %s', (_, main, count) => {
  expect(textsForLaunches(aPodOf({}, main), SOURCES)).toHaveLength(count);
});

test('a launch puts the same together as the definition would, and keeps only what it refers to', () => {
  const main = { env: HOST, args: ['$(HOST)', '$(MUSTER_INDEX)'] };
  const texts = textsForLaunches(aPodOf({}, main), SOURCES);
  expect(texts).toEqual([{ name: 'c', keys: { host: 'example.org' } }]);
  const whole = overridesOf(aPodOf({}, main), anAttempt, SOURCES);
  expect(overridesOf(aPodOf({}, main), anAttempt, sourcesOfTexts(texts))).toEqual(whole);
  expect(whole[0]?.command).toEqual(['example.org', '7']);
});

test('a print is another one for each version of each source', () => {
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  const job = aPodOf({ volumes: [{ name: 'v', secret: { secretName: 's' } }] }, { env: HOST });
  const printOf = (c: string, s: string) =>
    sourcesPrint(job, sourcesOf({ configMaps: { c: aConfigMap({}, c) }, secrets: { s: aSecret({}, s) } }), hash);
  expect(new Set([printOf('1', '1'), printOf('1', '2'), printOf('22', '1')]).size).toBe(3);
  expect(sourcesPrint(aPodOf({}), SOURCES, hash)).toBeNull();
});
