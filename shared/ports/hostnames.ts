import type { TaskArn } from '../domain/brand.ts';
import type { Fatal, Later } from './tasks.ts';

/**
 * DNS names of tasks, as AWS Cloud Map keeps them: a service is a name in a private DNS namespace, an instance of it is an
 * A record. Every method is safe to repeat, and answers when the change is made (Cloud Map's operations are asynchronous).
 * `later`: throttled, or the operation is not over yet; the same call again goes on. A call that throws has an unknown outcome.
 */
export type Hostnames = {
  /** The DNS namespace's name: what every name ends in. */
  readonly zone: string;
  /** Creates the service of that name, or finds it. */
  ensureService(name: string): Promise<{ readonly kind: 'ready'; readonly serviceId: string } | Later | Fatal>;
  /** The instance's id is the task's own, so that nobody removes another task's record by mistake. */
  register(serviceId: string, taskArn: TaskArn, ip: string): Promise<Done | Later | Fatal>;
  /** What is not registered (any more) is done. */
  deregister(serviceId: string, taskArn: TaskArn): Promise<Done | Later>;
  /** Only of a service without instances; one that is gone is done. */
  deleteService(serviceId: string): Promise<Done | Later>;
  /** Every service of the namespace and the ids of the tasks registered in it, a page at a time. */
  list(
    after: string | null,
  ): Promise<{ readonly kind: 'listed'; readonly services: readonly HostService[]; readonly next: string | null } | Later>;
};

export type HostService = {
  readonly serviceId: string;
  /** Below the zone: `<job>-<index>.<subdomain>.<namespace>` if it is ours. */
  readonly name: string;
  /** Ids (the last part of the ARN) of the tasks that are registered. */
  readonly taskIds: readonly string[];
};

type Done = { readonly kind: 'done' };
