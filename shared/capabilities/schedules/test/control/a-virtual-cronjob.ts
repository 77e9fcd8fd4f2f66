import { deleteJob } from '../../../../control/lifecycle/job-changes.ts';
import type { Deps } from '../../../../control/process/deps.ts';
import { asJobUid } from '../../../../domain/base/ids.ts';
import { type EpochMs, plusMs } from '../../../../domain/base/time.ts';
import type { CronJobStatusDocument } from '../../domain/cron-manifest.ts';
import { endOf, isHidden } from '../../../../domain/scoreboard/status.ts';
import { admitCronJob } from '../../schema/cron-admission.ts';
import { DONE } from '../../../../../test/dst/world/fates.ts';
import { CALM } from '../../../../../test/dst/world/fault-rates.ts';
import { CRON_KEY } from '../../../../../test/dst/world/seed-cron.ts';
import { CronUsers } from '../../../../../test/dst/world/cron-users.ts';
import { START, World } from '../../../../../test/dst/world/world.ts';
import { openNamespace } from '../../../../../test/support/a-namespace.ts';

const UID = 'cron-virtual';
const STEP_MS = 1_000;

export type VirtualJob = { readonly uid: string; readonly name: string; readonly end: 'complete' | 'failed' | null };

/** A CronJob of every minute in a world where time is the simulation's, and nothing goes wrong. */
export class VirtualCronJob {
  readonly #world: World;

  private constructor(world: World) {
    this.#world = world;
  }

  /** `runMs`, `exitCode`: of each of its tasks. */
  static async begin(spec: object, { runMs = 500, exitCode = 0 } = {}): Promise<VirtualCronJob> {
    const world = new World({
      seed: 1,
      without: new Set(),
      told: false,
      faultRates: CALM,
      fate: () => ({
        startMs: 500,
        runMs,
        stopMs: 500,
        ending: exitCode === 0 ? DONE : { ...DONE, cause: 'Error', exitCode },
      }),
      launchesPerSec: null,
      stopsPerSec: null,
      gustMs: 0,
      stepMaxMs: 1,
      announced: false,
    });
    await openNamespace(world.store.objects, 'default', START);
    new CronUsers(world, { uid: UID, manifest: admitted(spec), jitterSec: 0, acts: [] }).create();
    const cron = new VirtualCronJob(world);
    await cron.pass(STEP_MS);
    return cron;
  }

  /** Lets so much time pass. Throws if the CronJob's guarantees are broken. */
  async pass(ms: number): Promise<void> {
    const world = this.#world;
    const until = plusMs(world.time, ms);
    world.schedule(until, () => undefined); // time goes on although nothing is to happen
    while (world.time < until) await world.step();
    if (world.law.violations.length > 0) throw new Error(JSON.stringify(world.law.violations[0]));
  }

  /** Looks every second until something holds; fails after `withinMs`. */
  async until<T>(withinMs: number, look: () => Promise<T | null>): Promise<T> {
    for (let waitedMs = 0; waitedMs <= withinMs; waitedMs += STEP_MS) {
      const found = await look();
      if (found !== null) return found;
      await this.pass(STEP_MS);
    }
    throw new Error(`it did not hold within ${withinMs / 1_000} s: ${JSON.stringify(await this.jobs())}`);
  }

  get now(): EpochMs {
    return this.#world.time;
  }

  async status(): Promise<CronJobStatusDocument> {
    const object = await this.#world.store.objects.read('CronJob', CRON_KEY);
    return (object?.document['status'] ?? {}) as CronJobStatusDocument;
  }

  /** Names in `status.active`. */
  async active(): Promise<readonly string[]> {
    return ((await this.status()).active ?? []).map(({ name = '' }) => name);
  }

  async untilActive(count: number, withinMs: number): Promise<readonly string[]> {
    return this.until(withinMs, async () => {
      const names = await this.active();
      return names.length >= count ? names : null;
    });
  }

  async jobs(): Promise<readonly VirtualJob[]> {
    const { jobs } = this.#world.store;
    const listed = await jobs.listJobs({ namespace: null, after: null, limit: 100 });
    const found: VirtualJob[] = [];
    for (const { uid, name } of listed.jobs) {
      const status = await jobs.readStatus(uid);
      if (status !== null && !isHidden(status.phase))
        found.push({ uid, name, end: endOf(status.phase)?.verdict.kind ?? null });
    }
    return found;
  }

  /** Its annotations. */
  async annotationsOf(uid: string): Promise<Readonly<Record<string, string>>> {
    return (await this.#world.store.jobs.readSpec(asJobUid(uid)))?.manifest.metadata.annotations ?? {};
  }

  async reasons(): Promise<readonly string[]> {
    return ((await this.#world.store.crons.read(UID))?.state.events ?? []).map(({ reason }) => reason);
  }

  async deleteJob(uid: string): Promise<void> {
    await this.#act('deletes a Job', async (deps) => void (await deleteJob(asJobUid(uid), deps)));
  }

  /** Somebody says when it was last scheduled. */
  async patchStatus(status: CronJobStatusDocument): Promise<void> {
    await this.#act('changes the status', async (deps) => {
      const object = await deps.objects.read('CronJob', CRON_KEY);
      if (object === null) throw new Error('it is gone');
      const document = { ...object.document, status };
      await deps.objects.commit('CronJob', { key: CRON_KEY, was: object.version, document });
    });
  }

  async #act(what: string, work: (deps: Deps) => Promise<void>): Promise<void> {
    this.#world.handlers.user(what, { uids: null, indexes: null }, work);
    await this.pass(STEP_MS);
  }
}

function admitted(spec: object) {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox' }] } };
  const jobTemplate = { spec: { parallelism: 1, completions: 1, backoffLimit: 0, template } };
  const document = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: CRON_KEY.name },
    spec: { schedule: '*/1 * * * ?', ...spec, jobTemplate },
  };
  const context = { namespace: CRON_KEY.namespace, uid: UID, nameSuffix: '', fieldValidation: 'Strict' } as const;
  const admission = admitCronJob(document, context);
  if (admission.kind !== 'ok') throw new Error(JSON.stringify(admission));
  return admission.manifest;
}
