import { createOwnerCommands } from '../../../../control/lifecycle/owner-changes.ts';
import { createPlaceCommands } from '../../control/give-places.ts';
import { createJobCommands, deleteJob } from '../../../../control/lifecycle/job-changes.ts';
import type { Deps } from '../../../../control/process/deps.ts';
import { asJobUid } from '../../../../domain/base/ids.ts';
import { asEpochMs, asTime, plusMs } from '../../../../domain/base/time.ts';
import { FURIKO_API_VERSION } from '../../domain/furiko-job.ts';
import type { JobConfigSpec } from '../../domain/job-config.ts';
import type { StoredDocument } from '../../../../ports/object-store.ts';
import { admitFurikoJob } from '../../schema/furiko-job-admission.ts';
import { storedJobConfig } from '../../schema/job-config-admission.ts';
import type { ConfigWatch } from './config-watch.ts';
import { CONFIG_KEY, type ConfigAct, type Order, type SeedConfig } from './seed-config.ts';
import { START, type World } from '../../../../../test/dst/world/world.ts';

/** A user whose call died, or whose Job was refused, tries again. Nobody tries for ever. */
const PATIENCE = { againMs: 45_000, triesMax: 12 };

/** What people do with the JobConfig of a seed, as the API does it; each act may die halfway, and is then tried again. */
export class ConfigUsers {
  readonly #world: World;
  readonly #config: SeedConfig;
  readonly #watch: ConfigWatch;
  /** Whether its schedule is to be enabled. */
  #wanted = true;
  #isOver = false;
  readonly #patience: typeof PATIENCE;

  constructor(world: World, config: SeedConfig, watch: ConfigWatch, patience = PATIENCE) {
    this.#world = world;
    this.#config = config;
    this.#watch = watch;
    this.#patience = patience;
  }

  create(): void {
    const { uid, manifest } = this.#config;
    this.#until('creates the JobConfig', async (deps) => {
      if ((await deps.objects.read('JobConfig', CONFIG_KEY)) !== null) return true;
      const { metadata, ...rest } = manifest;
      const document = { ...rest, metadata: { ...metadata, uid, generation: 1, creationTimestamp: asTime(START) } };
      const commands = createOwnerCommands('JobConfig', deps);
      await commands.arm(uid, CONFIG_KEY);
      await deps.objects.commit('JobConfig', { key: CONFIG_KEY, was: 0, document });
      await commands.wake(uid);
      return true;
    });
  }

  /** Creates a Job: first its place, then the Job. Each try is a request of its own, with a uid of its own. */
  run(order: Order): void {
    let tries = 0;
    const startAfter = order.startAfterMs === null ? null : plusMs(this.#world.time, order.startAfterMs);
    this.#until(`creates Job ${order.name} of the JobConfig`, async (deps) => {
      if (this.#isOver || ++tries > this.#patience.triesMax) return true;
      if ((await deps.jobs.findJob(CONFIG_KEY.namespace, order.name)) !== null) return true;
      const found = await deps.objects.read('JobConfig', CONFIG_KEY);
      if (found === null) return false;
      const id = `${this.#config.uid}-${order.name}-${tries}`;
      const isDone = await request(deps, order, id, startAfter, found.document);
      if (!isDone) this.#world.sights.see('place refused');
      return isDone;
    });
  }

  act(act: ConfigAct): void {
    if (act.kind === 'disabled' || act.kind === 'enabled') this.enable(act.kind === 'enabled');
    else if (act.kind === 'limited')
      this.#change('limits the JobConfig', ({ concurrency, ...spec }) => ({
        ...spec,
        concurrency: { ...concurrency, maxConcurrency: act.max },
      }));
    else
      this.#until('deletes a Job of the JobConfig', async (deps) => {
        const uid = this.#watch.anyone();
        if (uid !== null) await deleteJob(uid, deps);
        return true;
      });
  }

  /** Also once the weather has cleared: nobody leaves it disabled. */
  enable(enabled: boolean): void {
    this.#wanted = enabled;
    if (this.#config.everySec === null) return;
    this.#change(enabled ? 'enables the JobConfig' : 'disables the JobConfig', (spec, deps) =>
      // A call that is tried again may be too late.
      this.#wanted !== enabled || (spec.schedule?.disabled ?? false) === !enabled
        ? spec
        : { ...spec, schedule: { ...spec.schedule, disabled: !enabled, lastUpdated: asTime(deps.clock.now()) } },
    );
  }

  /** Nobody wants anything more. */
  stop(): void {
    this.#isOver = true;
    this.enable(false);
  }

  remove(): void {
    this.#until('deletes the JobConfig', async (deps) => {
      const found = await deps.objects.read('JobConfig', CONFIG_KEY);
      if (found === null) return true;
      const deleted = await createOwnerCommands('JobConfig', deps).remove(found, 'Background');
      return deleted.kind !== 'lost';
    });
  }

  #change(what: string, change: (spec: JobConfigSpec, deps: Deps) => JobConfigSpec): void {
    this.#until(what, async (deps) => {
      const found = await deps.objects.read('JobConfig', CONFIG_KEY);
      if (found === null) return false;
      const before = found.document['spec'] as JobConfigSpec;
      const spec = change(before, deps);
      if (spec === before) return true;
      const commands = createOwnerCommands('JobConfig', deps);
      await commands.arm(this.#config.uid, CONFIG_KEY);
      const document = { ...found.document, spec };
      const committed = await deps.objects.commit('JobConfig', { key: CONFIG_KEY, was: found.version, document });
      await commands.wake(this.#config.uid);
      return committed.kind === 'committed';
    });
  }

  /** Tries again until the whole act has succeeded once. */
  #until(what: string, work: (deps: Deps) => Promise<boolean>): void {
    let done = false;
    const once = (): void => {
      if (done) return;
      this.#world.handlers.user(what, { uids: null, indexes: null }, async (deps) => {
        done = await work(deps);
      });
      this.#world.schedule(plusMs(this.#world.time, this.#patience.againMs), once);
    };
    once();
  }
}

/** false: it was refused, and may be tried again. */
async function request(
  deps: Deps,
  { name, policy, startAfterMs }: Order,
  id: string,
  startAfter: number | null,
  found: StoredDocument,
): Promise<boolean> {
  const uid = asJobUid(id);
  const now = deps.clock.now();
  const at = startAfterMs === null || startAfter === null ? null : asEpochMs(Math.floor(startAfter / 1_000) * 1_000);
  const { namespace } = CONFIG_KEY;
  const startPolicy = { concurrencyPolicy: policy, ...(at === null ? {} : { startAfter: asTime(at) }) };
  const document = {
    apiVersion: FURIKO_API_VERSION,
    kind: 'Job',
    metadata: { name },
    spec: { configName: CONFIG_KEY.name, startPolicy },
  };
  const { manifest: config, uid: configUid } = storedJobConfig(found);
  const context = { namespace, uid, nameSuffix: '', fieldValidation: 'Strict', now } as const;
  const admission = admitFurikoJob(document, { ...context, config: { manifest: config, uid: configUid } });
  if (admission.kind !== 'ok') throw new TypeError(JSON.stringify(admission));
  const commands = createPlaceCommands(deps);
  const place = await commands.takePlace(configUid, CONFIG_KEY, { uid, name, policy, startAfter: at, at: now });
  if (place.kind === 'gone' || place.kind === 'refused') return place.kind === 'gone';
  const { manifest, furiko } = admission;
  const created = await createJobCommands(deps).createJob({
    identity: { uid, namespace, name, createdAt: now },
    revision: 1,
    generation: 1,
    manifest: { ...manifest, spec: { ...manifest.spec, suspend: place.kind === 'queued' } },
    furiko,
  });
  if (created.kind === 'created') return true;
  await commands.givePlaceBack(configUid, uid);
  return created.kind === 'taken';
}
