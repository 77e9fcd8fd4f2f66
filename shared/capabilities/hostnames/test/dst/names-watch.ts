import type { MemoryHostnames } from '../memory-hostnames.ts';
import type { EpochMs } from '../../../../domain/base/time.ts';
import { type JobUid, taskIdOf } from '../../../../domain/base/ids.ts';
import type { AttemptId } from '../../../../domain/base/fact.ts';
import { launchRowOf } from '../../../../domain/scoreboard/launch-row.ts';
import type { TaskView } from '../../../../domain/task/task.ts';
import type { HostStore } from '../../../../ports/host-store.ts';
import type { Hostnames } from '../../ports/hostnames.ts';
import { READY_ROW } from '../../control/host-calls.ts';
import { attemptText } from '../../../../../test/dst/in-words.ts';
import type { Law } from '../../../../../test/dst/checks/law.ts';
import type { Sights } from '../../../../../test/dst/checks/sights.ts';
import type { Tell } from '../../../../../test/dst/checks/watchdog.ts';

/** In calm weather a name that is wrong is right again after this: the sweep comes every minute, Cloud Map's rates are low. */
const WRONG_MAX_MS = 10 * 60_000;

export type NamesWatchOptions = {
  readonly hostnames: MemoryHostnames;
  /** What is stored about names. */
  readonly written: Pick<HostStore, 'readHosts' | 'listHosts'>;
  readonly law: Law;
  readonly tell: Tell;
  readonly now: () => EpochMs;
  readonly taskOf: (taskId: string) => TaskView | undefined;
  /** What the board says of an index; null: there is no such Job. */
  readonly shadowOf: (
    uid: JobUid,
    index: number,
  ) => (AttemptId & { readonly active: boolean; readonly goesOn: boolean }) | null;
  readonly gangOf: (uid: JobUid) => { readonly whole: ReadonlySet<string>; readonly now: string | null } | null;
  readonly sights: Sights;
};

/** Looks at every call that changes a name: whose task it points to, and what is left when nothing should be (G7). */
export class NamesWatch {
  readonly #options: NamesWatchOptions;
  /** By service id, as Cloud Map has it. */
  readonly #names = new Map<string, string>();
  readonly #records = new Map<string, { readonly serviceId: string; readonly taskId: string }>();
  readonly #wrongSince = new Map<string, EpochMs>();
  readonly #reserved = new Set<JobUid>();

  constructor(options: NamesWatchOptions) {
    this.#options = options;
  }

  /** Cloud Map, watched. */
  hostnames(): Hostnames {
    const { hostnames } = this.#options;
    return {
      ...hostnames,
      ensureService: async (name) => {
        const ensured = await hostnames.ensureService(name);
        if (ensured.kind === 'ready') this.#names.set(ensured.serviceId, name);
        return ensured;
      },
      register: async (serviceId, taskId, ip) => {
        await this.#checkWritten(taskId);
        const registered = await hostnames.register(serviceId, taskId, ip);
        if (registered.kind === 'done') this.#registered(serviceId, taskId, ip);
        return registered;
      },
      deregister: async (serviceId, taskId) => {
        const removed = await hostnames.deregister(serviceId, taskId);
        if (removed.kind === 'done') this.#removed(serviceId, taskId);
        return removed;
      },
      deleteService: async (serviceId) => {
        const deleted = await hostnames.deleteService(serviceId);
        if (deleted.kind === 'done') this.#names.delete(serviceId);
        return deleted;
      },
    };
  }

  /** Reservations, watched: they are what is still to be tidied up. */
  watchHosts(hosts: HostStore): HostStore {
    const { law, written } = this.#options;
    return {
      ...hosts,
      reserve: async (uid, count, max, at) => {
        const reserved = await hosts.reserve(uid, count, max, at);
        if (reserved.kind === 'reserved') this.#reserved.add(uid);
        return reserved;
      },
      release: async (uid) => {
        await hosts.release(uid);
        this.#reserved.delete(uid);
        const left = (await written.listHosts(uid)).flatMap((row) => row.hosts.map(({ index }) => index));
        law.of(uid)(
          left.length > 0,
          'G7',
          () => `the names of a Job are given back while it has ${left.length} of them`,
          ...left,
        );
        for (const { taskId } of this.#records.values()) {
          const task = this.#taskOf(taskId);
          law.of(uid)(
            task?.job === uid,
            'G7',
            () => 'the names of a Job are given back while a task of it is registered',
            ...(task === undefined ? [] : [task.id.index]),
          );
        }
      },
    };
  }

  /** In calm weather, now and then: no name points to what is no current attempt for long. */
  checkSettled(): void {
    const { law, now } = this.#options;
    for (const [key, { taskId }] of this.#records) {
      if (this.#isCurrent(taskId)) this.#wrongSince.delete(key);
      else if (!this.#wrongSince.has(key)) this.#wrongSince.set(key, now());
      const since = this.#wrongSince.get(key) ?? now();
      const task = this.#taskOf(taskId);
      law.forbid(
        now() - since > WRONG_MAX_MS,
        'G7',
        () =>
          `a name points to the task of ${task === undefined ? taskId : attemptText(task.id)}, which is no current attempt`,
        task === undefined ? {} : { uid: task.job, indexes: [task.id.index] },
      );
    }
  }

  /** Services, records and reservations that there are. */
  left(): { readonly services: number; readonly records: number; readonly reservations: number } {
    return { services: this.#names.size, records: this.#records.size, reservations: this.#reserved.size };
  }

  /** What will be registered is written down first: else nobody would know of it, should the handler die. */
  async #checkWritten(taskId: string): Promise<void> {
    const { law, written } = this.#options;
    const task = this.#taskOf(taskId);
    if (task === undefined) return;
    const { index } = task.id;
    const row = await written.readHosts(task.job, timeIn(taskId) === null ? launchRowOf(index) : READY_ROW);
    const isWritten = row.hosts.some(({ tasks }) => tasks.some(({ taskArn }) => taskArn === task.arn));
    law.of(task.job)(
      !isWritten,
      'G10',
      () => `the task of ${attemptText(task.id)} is registered before that is written down`,
      index,
    );
  }

  #registered(serviceId: string, taskId: string, ip: string): void {
    const { law, taskOf, sights, tell } = this.#options;
    const name = this.#names.get(serviceId) ?? 'unknown';
    const task = taskOf(taskId);
    sights.see('named');
    tell(`registers ${ip} as ${name}`, {
      uids: task === undefined ? null : [task.job],
      indexes: task === undefined ? null : [task.id.index],
    });
    this.#records.set(`${serviceId} ${taskId}`, { serviceId, taskId });
    if (timeIn(taskId) !== null) return this.#checkReady(name, taskId, ip);
    const index = Number(/-(\d+)\./.exec(name)?.[1]);
    law.forbid(
      task === undefined || task.id.index !== index || task.privateIp !== ip,
      'G7',
      () =>
        `the name ${name} points to ${ip} of ${task === undefined ? 'no task' : `the task of ${attemptText(task.id)}`}`,
      task === undefined ? {} : { uid: task.job, indexes: [index] },
    );
  }

  /** The name that says that all run: they did, when the record was made for. */
  #checkReady(name: string, taskId: string, ip: string): void {
    const { law, gangOf, sights } = this.#options;
    const task = this.#taskOf(taskId);
    sights.see('gang named');
    const isWhole = task !== undefined && gangOf(task.job)?.whole.has(timeIn(taskId) ?? '') === true;
    law.forbid(
      !isWhole || task.privateIp !== ip || !/-ready\./.test(name),
      'G23',
      () => `the name ${name} says that all run (${taskId}, ${ip}), and they never did`,
      task === undefined ? {} : { uid: task.job },
    );
  }

  #taskOf(taskId: string): TaskView | undefined {
    return this.#options.taskOf(timeIn(taskId) === null ? taskId : taskId.replace(TIME, ''));
  }

  #removed(serviceId: string, taskId: string): void {
    const key = `${serviceId} ${taskId}`;
    if (!this.#records.delete(key)) return;
    this.#wrongSince.delete(key);
    const task = this.#taskOf(taskId);
    this.#options.law.forbid(
      task?.stage === 'running' && this.#isCurrent(taskId, 'of a Job that goes on'),
      'G7',
      () => `the name of a current attempt is taken from its task, which runs`,
      task === undefined ? {} : { uid: task.job, indexes: [task.id.index] },
    );
    this.#options.tell(`removes ${this.#names.get(serviceId)}`, {
      uids: task === undefined ? null : [task.job],
      indexes: task === undefined ? null : [task.id.index],
    });
  }

  #isCurrent(taskId: string, which: 'any' | 'of a Job that goes on' = 'any'): boolean {
    const time = timeIn(taskId);
    const task = this.#taskOf(taskId);
    if (time !== null) return task !== undefined && this.#options.gangOf(task.job)?.now === time;
    const shadow = task === undefined ? null : this.#options.shadowOf(task.job, task.id.index);
    if (task === undefined || shadow === null || (which !== 'any' && !shadow.goesOn)) return false;
    return shadow.active && shadow.attempt === task.id.attempt && shadow.nonce === task.id.nonce;
  }
}

/** After the task's id: the time that all of a gang ran. */
const TIME = /-(\d+-\d+)$/;
const timeIn = (taskId: string): string | null => TIME.exec(taskId)?.[1] ?? null;

/** Tasks by the last part of their ARN, which is what Cloud Map knows them by. */
export const byTaskId = (
  tasks: ReadonlyMap<string, { readonly view: TaskView }>,
): ((taskId: string) => TaskView | undefined) => {
  const known = new Map<string, string>();
  return (taskId) => {
    if (!known.has(taskId)) for (const { view } of tasks.values()) known.set(taskIdOf(view.arn), view.arn);
    return tasks.get(known.get(taskId) ?? '')?.view;
  };
};
