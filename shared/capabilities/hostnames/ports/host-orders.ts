import type { AttemptId } from '../../../domain/base/fact.ts';
import type { JobUid, TaskArn } from '../../../domain/base/ids.ts';

declare module '../../../ports/queues.ts' {
  interface CapabilityOrders {
    readonly hosts: HostsMessage;
    /** the Job is over: remove its DNS names and release its reservations */
    readonly closeHosts: { readonly kind: 'closeHosts'; readonly uid: JobUid };
  }
}

/** Update the DNS names of the indexes of one launch row; `turn`: how often it was sent again. */
export type HostsMessage = {
  readonly kind: 'hosts';
  readonly uid: JobUid;
  readonly row: number;
  readonly seen: readonly SeenTask[];
  readonly turn?: number | undefined;
};

/** A task that was seen running, and its private address. */
export type SeenTask = AttemptId & { readonly taskArn: TaskArn; readonly ip: string };
