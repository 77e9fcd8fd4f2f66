import { expect, test } from 'vitest';
import { createMemoryHostnames } from '../../shared/adapters/memory/hostnames.ts';
import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import { createCache } from '../../shared/control/cache.ts';
import type { Deps } from '../../shared/control/deps.ts';
import { templateOf } from '../../shared/control/template.ts';
import { asEpochMs } from '../../shared/domain/brand.ts';
import type { StoredSpec } from '../../shared/ports/job-store.ts';
import { aJob } from '../support/a-job.ts';

const PREPARED = { taskDefinition: 'td:1', containers: ['main'], placement: '{}' };

function aDispatcher(): Deps {
  const { jobs } = createMemoryStore({ now: () => asEpochMs(0) });
  const tasks = { prepare: async () => ({ kind: 'ready', template: PREPARED }) };
  return { jobs, tasks, hash: (text: string) => text, cache: createCache(), hostnames: null } as unknown as Deps;
}

/** The same dispatcher on another day, by which its installation's zone may be another. */
const onAnotherDay = (deps: Deps, zone: string | null): Deps => ({
  ...deps,
  cache: createCache(),
  hostnames: zone === null ? null : createMemoryHostnames({ zone }),
});

const withSubdomain = (spec: StoredSpec): StoredSpec => {
  const { template } = spec.manifest.spec;
  const named = { ...template, spec: { ...template.spec, subdomain: 'workers' } };
  return { ...spec, manifest: { ...spec.manifest, spec: { ...spec.manifest.spec, template: named } } };
};

test('the zone is frozen with the rest of what launches have in common: a repeated call must be the same', async () => {
  const spec = withSubdomain(aJob());
  const first = onAnotherDay(aDispatcher(), 'muster.internal');
  expect(await templateOf(spec, first)).toEqual({ ...PREPARED, zone: 'muster.internal' });
  for (const zone of ['other.internal', null])
    expect(await templateOf(spec, onAnotherDay(first, zone))).toEqual({ ...PREPARED, zone: 'muster.internal' });
});

test.each([
  ['without a subdomain', aJob(), 'muster.internal'],
  ['in an installation without names', withSubdomain(aJob()), null],
])('there is no zone %s, and there will be none', async (_, spec, zone) => {
  const first = onAnotherDay(aDispatcher(), zone);
  expect(await templateOf(spec, first)).toEqual(PREPARED);
  expect(await templateOf(spec, onAnotherDay(first, 'muster.internal'))).toEqual(PREPARED);
});
