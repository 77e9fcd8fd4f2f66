import { deleteJob } from '../../../shared/control/lifecycle/job-changes.ts';
import { submit } from '../../../shared/control/submit/submit.ts';
import type { Deps } from '../../../shared/control/process/deps.ts';
import { plusMs } from '../../../shared/domain/base/time.ts';
import type { Submission } from '../../../shared/schema/submission/submission.ts';
import { SOURCE_VARIABLE } from '../checks/submit-watch.ts';
import type { Random } from '../random.ts';
import { CRON_KEY, STORM_MIN } from './seed-cron.ts';
import { START, type World } from './world.ts';

/** A message, how late each of its deliveries comes, and when somebody deletes its Job; null: nobody does. */
type Sent = {
  readonly submission: Submission;
  readonly afterMs: readonly number[];
  readonly deletedAfterMs: number | null;
};

/** A message that is not done with comes again. */
const AGAIN_MS = 45_000;

/** Messages to the submit queue of one seed: doubled, late, and worked on by functions that die. */
export class Submitters {
  readonly #world: World;
  readonly #sent: readonly Sent[];

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#sent = Array.from({ length: random.between(1, 4) }, (_, i) => sentByLuck(`sqs/m${i}`, random));
  }

  sources(): readonly string[] {
    return this.#sent.map(({ submission }) => submission.source);
  }

  start(): void {
    for (const { submission, afterMs, deletedAfterMs } of this.#sent) {
      for (const each of afterMs) this.#after(each, () => this.#deliver(submission));
      if (deletedAfterMs !== null) this.#after(deletedAfterMs, () => this.#delete(submission.source));
    }
  }

  #after(ms: number, happen: () => void): void {
    this.#world.schedule(plusMs(START, ms), happen);
  }

  #deliver(submission: Submission): void {
    this.#until(`works on the message ${submission.source}`, async (deps) => {
      const submitted = await submit(submission, {}, deps);
      // Its template may not be there yet: SQS would give up, and these messages wait.
      if (submitted.kind !== 'created' && submitted.kind !== 'there') throw new Error(submitted.kind);
    });
  }

  #delete(source: string): void {
    this.#until(`deletes the Job of the message ${source}`, async (deps) => {
      const uid = this.#world.submitWatch.jobOf(source);
      if (uid !== null) await deleteJob(uid, deps);
    });
  }

  #until(what: string, work: (deps: Deps) => Promise<void>): void {
    let done = false;
    const once = (): void => {
      if (done) return;
      this.#world.handlers.user(what, { uids: null, indexes: null }, async (deps) => {
        await work(deps);
        done = true;
      });
      this.#world.schedule(plusMs(this.#world.time, AGAIN_MS), once);
    };
    once();
  }
}

function sentByLuck(source: string, random: Random): Sent {
  const first = random.between(1_000, (STORM_MIN / 2) * 60_000);
  // At once, as two invocations may have it; a little later; or when its Job is over.
  const doubles = Array.from(
    { length: random.between(0, 3) },
    () => first + random.pick([0, 0, 5, 2_000, 60_000, 500_000]),
  );
  return {
    submission: {
      namespace: CRON_KEY.namespace,
      source,
      taskToken: null,
      of: {
        kind: 'CronJob',
        name: CRON_KEY.name,
        additions: { name: null, items: null, env: [{ name: SOURCE_VARIABLE, value: source }] },
      },
    },
    afterMs: [first, ...doubles],
    deletedAfterMs: random.chance(0.4) ? first + random.between(10_000, 300_000) : null,
  };
}
