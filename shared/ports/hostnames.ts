import type { Fatal, Later } from './tasks.ts';

/**
 * DNS names of tasks, as AWS Cloud Map keeps them: a service is a name in a private DNS namespace, an instance of it is an
 * A record. Every method is safe to repeat, and answers when the change is made (Cloud Map's operations are asynchronous).
 * `later`: throttled, or the operation is not over yet; the same call again goes on. A call that throws has an unknown outcome.
 */
export type Hostnames = {
  /** The DNS namespace's name: what every name ends in. */
  readonly zone: string;
  /** Creates the service of that name (below the zone), or finds it. */
  ensureService(name: string): Promise<{ readonly kind: 'ready'; readonly serviceId: string } | Later | Fatal>;
  /**
   * The instance's id is the id of its task ({@link taskIdOf}), so that nobody removes another task's record by mistake.
   * `gone`: there is no such service (any more).
   */
  register(serviceId: string, taskId: string, ip: string): Promise<Done | { readonly kind: 'gone' } | Later | Fatal>;
  /** What is not registered (any more) is done. */
  deregister(serviceId: string, taskId: string): Promise<Done | Later>;
  /** One that has instances is `later`; one that is gone is done. */
  deleteService(serviceId: string): Promise<Done | Later>;
  /** Every service that Muster has made in the namespace, a page at a time. */
  list(
    after: string | null,
  ): Promise<
    { readonly kind: 'listed'; readonly services: readonly HostService[]; readonly next: string | null } | Later
  >;
  /** Ids of the tasks that are registered; none if there is no such service. */
  tasksIn(serviceId: string): Promise<{ readonly kind: 'listed'; readonly taskIds: readonly string[] } | Later>;
};

export type HostService = {
  readonly serviceId: string;
  /** Below the zone: `<job>-<index>.<subdomain>.<namespace>`. */
  readonly name: string;
};

type Done = { readonly kind: 'done' };
