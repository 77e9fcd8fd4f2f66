import { createMemoryStore } from '../../../../runtime/memory-store.ts';
import { reconcileScheduled } from '../../../../runtime/reconcile-scheduled.ts';
import { createOwnerCommands } from '../../../../control/lifecycle/owner-changes.ts';
import { createPlaceCommands } from '../../control/give-places.ts';
import { createJobCommands, deleteJob } from '../../../../control/lifecycle/job-changes.ts';
import { type EpochMs, asEpochMs, asTime, plusMs } from '../../../../domain/base/time.ts';
import { type JobUid, asJobUid } from '../../../../domain/base/ids.ts';
import { FURIKO_API_VERSION } from '../../domain/furiko-job.ts';
import type { JobConfigStatusDocument } from '../../domain/job-config.ts';
import type { Status } from '../../../../domain/scoreboard/status.ts';
import type { GivenPlace } from '../../ports/place-commands.ts';
import type { CreatedJob } from '../../../../ports/job-commands.ts';
import type { CronWakeUp } from '../../../../ports/queues.ts';
import { admitFurikoJob } from '../../schema/furiko-job-admission.ts';
import { admitJobConfig, storedJobConfig } from '../../schema/job-config-admission.ts';
import { Handler } from '../../../../../test/support/a-handler.ts';
import { openNamespace } from '../../../../../test/support/a-namespace.ts';

const T0 = asEpochMs(Date.parse('2026-01-01T10:00:00Z'));
export const KEY = { namespace: 'default', name: 'build' };
export const UID = 'uid-of-build';

/** A store with the JobConfig `build`, and as many schedulers and users as a test wants. */
export class Config {
  time: EpochMs = T0;
  readonly store = createMemoryStore({ now: () => this.time });
  /** Wake-ups of the JobConfig that were sent, oldest first. */
  readonly sent: CronWakeUp[] = [];

  static async begin(spec: object = { concurrency: { policy: 'Enqueue' } }): Promise<Config> {
    const config = new Config();
    await openNamespace(config.store.objects);
    await config.create(spec);
    return config;
  }

  /** A process of its own. */
  handler(): Handler {
    const nobody = async (): Promise<never> => Promise.reject(new Error('nobody launches here'));
    const nothing = async (): Promise<void> => undefined;
    const wakeCrons = async (wakeUps: readonly CronWakeUp[]) => void this.sent.push(...wakeUps);
    const queues = { wake: nothing, facts: nothing, dispatch: nothing, wakeCrons };
    const tasks = {
      prepare: nobody,
      run: nobody,
      stop: nobody,
      describe: nobody,
      listLive: nobody,
      listStopped: nobody,
      listOldFamilies: nobody,
      deregister: nobody,
    };
    return new Handler({ ...this.store, tasks, queues }, () => this.time, 0);
  }

  async create(spec: object): Promise<void> {
    const document = {
      apiVersion: FURIKO_API_VERSION,
      kind: 'JobConfig',
      metadata: { name: KEY.name },
      spec: { template: { spec: { taskTemplate: { pod: aPod } } }, ...spec },
    };
    const context = {
      namespace: KEY.namespace,
      uid: UID,
      nameSuffix: '',
      fieldValidation: 'Strict',
      now: this.time,
      hostFolders: ['/srv'],
    } as const;
    const admission = admitJobConfig(document, context);
    if (admission.kind !== 'ok') throw new Error(JSON.stringify(admission));
    const { metadata, ...rest } = admission.manifest;
    const stored = { ...rest, metadata: { ...metadata, uid: UID, creationTimestamp: asTime(this.time) } };
    await this.owned().arm(UID, KEY);
    await this.store.objects.commit('JobConfig', { key: KEY, was: 0, document: stored });
  }

  /** As the API stores a change of its spec, without telling anybody. */
  async change(spec: object): Promise<void> {
    const object = await this.found();
    const document = { ...object.document, spec: { ...(object.document['spec'] as object), ...spec } };
    await this.store.objects.commit('JobConfig', { key: KEY, was: object.version, document });
  }

  async found() {
    const object = await this.store.objects.read('JobConfig', KEY);
    if (object === null) throw new Error('it is gone');
    return object;
  }

  at(seconds: number): EpochMs {
    return plusMs(T0, seconds * 1_000);
  }

  owned() {
    return createOwnerCommands('JobConfig', this.handler().deps);
  }

  commands(by: Handler = this.handler()) {
    const sleep = async (): Promise<void> => undefined;
    return createPlaceCommands({ ...by.deps, clock: { now: () => this.time, sleep } });
  }

  /** As the API creates a Job of the JobConfig: first its place, then the Job. */
  async run(
    name: string,
    startPolicy: { readonly concurrencyPolicy?: string; readonly startAfter?: string } = {},
    by: Handler = this.handler(),
    uid: JobUid = uidOf(name),
  ): Promise<Exclude<GivenPlace, { kind: 'active' | 'queued' }> | (CreatedJob & { readonly place: string })> {
    const { manifest: config } = storedJobConfig((await this.found()).document);
    const document = {
      apiVersion: FURIKO_API_VERSION,
      kind: 'Job',
      metadata: { name },
      spec: { configName: KEY.name, startPolicy },
    };
    const admission = admitFurikoJob(document, {
      namespace: KEY.namespace,
      uid,
      nameSuffix: '',
      fieldValidation: 'Strict',
      now: this.time,
      config: { manifest: config, uid: UID },
    });
    if (admission.kind !== 'ok') throw new Error(JSON.stringify(admission));
    const { manifest, furiko } = admission;
    const { concurrencyPolicy = 'Allow', startAfter } = furiko.spec.startPolicy ?? {};
    const at = startAfter === undefined ? null : asEpochMs(Date.parse(startAfter));
    const wanted = { uid, name, policy: concurrencyPolicy, startAfter: at, at: this.time };
    const place = await this.commands(by).takePlace(UID, KEY, wanted);
    if (place.kind === 'refused' || place.kind === 'gone') return place;
    const created = await createJobCommands(by.deps).createJob({
      identity: { uid, namespace: KEY.namespace, name, createdAt: this.time },
      revision: 1,
      generation: 1,
      manifest: { ...manifest, spec: { ...manifest.spec, suspend: place.kind === 'queued' } },
      furiko,
    });
    if (created.kind !== 'created') await this.commands(by).givePlaceBack(UID, uid);
    return { ...created, place: place.kind };
  }

  /** One look, by a new process unless it is given. */
  async look(seconds: number, { by = this.handler(), jobs = [] }: { by?: Handler; jobs?: readonly string[] } = {}) {
    this.time = this.at(seconds);
    const sleep = async (ms: number): Promise<void> => void (this.time = plusMs(this.time, ms));
    const clock = { now: () => this.time, sleep };
    await reconcileScheduled({ uid: UID, jobs: jobs.map((name) => uidOf(name)) }, { ...by.deps, clock });
  }

  /** A look that stands before or behind a call, for ever: its process is dead. */
  async dieAt(
    seconds: number,
    where: 'before' | 'behind',
    call: Parameters<Handler['hold']>[1],
    nth = 1,
  ): Promise<void> {
    const by = this.handler();
    for (let n = 1; n < nth; n++) by.arrange(call, (perform) => perform());
    const held = by.hold(where, call);
    void this.look(seconds, { by });
    await held.reached;
  }

  /** As a pass says that the Job has ended; without telling anybody. */
  async end(name: string, uid: JobUid = uidOf(name)): Promise<void> {
    const status = await this.statusOf(uid);
    const verdict = { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null } as const;
    const phase = { kind: 'finished', verdict, since: this.time, at: this.time } as const;
    await this.store.jobs.commitPass(uid, { ...status, version: status.version + 1, phase }, []);
  }

  async delete(name: string): Promise<void> {
    await deleteJob(uidOf(name), this.handler().deps);
  }

  async statusOf(uid: JobUid): Promise<Status> {
    const status = await this.store.jobs.readStatus(uid);
    if (status === null) throw new Error(`there is no Job ${uid}`);
    return status;
  }

  async places(): Promise<readonly string[]> {
    const row = await this.store.crons.read(UID);
    return row?.kind === 'JobConfig' ? row.state.places.map(({ name, stage }) => `${name} ${stage}`) : [];
  }

  /** Names of the Jobs that may start, or have, and not ended. */
  async letIn(): Promise<readonly string[]> {
    const { jobs } = await this.store.jobs.listJobs({ namespace: null, after: null, limit: 1_000 });
    const found: string[] = [];
    for (const { uid, name } of jobs) {
      const spec = await this.store.jobs.readSpec(uid);
      if (spec?.manifest.spec.suspend === false && (await this.statusOf(uid)).phase.kind !== 'finished')
        found.push(name);
    }
    return found;
  }

  async jobs(): Promise<readonly string[]> {
    const { jobs } = await this.store.jobs.listJobs({ namespace: null, after: null, limit: 1_000 });
    return jobs.map(({ name }) => name);
  }

  async status(): Promise<JobConfigStatusDocument> {
    return (await this.found()).document['status'] as JobConfigStatusDocument;
  }

  async events(): Promise<readonly string[]> {
    const row = await this.store.crons.read(UID);
    return (row?.state.events ?? []).map(({ reason, message }) => `${reason}: ${message}`);
  }
}

export const uidOf = (name: string): JobUid => asJobUid(`uid-of-${name}`);

const aPod = { spec: { containers: [{ name: 'main', image: 'busybox', command: ['true'] }] } };

/** The name of the Job of a slot so many seconds after 10:00. */
export const slotJob = (seconds: number): string => `build-${T0 / 1_000 + seconds}`;
