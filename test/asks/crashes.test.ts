import { expect, test } from 'vitest';
import { dispatch } from '../../shared/control/dispatch/dispatch.ts';
import type { Deps } from '../../shared/control/process/deps.ts';
import { createPacer } from '../../shared/control/process/pacer.ts';
import { createPublisher } from '../../shared/control/process/publisher.ts';
import { createJob, deleteJob } from '../../shared/control/lifecycle/job-changes.ts';
import { reconcileBatch } from '../../shared/control/reconcile/reconcile.ts';
import { sweepJobs } from '../../shared/control/sweep/sweep.ts';
import { type JobUid, asJobUid } from '../../shared/domain/base/ids.ts';
import { invariant } from '../../shared/domain/base/invariant.ts';
import { DELETED_VERSION } from '../../shared/domain/scoreboard/status.ts';
import { GROUP_PREFIX } from '../../shared/names/env.ts';
import { parseDispatch, parseReconcileRequest } from '../../shared/schema/messages/queue-messages.ts';
import { factOf } from '../../shared/domain/planner/ending.ts';
import { formatFactMessage } from '../../shared/schema/messages/queue-messages.ts';
import { BAD, DONE, Stage } from '../support/a-stage.ts';
import { aJob } from '../support/a-job.ts';
import { openNamespace } from '../support/a-namespace.ts';

// A Lambda that dies between two of its calls, at each call of a small Job's whole life: what it had in hand comes again,
// what it had not sent is found by the sweep.

/** Where the one crash of a life takes place: at its nth port call, before or behind what the call does. */
type Crash = { readonly nth: number; readonly where: 'before' | 'behind' };

/** What of a handler is its own; all else is a port, at whose calls it may die. */
const OWN = new Set(['clock', 'telemetry', 'cache', 'publisher', 'pacer', 'settings', 'hash']);
const HOUR_MS = 3_600_000;

/** Handlers on a stage that do all there is to do; one of them dies. */
class Life {
  readonly stage = new Stage();
  calls = 0;
  /** The call at which it happened; null: it has not. */
  died: string | null = null;
  readonly #crash: Crash | null;
  #sweptAt = this.stage.time;

  constructor(crash: Crash | null) {
    this.#crash = crash;
  }

  /** One invocation of a fresh handler; null: it has died, and nothing of it goes on. */
  async run<T>(work: (deps: Deps) => Promise<T>): Promise<T | null> {
    let die: () => void = () => undefined;
    const death = new Promise<null>((resolve) => (die = () => resolve(null)));
    return Promise.race([work(this.#mortal(die)), death]);
  }

  /** Until `over`, or for three hours. */
  async goOn(over: () => Promise<boolean>): Promise<void> {
    const { stage } = this;
    const until = stage.time + 3 * HOUR_MS;
    while (stage.time < until && !(await over())) {
      await this.#everythingNow();
      stage.advance(1_000);
    }
  }

  async #everythingNow(): Promise<void> {
    const { stage } = this;
    for (const view of stage.events.splice(0)) {
      const fact = factOf(view);
      if (fact !== null) stage.mail.send('facts', formatFactMessage({ uid: view.job, facts: [fact] }));
    }
    for (const name of ['wake', 'facts'] as const) {
      for (let batch = stage.mail.receive(name, 10); batch.length > 0; batch = stage.mail.receive(name, 10)) {
        const requests = batch.flatMap(({ body }) => {
          const look = parseReconcileRequest(body, GROUP_PREFIX);
          return look.uid === null ? [] : [look];
        });
        const results = await this.run((deps) => reconcileBatch(requests, deps));
        if (results?.every(({ kind }) => kind === 'returned') === true)
          for (const { receipt } of batch) stage.mail.remove(name, receipt);
      }
    }
    for (let batch = stage.mail.receive('dispatch', 10); batch.length > 0; batch = stage.mail.receive('dispatch', 10)) {
      const messages = batch.map(({ body }) => parseDispatch(body));
      const done = await this.run((deps) => Promise.all(messages.map((message) => dispatch(message, deps))));
      if (done !== null) for (const { receipt } of batch) stage.mail.remove('dispatch', receipt);
    }
    if (stage.time < this.#sweptAt + 60_000) return;
    this.#sweptAt = stage.time;
    await this.run((deps) => sweepJobs({ everything: false }, deps));
  }

  #mortal(die: () => void): Deps {
    let dead = false;
    const { deps } = this.stage.handler();
    const strikes = (nth: number, where: Crash['where'], call: string): boolean => {
      if (dead) return true;
      if (this.#crash?.nth !== nth || this.#crash.where !== where) return false;
      this.died = call;
      dead = true;
      die();
      return true;
    };
    const mortal = <T extends object>(port: string, real: T): T =>
      new Proxy(real, {
        get: (target, method) => {
          const value: unknown = Reflect.get(target, method);
          if (typeof value !== 'function') return value;
          return async (...args: unknown[]) => {
            if (dead) return new Promise(() => undefined);
            const nth = ++this.calls;
            const call = `${port}.${String(method)}`;
            if (strikes(nth, 'before', call)) return new Promise(() => undefined);
            const result: unknown = await Reflect.apply(value, target, args);
            return strikes(nth, 'behind', call) ? new Promise(() => undefined) : result;
          };
        },
      });
    const ports = Object.entries(deps).flatMap(([name, port]): [string, object][] =>
      OWN.has(name) || typeof port !== 'object' || port === null ? [] : [[name, mortal(name, port)]],
    );
    const gated = { ...deps, ...Object.fromEntries(ports) };
    return { ...gated, publisher: createPublisher(gated), pacer: createPacer(gated) };
  }
}

/** A user asks, and asks again for as long as no answer comes. */
async function ask<T>(life: Life, what: (deps: Deps) => Promise<T>): Promise<T> {
  const answer = (await life.run(what)) ?? (await life.run(what));
  invariant(answer !== null, 'a life has one crash');
  return answer;
}

const spec = () => aJob({ completions: 3, parallelism: 2, backoffLimit: 6 });

/** The Job is created, as its user sees it. */
async function born(life: Life): Promise<JobUid> {
  await openNamespace(life.stage.store.objects, 'default', life.stage.time);
  const uid = asJobUid('uid-1');
  await life.run((deps) => createJob(spec(), deps));
  // Who finds it stored does not ask again, and nobody has been told of it.
  if ((await life.stage.store.jobs.readStatus(uid)) === null) await life.run((deps) => createJob(spec(), deps));
  return uid;
}

/** Three indexes, two at a time; the second task that is ever started fails. */
async function lifeToTheEnd(crash: Crash | null): Promise<Life> {
  const life = new Life(crash);
  const { stage } = life;
  let tasks = 0;
  Object.defineProperty(stage, 'fate', {
    get: () => ({ startMs: 1_000, runMs: 5_000, stopMs: 500, ending: ++tasks === 2 ? BAD : DONE }),
  });
  const uid = await born(life);
  await life.goOn(async () => (await stage.store.jobs.readStatus(uid))?.phase.kind === 'finished');
  await life.goOn(async () => {
    const [status, mark] = [await stage.status(uid), await stage.store.feed.readMark(uid)];
    return mark?.version === status.version || status.published.version === status.version;
  });

  const status = await stage.status(uid);
  expect(status, life.died ?? 'no crash').toMatchObject({
    phase: { kind: 'finished', verdict: { kind: 'complete', reason: 'CompletionsReached' } },
    failed: 1,
    inFlight: [],
    chunks: [{ succeeded: 3, failed: 0, pending: 0, starting: 0, running: 0 }],
  });
  const started = [...stage.tasks.all.values()].map(({ view }) => view);
  expect(started.map(({ stage: at }) => at)).toEqual(['stopped', 'stopped', 'stopped', 'stopped']); // no orphan, none twice
  const records = await stage.store.jobs.readAttempts(uid, 0, 2);
  expect(records.map(({ judgement }) => judgement.as).toSorted()).toEqual([
    'failed',
    'succeeded',
    'succeeded',
    'succeeded',
  ]);
  const mark = await stage.store.feed.readMark(uid);
  expect(Math.max(mark?.version ?? 0, status.published.version)).toBe(status.version);
  for (const queue of ['wake', 'facts', 'dispatch'] as const) expect(stage.mail.dead(queue)).toEqual([]);
  return life;
}

/** Three indexes whose tasks would run on for a day; the Job is deleted while two of them do. */
async function lifeUntilDeleted(crash: Crash | null): Promise<Life> {
  const life = new Life(crash);
  const { stage } = life;
  stage.fate = { startMs: 1_000, runMs: 24 * HOUR_MS, stopMs: 5_000, ending: DONE };
  const uid = await born(life);
  const until = stage.time + 10 * 60_000;
  await life.goOn(async () => stage.live(uid, 0).length + stage.live(uid, 1).length === 2 || stage.time > until);
  await ask(life, (deps) => deleteJob(uid, deps));
  await life.goOn(async () => {
    const status = await stage.store.jobs.readStatus(uid);
    const mark = await stage.store.feed.readMark(uid);
    return status?.phase.kind === 'deleted' && mark?.version === DELETED_VERSION;
  });

  expect((await stage.status(uid)).phase.kind, life.died ?? 'no crash').toBe('deleted');
  const started = [...stage.tasks.all.values()].map(({ view }) => view);
  expect(started.every(({ stage: at }) => at === 'stopped')).toBe(true);
  expect(started.length).toBeLessThanOrEqual(2);
  expect(await stage.store.jobs.findJob('default', 'work')).toBeNull();
  expect((await stage.store.feed.readMark(uid))?.version).toBe(DELETED_VERSION);
  stage.advance(62 * 24 * HOUR_MS);
  expect(await stage.store.jobs.readSpec(uid)).toBeNull(); // and no row for ever
  expect(await stage.store.jobs.readStatus(uid)).toBeNull();
  return life;
}

test.each([
  ['a Job that runs to its end', lifeToTheEnd],
  ['a Job that is deleted while it runs', lifeUntilDeleted],
] as const)(
  'Lambda dies between two writes, at each write (%s): the sweep repairs; no orphan, no double count',
  async (_name, live) => {
    const calm = await live(null);
    expect(calm.calls).toBeGreaterThan(40);
    const struck = new Set<string>();
    for (let nth = 1; nth <= calm.calls; nth++) {
      for (const where of ['before', 'behind'] as const) {
        const { died } = await live({ nth, where });
        expect(died, `call ${nth}`).not.toBeNull();
        struck.add(died ?? '');
      }
    }
    for (const call of ['jobs.createJob', 'jobs.commitPass', 'jobs.writeLaunches', 'tasks.run', 'feed.append'])
      expect(struck).toContain(call);
    for (const call of ['queues.wake', 'queues.facts', 'queues.dispatch']) expect(struck).toContain(call);
  },
);
