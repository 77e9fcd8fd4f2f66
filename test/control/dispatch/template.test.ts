import { describe, expect, test } from 'vitest';
import { createMemoryHostnames } from '../../../shared/capabilities/hostnames/test/memory-hostnames.ts';
import { createMemoryStore } from '../../../shared/runtime/memory-store.ts';
import { createCache } from '../../../shared/control/process/cache.ts';
import type { Deps } from '../../../shared/control/process/deps.ts';
import { newestTemplate, renewTemplate, templatesOf } from '../../../shared/control/dispatch/template.ts';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import { OVERRIDES_CHARS_MAX, overridesCharsMax } from '../../../shared/domain/task/launch-overrides.ts';
import type { TaskDefinition } from '../../../shared/domain/task/task.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
import { readItems } from '../../../shared/schema/items/job-items-rules.ts';
import { aJob } from '../../support/a-job.ts';

const READY = { taskDefinition: 'td:1', containers: ['main'], placement: '{}' };
/** Of a Job with as many indexes as `aJob` has. */
const PREPARED = { ...READY, completions: 3 };

function aDispatcher(): Deps {
  const { jobs } = createMemoryStore({ now: () => asEpochMs(0) });
  const tasks = { prepare: async () => ({ kind: 'ready', template: READY }) };
  return {
    jobs,
    tasks,
    hash: (text: string) => text,
    cache: createCache(),
    ports: {},
    settings: {},
  } as unknown as Deps;
}

/** The same dispatcher on another day, when the installation may have another zone. */
const onAnotherDay = (deps: Deps, zone: string | null): Deps => ({
  ...deps,
  cache: createCache(),
  ports: zone === null ? {} : { hostnames: createMemoryHostnames({ zone }) },
});

const withSubdomain = (spec: StoredSpec): StoredSpec => {
  const { template } = spec.manifest.spec;
  const named = { ...template, spec: { ...template.spec, subdomain: 'workers' } };
  return { ...spec, manifest: { ...spec.manifest, spec: { ...spec.manifest.spec, template: named } } };
};

test('the template freezes the zone, because a repeated call must be identical', async () => {
  const spec = withSubdomain(aJob());
  const first = onAnotherDay(aDispatcher(), 'muster.internal');
  expect(await templatesOf(spec, 0, first)).toEqual([{ ...PREPARED, zone: 'muster.internal' }]);
  for (const zone of ['other.internal', null])
    expect(await templatesOf(spec, 0, onAnotherDay(first, zone))).toEqual([{ ...PREPARED, zone: 'muster.internal' }]);
});

test.each([
  ['without a subdomain', aJob(), 'muster.internal'],
  ['in an installation without names', withSubdomain(aJob()), null],
])('no zone %s, now or later', async (_, spec, zone) => {
  const first = onAnotherDay(aDispatcher(), zone);
  expect(await templatesOf(spec, 0, first)).toEqual([PREPARED]);
  expect(await templatesOf(spec, 0, onAnotherDay(first, 'muster.internal'))).toEqual([PREPARED]);
});

test('a task whose volumes belong to a group has two containers, so that its main one is marked', async () => {
  const spec = aJob();
  const { template } = spec.manifest.spec;
  const [main] = template.spec.containers;
  const pod = {
    ...template.spec,
    volumes: [{ name: 'v', emptyDir: {} }],
    containers: [{ ...main!, volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
  };
  const withPod = (more: object): StoredSpec => ({
    ...spec,
    manifest: {
      ...spec.manifest,
      spec: { ...spec.manifest.spec, template: { ...template, spec: { ...pod, ...more } } },
    },
  });
  const grouped = withPod({ securityContext: { fsGroup: 7 } });
  expect(await templatesOf(withPod({}), 0, aDispatcher())).toEqual([PREPARED]);
  expect(await templatesOf(grouped, 0, aDispatcher())).toEqual([{ ...PREPARED, containers: ['main', 'muster-files'] }]);
  const charsOf = ({ manifest }: StoredSpec): number => overridesCharsMax(manifest);
  expect(charsOf(grouped) - charsOf(withPod({}))).toBe(',{"name":"MUSTER_MAIN","value":"main"}'.length);
});

describe('how many indexes there are', () => {
  const resized = aJob({ completions: 8 });
  const kept = async (spec: StoredSpec) => {
    const deps = { ...aDispatcher(), settings: {} } as unknown as Deps;
    await templatesOf(spec, 0, deps);
    return { deps, stored: await deps.jobs.readTemplates(spec.identity.uid) };
  };

  test('is as it was at the first launch: all Pods of a Job see one number, also after it was resized', async () => {
    const { deps, stored } = await kept(aJob());
    expect(stored).toEqual([PREPARED]);
    expect(await newestTemplate(resized, onAnotherDay(deps, null))).toBe(0);
    expect(await templatesOf(resized, 0, onAnotherDay(deps, null))).toEqual([PREPARED]);
  });

  test('stays so when the template of a Job is made anew that was resized', async () => {
    const { deps: here } = await kept(aJob());
    await renewTemplate(resized, here);
    expect(await here.jobs.readTemplates(resized.identity.uid)).toEqual([PREPARED]);
    const tasks = { prepare: async () => ({ kind: 'ready', template: { ...READY, placement: 'other' } }) };
    await renewTemplate(resized, { ...here, tasks } as unknown as Deps);
    expect(await templatesOf(resized, 1, here)).toEqual([PREPARED, { ...PREPARED, placement: 'other' }]);
  });

  test.each([
    ['fits', 0, PREPARED],
    ['does not fit', 1, READY],
  ])('is there where it %s', async (_, excess, template) => {
    const withWord = (chars: number): StoredSpec => {
      const spec = aJob({ annotations: { 'muster.run/items': `F\na\nb\n${'c'.repeat(99)}` } });
      const { template: pod } = spec.manifest.spec;
      const [main] = pod.spec.containers;
      const containers = [{ ...main, name: 'main', image: 'a:1', command: ['a', `$(F)${'x'.repeat(chars)}`] }];
      const own = { ...pod, spec: { ...pod.spec, containers } };
      return { ...spec, manifest: { ...spec.manifest, spec: { ...spec.manifest.spec, template: own } } };
    };
    const widest = readItems(withWord(0).manifest.metadata.annotations);
    const room =
      OVERRIDES_CHARS_MAX -
      overridesCharsMax(withWord(0).manifest, widest.kind === 'ok' ? (widest.admitted?.widest ?? null) : null);
    expect((await kept(withWord(room + excess))).stored).toEqual([template]);
  });

  test('is not there without indexes', async () => {
    expect((await kept(aJob({ completionMode: 'NonIndexed' }))).stored).toEqual([READY]);
  });
});

describe('a Job whose items say their images', () => {
  const listed = (): StoredSpec =>
    aJob({ annotations: { 'muster.run/items': 'image\na:1\n[""]\nb:1\na:1', 'muster.run/image-from-items': 'true' } });

  /** ECS, which throttles each call that `isThrottled` names. */
  const registering = (deps: Deps, asked: string[], isThrottled: (image: string) => boolean): Deps =>
    ({
      ...deps,
      tasks: {
        prepare: async ({ containers }: TaskDefinition) => {
          const image = containers[0]?.image ?? '';
          asked.push(image);
          return isThrottled(image)
            ? { kind: 'later', reason: 'Rate exceeded' }
            : { kind: 'ready', template: { ...READY, taskDefinition: `of ${image}` } };
        },
      },
    }) as unknown as Deps;

  test('has a task definition for each of them, and for those that say none', async () => {
    const spec = listed();
    const own = spec.manifest.spec.template.spec.containers[0]?.image ?? '';
    const asked: string[] = [];
    const deps = registering(aDispatcher(), asked, () => false);
    const variants = ['a:1', 'b:1'].map((image) => ({ image, taskDefinition: `of ${image}` }));
    const expected = [{ ...PREPARED, taskDefinition: `of ${own}`, variants }];
    expect(await templatesOf(spec, 0, deps)).toEqual(expected);
    expect(await templatesOf(spec, 0, { ...deps, cache: createCache() })).toEqual(expected);
    expect(asked).toEqual([own, 'a:1', 'b:1']);
  });

  test('has no template before all of them are registered', async () => {
    const spec = listed();
    const [first, asked] = [aDispatcher(), [] as string[]];
    expect(
      await templatesOf(
        spec,
        0,
        registering(first, asked, (image) => image === 'b:1'),
      ),
    ).toMatchObject({
      kind: 'later',
    });
    expect(await first.jobs.readTemplates(spec.identity.uid)).toEqual([]);
    expect(
      await templatesOf(
        spec,
        0,
        registering(first, asked, () => false),
      ),
    ).toHaveLength(1);
  });
});

describe('after a refusal', () => {
  const elsewhere = { ...PREPARED, placement: '{"subnets":["subnet-2"]}' };
  /** The same process after the stack has changed. */
  const changed = (deps: Deps, template: object): Deps =>
    ({ ...deps, tasks: { prepare: async () => ({ kind: 'ready', template }) } }) as unknown as Deps;

  test('stores the current settings of the stack as the next template, and keeps earlier ones', async () => {
    const spec = aJob();
    const first = aDispatcher();
    await templatesOf(spec, 0, first);
    const later = changed(first, elsewhere);
    await renewTemplate(spec, later);
    expect(await newestTemplate(spec, later)).toBe(1);
    expect(await templatesOf(spec, 0, later)).toEqual([PREPARED, elsewhere]);
    await renewTemplate(spec, later);
    expect(await later.jobs.readTemplates(spec.identity.uid)).toEqual([PREPARED, elsewhere]);
  });

  test('uses the template of another process that was first, and reads it when a slot names it', async () => {
    const spec = aJob();
    const first = aDispatcher();
    const other = { ...first, cache: createCache() };
    for (const deps of [first, other]) await templatesOf(spec, 0, deps);
    await renewTemplate(spec, changed(first, elsewhere));
    expect(await newestTemplate(spec, other)).toBe(0);
    expect(await templatesOf(spec, 1, other)).toEqual([PREPARED, elsewhere]);
    const third = { ...first, cache: createCache() };
    third.cache.templates.set(spec.identity.uid, [PREPARED]);
    await renewTemplate(spec, changed(third, elsewhere));
    expect(await newestTemplate(spec, third)).toBe(1);
    expect(await first.jobs.readTemplates(spec.identity.uid)).toEqual([PREPARED, elsewhere]);
  });

  test.each([
    { kind: 'refused', reason: 'no' },
    { kind: 'fatal', reason: 'no' },
    { kind: 'later', reason: 'no' },
  ])('stores nothing if the stack has no other settings ($kind)', async (answer) => {
    const spec = aJob();
    const first = aDispatcher();
    await templatesOf(spec, 0, first);
    await renewTemplate(spec, { ...first, tasks: { prepare: async () => answer } } as unknown as Deps);
    expect(await first.jobs.readTemplates(spec.identity.uid)).toEqual([PREPARED]);
  });
});
