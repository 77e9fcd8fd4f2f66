import { runSeed } from './seed-run.ts';
import { shrink } from './shrink.ts';
import { tellSeed } from './seed-run.ts';
import { textOf } from './checks/law.ts';
import { type Variation, replayOf } from './variation.ts';
import type { Broken, Task, WorkDone } from './fleet.ts';

// A process of the fleet: runs the seeds that it is sent and answers each, until nobody is there to send any.

process.on('SIGINT', () => undefined); // our parent ends us
process.on('disconnect', () => process.exit(0));
process.on('message', (task: Task) => void work(task));

async function work({ seed, variation, shrinks }: Task): Promise<void> {
  const result = await runSeed(seed, variation);
  const broken = result.violations.length === 0 ? null : await brokenBy(seed, variation, shrinks);
  process.send?.({ result, broken } satisfies WorkDone);
}

/** The smallest run that breaks the same, in words. */
async function brokenBy(seed: number, variation: Variation, shrinks: boolean): Promise<Broken> {
  const first = await runSeed(seed, variation);
  const { variation: smallest, runs } = shrinks ? await shrink(first, variation) : { variation, runs: 0 };
  const { result, story } = await tellSeed(seed, smallest);
  const [violation] = result.violations;
  return {
    seed,
    broken: first.broken,
    shrunk: violation === undefined ? '' : textOf(violation),
    runs,
    replay: replayOf(seed, smallest),
    story: violation === undefined ? [] : story.of(violation),
  };
}
