import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Kube, conditionsOf, indexed, linesOf, shellJob } from '../e2e/kube-calls.ts';

/** Of each Job, in each stage. */
const PER_STAGE = 3;

/**
 * An index waits until its stage is there, so that all Jobs are in flight whenever something is replaced. Fifteen wait at a time, and
 * each look starts a program.
 */
const WAIT =
  'until [ -e "$MUSTER_WORKSPACE/stage-$((JOB_COMPLETION_INDEX / 3))" ]; do sleep 0.4; done; cd "$MUSTER_WORKSPACE"; ';
const say = (file: string): string => `echo $JOB_COMPLETION_INDEX >> ${file}`;
/** Every ninth index fails once, and succeeds then: one in every third stage, because back-off takes its time. */
const atSecondTry = (name: string): string =>
  `${WAIT} if [ $((JOB_COMPLETION_INDEX % 9)) = 4 ] && [ ! -e ${name}-$JOB_COMPLETION_INDEX ]; ` +
  `then touch ${name}-$JOB_COMPLETION_INDEX; exit 3; fi; ${say(name)}`;

const annotated = (job: object, annotations: Readonly<Record<string, string>>): object => ({
  ...job,
  metadata: { ...(job as { readonly metadata: object }).metadata, annotations },
});

type FlyingJob = {
  readonly name: string;
  readonly job: object;
  /** failures that it counts */
  readonly failed: number;
};

/** Five Jobs of different kinds, three of whose indexes run in each stage. */
export type FiveJobs = {
  readonly all: readonly FlyingJob[];
  readonly completions: number;
  readonly workspaceDir: string;
};

export function fiveJobs(stages: number, workspaceDir: string): FiveJobs {
  const completions = stages * PER_STAGE;
  const flight = indexed(completions, PER_STAGE);
  const numbers = Array.from({ length: completions }, (_, index) => index);
  const items = `item\n${numbers.map((index) => `item${index}`).join('\n')}`;
  const ignore = { rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [3] } }] };
  const listed = `${WAIT} [ $item = item$JOB_COMPLETION_INDEX ] && ${say('listed')}`;
  const all = [
    { name: 'plain', job: shellJob('plain', WAIT + say('plain'), flight), failed: 0 },
    {
      name: 'again',
      job: shellJob('again', atSecondTry('again'), { ...flight, backoffLimitPerIndex: 2 }),
      failed: numbers.filter((index) => index % 9 === 4).length,
    },
    {
      name: 'ignored',
      job: shellJob('ignored', atSecondTry('ignored'), { ...flight, podFailurePolicy: ignore }),
      failed: 0,
    },
    { name: 'listed', job: annotated(shellJob('listed', listed, flight), { 'muster.run/items': items }), failed: 0 },
    {
      name: 'restarted',
      job: shellJob('restarted', atSecondTry('restarted'), flight, { restartPolicy: 'OnFailure' }),
      failed: 0,
    },
  ];
  return { all, completions, workspaceDir };
}

/** Lets the indexes of one more stage end, and waits until they have, and no others. */
export async function fly({ all, workspaceDir }: FiveJobs, stage: number, kube: Kube): Promise<void> {
  writeFileSync(join(workspaceDir, `stage-${stage}`), '');
  for (const { name } of all) {
    const { status } = await kube.until(name, (seen) => seen.status.succeeded >= (stage + 1) * PER_STAGE);
    expect([name, stage, status.succeeded]).toEqual([name, stage, (stage + 1) * PER_STAGE]);
  }
}

/** All have ended well; each index has run to its end once, and each failure was counted once. */
export async function expectExact({ all, completions, workspaceDir }: FiveJobs, kube: Kube): Promise<void> {
  for (const { name, failed } of all) {
    const job = await kube.ended(name);
    expect([name, conditionsOf(job)]).toEqual([name, ['SuccessCriteriaMet', 'Complete']]);
    expect([name, job.status]).toMatchObject([name, { succeeded: completions, failed, active: 0 }]);
    const done = linesOf(workspaceDir, name).map(Number);
    const each = Array.from({ length: completions }, (_, index) => index);
    expect([name, done.toSorted((a, b) => a - b)]).toEqual([name, each]);
  }
}
