import { describe, expect, test } from 'vitest';
import { createMemoryTasks } from '../../shared/adapters/memory/tasks.ts';
import { parseFactMessage } from '../../shared/schema/queue-messages.ts';
import { DONE, Stage } from '../support/a-stage.ts';

// ECS has refused a launch, and the board asks about it all the same: it has heard of a task.

/** ECS refuses every launch; whether it starts one all the same, and how long it does not list it, is the test's affair. */
class Denying extends Stage {
  starts = true;
  override readonly tasks = createMemoryTasks({
    now: () => this.time,
    at: () => undefined,
    fate: () => ({ startMs: 1_000, runMs: 3_600_000, stopMs: 500, ending: DONE }),
    refusal: () => 'Capacity is unavailable at this time',
    startsThoughRefused: () => this.starts,
    hiddenMs: () => 60_000,
    emit: () => undefined,
  });

  /** The facts that a dispatcher sends when it is asked to stop the attempt. */
  async askedToStop(uid: Awaited<ReturnType<Stage['job']>>): Promise<readonly string[]> {
    const stop = [{ index: 0, attempt: 1, nonce: 0 }];
    await this.handler().dispatch([{ kind: 'pack', uid, launch: [], stop }]);
    return this.take('facts').flatMap((body) => parseFactMessage(body).facts.map(({ kind }) => kind));
  }
}

describe('a refused launch that is to be stopped', () => {
  const refused = async (starts: boolean) => {
    const stage = new Denying();
    stage.starts = starts;
    const uid = await stage.job({ completions: 1, parallelism: 1 });
    const handler = stage.handler();
    await handler.pass(...stage.takeLooks());
    await handler.dispatch(stage.takeDispatches());
    expect(stage.take('facts').flatMap((body) => parseFactMessage(body).facts.map(({ kind }) => kind))).toEqual([
      'refused',
    ]);
    return { stage, uid };
  };

  test('is not said to be cancelled while ECS may not list its task yet, and its task is found then', async () => {
    const { stage, uid } = await refused(true);
    stage.advance(30_000);
    expect(await stage.askedToStop(uid)).toEqual([]);
    stage.advance(60_000);
    expect(await stage.askedToStop(uid)).toEqual(['launched']);
  });

  test('is said to be cancelled once ECS must have listed it', async () => {
    const { stage, uid } = await refused(false);
    stage.advance(119_000);
    expect(await stage.askedToStop(uid)).toEqual([]);
    stage.advance(1_000);
    expect(await stage.askedToStop(uid)).toEqual(['cancelled']);
  });
});
