import type { Context } from 'aws-lambda';
import type { SubmitOptions } from '../shared/control/submit/submit.ts';
import { dispatchHandler, reconcileHandler, sweepHandler } from '../shared/runtime/queue-handlers.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import { submitHandler } from '../shared/runtime/submit-handler.ts';
import type { QueueHandler } from './event-source/mapping.ts';

/** The Lambda functions behind the queues and the schedule. */
export type Handlers = {
  readonly reconcile: QueueHandler;
  readonly dispatch: QueueHandler;
  readonly submit: QueueHandler;
  readonly sweep: (event: { readonly time: string }, context: Context) => Promise<unknown>;
};

/** Our own handlers, in this process. `runtime` throws once it has stopped, so a late handler does nothing. */
export const ownHandlers = (runtime: () => Runtime, submitOptions: SubmitOptions = {}): Handlers => ({
  reconcile: reconcileHandler(runtime),
  dispatch: dispatchHandler(runtime),
  submit: submitHandler(runtime, submitOptions),
  sweep: sweepHandler(runtime),
});
