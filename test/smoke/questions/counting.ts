import { conditionOf } from '../../../cli/client/api-objects.ts';
import { attemptsOf, indexed, runJob } from '../ground.ts';
import { type Question, verdict } from '../question.ts';

/** Times in ms since 1970; those of attempts are ECS's, the condition's is ours. */
type Times = {
  readonly createdMs: number | null;
  readonly startedMs: number | null;
  readonly stoppedMs: number | null;
  readonly countedMs: number | null;
};

/** The first look-up of an attempt: what comes later than that has not come by an event. */
const LOOKED_UP_MS = 300_000;

/** How long an end takes from its program to the Job. */
export const counted: Question<Times> = {
  name: 'counted',
  asks: 'How long after its program has ended is an index counted, and by an event?',
  assumed: 'by an event: sooner than the first look-up, five minutes after the launch',
  async observe(ground) {
    const job = await runJob(ground, 'counted', 'exit 0', indexed(1));
    const [attempt] = await attemptsOf(ground, 'counted');
    return {
      createdMs: attempt?.createdAt ?? null,
      startedMs: attempt?.startedAt ?? null,
      stoppedMs: attempt?.stoppedAt ?? null,
      countedMs: conditionOf(job, 'Complete')?.lastTransitionTime ?? null,
    };
  },
  judge({ createdMs, startedMs, stoppedMs, countedMs }) {
    if (createdMs === null || startedMs === null || stoppedMs === null || countedMs === null)
      return verdict([false], 'a time is missing');
    const sec = (ms: number): string => `${Math.round(ms / 1_000)} s`;
    return verdict(
      [countedMs - createdMs < LOOKED_UP_MS, stoppedMs >= startedMs],
      `${sec(startedMs - createdMs)} to start, ${sec(stoppedMs - startedMs)} to its end, ${sec(countedMs - stoppedMs)} to counted`,
    );
  },
};
