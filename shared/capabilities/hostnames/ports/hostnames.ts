import type { Fatal, Later } from '../../../ports/tasks.ts';

declare module '../../../ports/capability-ports.ts' {
  interface CapabilityPorts {
    readonly hostnames: Hostnames;
  }
}

/**
 * DNS names of tasks in AWS Cloud Map: a service is a name in a private DNS namespace, and its instance is an A record.
 * Every method is safe to repeat and returns when the change is complete (Cloud Map's operations are asynchronous).
 * `later`: throttled, or the operation is still in progress; repeating the call continues it. A call that throws has an
 * unknown outcome.
 */
export type Hostnames = {
  /** The DNS namespace's name: the suffix of every name. */
  readonly zone: string;
  /** Creates the service with that name (below the zone), or finds it. */
  ensureService(name: string): Promise<{ readonly kind: 'ready'; readonly serviceId: string } | Later | Fatal>;
  /**
   * The instance's id is the id of its task ({@link taskIdOf}), so no caller removes another task's record by mistake.
   * `gone`: the service does not exist (any more).
   */
  register(serviceId: string, taskId: string, ip: string): Promise<Done | { readonly kind: 'gone' } | Later | Fatal>;
  /** Succeeds also if the task is not registered. */
  deregister(serviceId: string, taskId: string): Promise<Done | Later>;
  /** `later` for a service with instances. Succeeds if the service does not exist. */
  deleteService(serviceId: string): Promise<Done | Later>;
  /** Every service of Muster in the namespace, one page at a time. */
  list(
    after: string | null,
  ): Promise<
    { readonly kind: 'listed'; readonly services: readonly HostService[]; readonly next: string | null } | Later
  >;
  /** Ids of the registered tasks; none if the service does not exist. */
  tasksIn(serviceId: string): Promise<{ readonly kind: 'listed'; readonly taskIds: readonly string[] } | Later>;
};

export type HostService = {
  readonly serviceId: string;
  /** Below the zone: `<job>-<index>.<subdomain>.<namespace>`. */
  readonly name: string;
};

type Done = { readonly kind: 'done' };
