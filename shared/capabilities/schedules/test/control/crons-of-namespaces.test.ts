import { describe, expect, test } from 'vitest';
import {
  NOTHING,
  PLENTY,
  aTeam,
  anObject,
  failing,
  leftOf,
  mark,
} from '../../../../../test/control/lifecycle/a-team.ts';
import { emptyNamespace, sweepNamespaces } from '../../../../control/lifecycle/namespaces.ts';

describe('a namespace with CronJobs that is being deleted', () => {
  test('deletes no more at once than the budget allows, and the rest later', async () => {
    const { stage, uids } = await aTeam('CronJob');
    const { deps } = stage.handler();
    await mark(stage);
    expect(await emptyNamespace('team', deps, { deletions: 4, ms: 60_000 })).toBe('left');
    expect(await leftOf('CronJob', stage, uids)).toMatchObject({ namespace: true, names: [], objects: 1 });
    expect(await sweepNamespaces(deps, PLENTY)).toBe(1);
    expect(await leftOf('CronJob', stage, uids)).toEqual(NOTHING);
  });

  test('waits for their finalizers', async () => {
    const { stage, uids } = await aTeam('CronJob', 2);
    const { deps } = stage.handler();
    const { objects } = stage.store;
    const held = { namespace: 'team', name: 'held' };
    await objects.commit('CronJob', { key: held, was: 0, document: anObject(['example.com/hold']) });
    await mark(stage);
    expect(await emptyNamespace('team', deps, PLENTY)).toBe('left');
    expect(await leftOf('CronJob', stage, uids)).toMatchObject({ namespace: true, objects: 1 });
    const marked = await objects.read('CronJob', held);
    for (let nth = 0; nth < 3; nth++) expect(await emptyNamespace('team', deps, PLENTY)).toBe('left');
    expect(marked?.document.metadata['deletionTimestamp']).toBe('2027-01-15T08:00:02Z');
    expect((await objects.read('CronJob', held))?.version).toBe(marked?.version); // once is enough
    await objects.commit('CronJob', { key: held, was: marked!.version, document: null });
    expect(await emptyNamespace('team', deps, PLENTY)).toBe('removed');
  });

  test('the process that empties it may die before or after any step: the sweep continues', async () => {
    let died = 0;
    for (const where of ['before', 'behind'] as const)
      for (let step = 1; ; step++) {
        const { stage, uids } = await aTeam('CronJob', 2);
        await mark(stage);
        const { deps } = stage.handler();
        const outcome = await emptyNamespace('team', failing(deps, step, where), PLENTY).catch(() => 'died');
        if (outcome === 'removed') break;
        died++;
        await sweepNamespaces(stage.handler().deps, PLENTY);
        expect(await leftOf('CronJob', stage, uids)).toEqual(NOTHING);
      }
    expect(died).toBeGreaterThan(30);
  });

  test('two processes that empty it at the same time do not conflict', async () => {
    const { stage, uids } = await aTeam('CronJob');
    await mark(stage);
    const outcomes = await Promise.all(
      [1, 2, 3].map(async () => emptyNamespace('team', stage.handler().deps, PLENTY).catch(String)),
    );
    expect(outcomes).toContain('removed');
    expect(await leftOf('CronJob', stage, uids)).toEqual(NOTHING);
  });
});
