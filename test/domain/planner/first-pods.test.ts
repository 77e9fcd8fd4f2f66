import { describe, expect, test } from 'vitest';
import { FIRST_PODS_MAX, AWS_TIMING } from '../../../shared/domain/base/timing.ts';
import { podChanges } from '../../../shared/domain/scoreboard/journal.ts';
import { freshStatus } from '../../../shared/domain/scoreboard/status.ts';
import { planFirstPods } from '../../../shared/domain/planner/first-pods.ts';
import { planJob } from '../../../shared/domain/planner/plan-job.ts';
import { OWN_RULES } from '../../../shared/domain/planner/plan-rules.ts';
import { initialChunk } from '../../../shared/domain/scoreboard/initial-board.ts';
import { type Wish, aBoard, at } from '../../support/a-board.ts';

const NOW = at(0);
const aJob = (spec: Wish) => aBoard('', spec).job;

const first = (job: ReturnType<typeof aJob>, most = FIRST_PODS_MAX) =>
  planFirstPods(job, freshStatus(job, NOW), AWS_TIMING, OWN_RULES, most);

describe('a new Job', () => {
  test('is stored with its first Pods, which the first pass sends', () => {
    const job = aJob({ completions: 5, parallelism: 3 });
    const status = first(job)?.status;
    expect(status).toMatchObject({ version: 1, startTime: NOW, alarms: [NOW], phase: { kind: 'running' } });
    if (status === undefined) return;
    expect(podChanges(status.journal, 0).map(({ index, state }) => `${index} ${state}`)).toEqual([
      '0 claimed',
      '1 claimed',
      '2 claimed',
    ]);
    const chunks = new Map([[0, initialChunk(job.spec.selection, 0)]]);
    const pass = planJob(job, status, chunks, [], NOW, AWS_TIMING);
    const launches = pass.actions.flatMap((action) => (action.kind === 'launch' ? action.attempts : []));
    expect(launches.map(({ index, attempt }) => `${index}/${attempt}`)).toEqual(['0/1', '1/1', '2/1']);
  });

  test('announces that it runs with its first pass, where somebody listens', () => {
    const job = aJob({ completions: 5 });
    const rules = { ...OWN_RULES, announces: true };
    const plan = planFirstPods(job, freshStatus(job, NOW), AWS_TIMING, rules, FIRST_PODS_MAX);
    expect(plan?.status.unannounced).toMatchObject({ dueAt: NOW });
    expect(first(job)?.status.unannounced).toBeNull();
  });

  test('that is large gets some of them', () => {
    const plan = first(aJob({ completions: 10_000, parallelism: 5_000 }));
    expect(plan?.status.inFlight).toHaveLength(FIRST_PODS_MAX);
    expect(plan?.folds).toEqual([]);
  });

  test.each([
    ['is suspended', { suspend: true }, FIRST_PODS_MAX],
    ['has nothing to do', { completions: 0 }, FIRST_PODS_MAX],
    ['another controller runs', { managed: false }, FIRST_PODS_MAX],
    ['is in an installation that leaves it to the first pass', {}, 0],
  ])('that %s has none', (_, spec, most) => {
    expect(first(aJob(spec), most)).toBeNull();
  });
});
