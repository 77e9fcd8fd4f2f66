import { createJob, deleteJob } from '../../../shared/control/lifecycle/job-changes.ts';
import { createOwnerCommands } from '../../../shared/control/lifecycle/owner-changes.ts';
import type { Deps } from '../../../shared/control/process/deps.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { asTime, plusMs } from '../../../shared/domain/base/time.ts';
import type { CronJobManifest } from '../../../shared/capabilities/schedules/domain/cron-manifest.ts';
import { cronJobDocument } from '../../../shared/capabilities/schedules/schema/cron-document.ts';
import { aJob } from '../../support/a-job.ts';
import { CRON_KEY, type CronAct, type SeedCron } from './seed-cron.ts';
import { START, type World } from './world.ts';

/** What people do to the CronJob of a seed, as the API does it; each act may die halfway, and is then tried again. */
export class CronUsers {
  readonly #world: World;
  readonly #cron: SeedCron;
  /** Whether it is to be suspended. */
  #wanted = false;

  constructor(world: World, cron: SeedCron) {
    this.#world = world;
    this.#cron = cron;
  }

  create(): void {
    const { uid, manifest } = this.#cron;
    this.#until('creates the CronJob', async (deps) => {
      if ((await deps.objects.read('CronJob', CRON_KEY)) !== null) return;
      const document = cronJobDocument(manifest, {
        uid,
        creationTimestamp: asTime(START),
        generation: 1,
        managedFields: [],
        deletion: null,
        status: {},
      });
      const commands = createOwnerCommands('CronJob', deps);
      await commands.arm(uid, CRON_KEY);
      await deps.objects.commit('CronJob', { key: CRON_KEY, was: 0, document });
      await commands.wake(uid);
    });
  }

  act(kind: CronAct): void {
    if (kind === 'suspended' || kind === 'resumed') this.suspend(kind === 'suspended');
    else if (kind === 'a Job deleted')
      this.#until('deletes a Job of the CronJob', async (deps) => {
        const uid = this.#world.cronWatch.newest();
        if (uid !== null) await deleteJob(uid, deps);
      });
    else this.#until('creates a Job for the CronJob', async (deps) => this.#byHand(deps));
  }

  /** Also once the weather has cleared: nobody leaves it suspended. */
  suspend(suspend: boolean): void {
    this.#wanted = suspend;
    this.#until(suspend ? 'suspends the CronJob' : 'resumes the CronJob', async (deps) => {
      const found = await deps.objects.read('CronJob', CRON_KEY);
      const { spec } = (found?.document ?? {}) as { readonly spec?: CronJobManifest['spec'] };
      // A call that is tried again may be too late.
      if (found === null || spec === undefined || spec.suspend === suspend || this.#wanted !== suspend) return;
      const commands = createOwnerCommands('CronJob', deps);
      await commands.arm(this.#cron.uid, CRON_KEY);
      const document = { ...found.document, spec: { ...spec, suspend } };
      const committed = await deps.objects.commit('CronJob', { key: CRON_KEY, was: found.version, document });
      if (committed.kind === 'lost') throw new Error('changed meanwhile');
      await commands.wake(this.#cron.uid);
    });
  }

  remove(): void {
    this.#until('deletes the CronJob', async (deps) => {
      const found = await deps.objects.read('CronJob', CRON_KEY);
      if (found === null) return;
      const deleted = await createOwnerCommands('CronJob', deps).remove(found, 'Background');
      if (deleted.kind === 'lost') throw new Error('changed meanwhile');
    });
  }

  async #byHand(deps: Deps): Promise<void> {
    const { uid } = this.#cron;
    const plain = aJob({ uid: `${uid}-by-hand`, name: 'by-hand', completions: 1, createdAt: deps.clock.now() });
    const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: CRON_KEY.name, uid, controller: true };
    const { manifest } = plain;
    const metadata = { ...manifest.metadata, ownerReferences: [owner] };
    await createJob({ ...plain, manifest: { ...manifest, metadata } }, deps);
    await deps.queues.wakeCrons([{ cron: uid, delaySec: 0, jobs: [asJobUid(`${uid}-by-hand`)] }]);
  }

  /** Tries again until the whole act has succeeded once. */
  #until(what: string, work: (deps: Deps) => Promise<void>): void {
    let done = false;
    const once = (): void => {
      if (done) return;
      this.#world.handlers.user(what, { uids: null, indexes: null }, async (deps) => {
        await work(deps);
        done = true;
      });
      this.#world.schedule(plusMs(this.#world.time, 45_000), once);
    };
    once();
  }
}
