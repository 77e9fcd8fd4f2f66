import type { Host, HostTask } from '../../../ports/host-store.ts';
import type { Hostnames } from '../ports/hostnames.ts';
import type { CallOutcome } from './host-calls.ts';

// A row of names before and after the calls to Cloud Map. Pure.

/** A task that a row names. */
export type Listed = { readonly index: number; readonly host: Host; readonly task: HostTask };

/** How a row is brought in line with the board. */
export type RowPlan = {
  readonly register: readonly { readonly index: number; readonly task: HostTask }[];
  readonly remove: readonly Listed[];
  /** Part of the message cannot be done yet. */
  readonly later: boolean;
};

/** Both name the same instance: of the name that says that all run, a task may be several, one after the other. */
const isSameTask = (a: HostTask, b: HostTask): boolean =>
  a.taskArn === b.taskArn && a.attempt === b.attempt && a.nonce === b.nonce;

/** A task to register, and its address. */
type Call = { readonly index: number; readonly task: HostTask; readonly serviceId: string };

/** The host with the tasks that are about to be registered. */
export function withTasks(host: Host, calls: readonly Call[]): Host {
  const own = calls.filter(({ index }) => index === host.index).map(({ task }) => task);
  const others = host.tasks.filter((each) => !own.some((task) => isSameTask(task, each)));
  return { ...host, tasks: [...others, ...own] };
}

type Result = Call & { readonly outcome: CallOutcome<Awaited<ReturnType<Hostnames['register']>>> };

/** The hosts after the calls; null: nothing has changed. */
export function afterCalls(
  hosts: readonly Host[],
  results: readonly Result[],
  gone: readonly Listed[],
): readonly Host[] | null {
  let changed = false;
  const after = hosts.flatMap((host): Host[] => {
    if (results.some(({ serviceId, outcome }) => outcome.kind === 'gone' && serviceId === host.serviceId)) {
      changed = true;
      return []; // the service does not exist, so nothing is registered in it
    }
    const tasks = host.tasks.flatMap((task): HostTask[] => {
      if (gone.some((each) => each.index === host.index && isSameTask(each.task, task))) {
        changed = true;
        return [];
      }
      const own = results.find((each) => each.index === host.index && isSameCall(each.task, task));
      if (own === undefined || own.outcome.kind === 'unknown') return [task];
      changed = true;
      return [{ ...task, calledAt: null, registered: own.outcome.kind === 'done' }];
    });
    // Another handler removed it from the row after a minute, before our call was over.
    const forgotten = results.filter(
      ({ index, task, outcome }) =>
        index === host.index && outcome.kind === 'done' && !host.tasks.some((each) => isSameTask(each, task)),
    );
    changed ||= forgotten.length > 0;
    return [
      { ...host, tasks: [...tasks, ...forgotten.map(({ task }) => ({ ...task, calledAt: null, registered: true }))] },
    ];
  });
  return changed ? after : null;
}

/** No other handler has started it again. */
const isSameCall = (a: HostTask, b: HostTask): boolean => isSameTask(a, b) && a.calledAt === b.calledAt;
