import { expect, test } from 'vitest';
import { plusMs } from '../../../../domain/base/time.ts';
import { withCronEvent } from '../../../../domain/schedulers/scheduler-event.ts';
import { FRESH_CONFIG } from '../../domain/config-state.ts';
import { START, type World, aWorld, linesOf } from '../../../../../test/kube/a-world.ts';
import { CONFIGS, FURIKO_JOBS, aConfig, aFurikoJob } from './a-furiko-world.ts';

type Event = {
  readonly involvedObject: { readonly kind: string; readonly name: string };
  readonly reason: string;
};
const EVENTS = '/api/v1/namespaces/default/events';
const brief = ({ involvedObject: { kind, name }, reason }: Event): string => `${kind}/${name} ${reason}`;

/** As its scheduler does: first the row, then the status. */
async function tell(world: World, name: string, reason: string): Promise<void> {
  const key = { namespace: 'default', name };
  const object = await world.objects.read('JobConfig', key);
  if (object === null) throw new Error(`no JobConfig ${name}`);
  const { uid } = object.document.metadata;
  const row = await world.crons.read(uid);
  const before = row?.kind === 'JobConfig' ? row.state : FRESH_CONFIG;
  const state = withCronEvent(before, { type: 'Warning', reason, message: 'why' }, world.clock.now());
  await world.crons.write({ kind: 'JobConfig', uid, key, version: row?.version ?? 0, alarmAt: null, state });
  const document = { ...object.document, status: { state: 'Ready', lastExecuted: reason } };
  await world.objects.commit('JobConfig', { key, was: object.version, document });
}

test('Events of a JobConfig are listed, with those of the Jobs that have its name', async () => {
  const world = await aWorld();
  for (const name of ['nightly', 'other']) await world.post(CONFIGS, aConfig(name));
  await world.post(FURIKO_JOBS, aFurikoJob('nightly'));
  await world.commit('nightly', [{ op: 'claim', index: 0 }], { startTime: START });
  await tell(world, 'nightly', 'Skipped');
  await tell(world, 'other', 'Skipped');
  const list = async (query: string) => {
    const { items, metadata } = (await (await world.get(`${EVENTS}?${query}`)).json()) as {
      items: (Event & { involvedObject: object; source: object })[];
      metadata: { continue?: string };
    };
    return { items, next: metadata.continue ?? '' };
  };
  const named = async (fields: string) => (await list(`fieldSelector=${encodeURIComponent(fields)}`)).items.map(brief);
  expect(await named('involvedObject.name=nightly,involvedObject.kind=JobConfig')).toEqual([
    'JobConfig/nightly Skipped',
  ]);
  expect(await named('involvedObject.kind=JobConfig')).toEqual([
    'JobConfig/nightly Skipped',
    'JobConfig/other Skipped',
  ]);
  expect(await named('involvedObject.name=nightly,involvedObject.kind=Job')).toEqual(['Job/nightly SuccessfulCreate']);
  // As `kubectl events --for furikojob/nightly` asks.
  const ofJob = 'involvedObject.kind=Job,involvedObject.name=nightly,involvedObject.apiVersion=';
  expect(await named(`${ofJob}execution.furiko.io/v1alpha1`)).toEqual(['Job/nightly SuccessfulCreate']);
  expect(await named(`${ofJob}apps/v1`)).toEqual([]);
  expect((await list('')).items[0]).toMatchObject({
    involvedObject: { apiVersion: 'execution.furiko.io/v1alpha1', kind: 'JobConfig', name: 'nightly' },
    source: { component: 'jobconfig-controller' },
  });
  // Page by page, nothing twice and nothing left out.
  const whole = (await list('')).items.map(brief);
  const paged: string[] = [];
  let next = '';
  do {
    const page = await list(`limit=1&continue=${encodeURIComponent(next)}`);
    paged.push(...page.items.map(brief));
    next = page.next;
  } while (next !== '');
  expect([whole.length, paged]).toEqual([3, whole]);
});

test('Events of a JobConfig are watched', async () => {
  let steps = 0;
  const world: World = await aWorld(
    {},
    { onSleep: async () => (steps++ === 0 ? tell(world, 'nightly', 'Skipped') : undefined) },
  );
  await world.post(CONFIGS, aConfig('nightly'));
  await world.post(FURIKO_JOBS, aFurikoJob('one'));
  const answer = await world.get(`${EVENTS}?watch=true&timeoutSeconds=6&resourceVersion=1`);
  const events = (await linesOf(answer)) as unknown as { object: Event }[];
  expect(events.map(({ object }) => brief(object))).toEqual(['JobConfig/nightly Skipped']);
  expect(world.clock.now()).toBeGreaterThanOrEqual(plusMs(START, 1000));
});
