import { createMemoryStore } from '../../../../runtime/memory-store.ts';
import { reconcileCron } from '../../control/reconcile-cron.ts';
import { createOwnerCommands } from '../../../../control/lifecycle/owner-changes.ts';
import type { Deps } from '../../../../control/process/deps.ts';
import { type EpochMs, asEpochMs, asTime, plusMs } from '../../../../domain/base/time.ts';
import { type JobUid, asJobUid } from '../../../../domain/base/ids.ts';
import type { CronJobManifest, CronJobStatusDocument } from '../../domain/cron-manifest.ts';
import type { CronWakeUp } from '../../../../ports/queues.ts';
import { admitCronJob } from '../../schema/cron-admission.ts';
import { cronJobDocument } from '../../schema/cron-document.ts';
import { Handler } from '../../../../../test/support/a-handler.ts';
import { openNamespace } from '../../../../../test/support/a-namespace.ts';

const T0 = asEpochMs(Date.parse('2026-01-01T10:00:00Z'));
export const KEY = { namespace: 'default', name: 'tick' };
export const UID = 'uid-of-tick';

type Spec = Partial<Omit<CronJobManifest['spec'], 'jobTemplate'>>;
type Wish = {
  readonly spec?: Spec;
  readonly jobSpec?: object;
  readonly jobMetadata?: object;
  readonly annotations?: Readonly<Record<string, string>>;
};

/** A store with the CronJob `tick`, every ten minutes since 10:00, and as many schedulers as a test wants. */
export class Schedule {
  time: EpochMs = T0;
  readonly store = createMemoryStore({ now: () => this.time });
  /** Wake-ups of CronJobs that were sent, oldest first. */
  readonly sent: CronWakeUp[] = [];

  static async begin(wish: Wish = {}): Promise<Schedule> {
    const schedule = new Schedule();
    await openNamespace(schedule.store.objects);
    await schedule.create(wish);
    return schedule;
  }

  /** A process of its own. */
  handler(): Handler {
    const nobody = async (): Promise<never> => Promise.reject(new Error('nobody launches here'));
    const nothing = async (): Promise<void> => undefined;
    return new Handler(
      {
        ...this.store,
        tasks: {
          prepare: nobody,
          run: nobody,
          stop: nobody,
          describe: nobody,
          listLive: nobody,
          listStopped: nobody,
          listOldFamilies: nobody,
          deregister: nobody,
        },
        queues: {
          wake: nothing,
          facts: nothing,
          dispatch: nothing,
          wakeCrons: async (wakeUps) => void this.sent.push(...wakeUps),
        },
      },
      () => this.time,
      0,
    );
  }

  async create({ spec = {}, jobSpec = {}, jobMetadata = {}, annotations = {} }: Wish): Promise<void> {
    const template = {
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', command: ['true'] }] },
    };
    const document = {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: KEY.name, annotations },
      spec: {
        schedule: '*/10 * * * *',
        ...spec,
        jobTemplate: { metadata: jobMetadata, spec: { template, ...jobSpec } },
      },
    };
    const context = {
      namespace: KEY.namespace,
      uid: UID,
      nameSuffix: '',
      fieldValidation: 'Strict',
      hostFolders: ['/srv'],
    } as const;
    const admission = admitCronJob(document, context);
    if (admission.kind !== 'ok') throw new Error(JSON.stringify(admission));
    const stored = cronJobDocument(admission.manifest, {
      uid: UID,
      creationTimestamp: asTime(this.time),
      generation: 1,
      managedFields: [],
      deletion: null,
      status: {},
    });
    await this.commands().arm(UID, KEY);
    await this.store.objects.commit('CronJob', { key: KEY, was: 0, document: stored });
  }

  commands(deps: Deps = this.handler().deps) {
    return createOwnerCommands('CronJob', deps);
  }

  at(minutes: number): EpochMs {
    return plusMs(T0, minutes * 60_000);
  }

  /** One look, by a new process unless it is given. */
  async look(minutes: number, { by = this.handler(), jobs = [] }: { by?: Handler; jobs?: readonly string[] } = {}) {
    this.time = this.at(minutes);
    const sleep = async (ms: number): Promise<void> => void (this.time = plusMs(this.time, ms));
    const clock = { now: () => this.time, sleep };
    await reconcileCron({ uid: UID, jobs: jobs.map(asJobUid) }, { ...by.deps, clock });
  }

  /** A look that stands before or behind a call, for ever: its process is dead. */
  async dieAt(
    minutes: number,
    where: 'before' | 'behind',
    call: Parameters<Handler['hold']>[1],
    nth = 1,
  ): Promise<void> {
    const by = this.handler();
    for (let n = 1; n < nth; n++) by.arrange(call, (perform) => perform());
    const held = by.hold(where, call);
    void this.look(minutes, { by });
    await held.reached;
  }

  async jobs(): Promise<readonly string[]> {
    const { jobs } = await this.store.jobs.listJobs({ namespace: null, after: null, limit: 100 });
    return jobs.map(({ name }) => name);
  }

  async uids(): Promise<readonly JobUid[]> {
    const { jobs } = await this.store.jobs.listJobs({ namespace: null, after: null, limit: 100 });
    return jobs.map(({ uid }) => uid);
  }

  async status(): Promise<CronJobStatusDocument | null> {
    const object = await this.store.objects.read('CronJob', KEY);
    return object === null ? null : (object.document['status'] as CronJobStatusDocument);
  }

  async events(): Promise<readonly string[]> {
    return ((await this.store.crons.read(UID))?.state.events ?? []).map(
      ({ reason, message }) => `${reason}: ${message}`,
    );
  }

  /** As the API stores a change of its spec, without telling anybody. */
  async change(spec: Spec): Promise<void> {
    const object = await this.store.objects.read('CronJob', KEY);
    if (object === null) throw new Error('it is gone');
    const document = { ...object.document, spec: { ...(object.document['spec'] as object), ...spec } };
    await this.store.objects.commit('CronJob', { key: KEY, was: object.version, document });
  }
}

/** The name of the Job of a slot so many minutes after 10:00. */
export const slotJob = (minutes: number): string => `tick-${T0 / 60_000 + minutes}`;
