import type { Context } from 'aws-lambda';
import { handler as dispatch } from '../functions/dispatch/handler.ts';
import { handler as reconcile } from '../functions/reconcile/handler.ts';
import { handler as sweep } from '../functions/sweep/handler.ts';
import type { QueueHandler } from './event-source/mapping.ts';

/** The Lambda functions behind the queues and the schedule. */
export type Handlers = {
  readonly reconcile: QueueHandler;
  readonly dispatch: QueueHandler;
  readonly sweep: (event: { readonly time: string }, context: Context) => Promise<unknown>;
};

/** Ours, in this process; they use the runtime that was provided. */
export const ownHandlers = (): Promise<Handlers> => Promise.resolve({ reconcile, dispatch, sweep });
