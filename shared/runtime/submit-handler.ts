import { REFUSED_HEARERS, TEMPLATE_FINDERS } from '../capabilities/lists/handlers.ts';
import { type SubmitOptions, submit } from '../control/submit/submit.ts';
import { messageOf } from '../domain/base/error-text.ts';
import { DEFAULT_NAMESPACE } from '../domain/manifests/namespace.ts';
import type { StatusError } from '../kube/http/status-error.ts';
import { statusOfUnreadable } from '../kube/muster/unreadable-submission.ts';
import type { ObjectTemplates } from '../control/submit/object-templates.ts';
import { readMessage } from '../schema/submission/read-submission.ts';
import type { CreatedObject, Submission } from '../schema/submission/submission.ts';
import { sqsHandler } from './lambda-middleware.ts';
import { type Failure, type Message, failureOf } from './message-end.ts';
import type { Runtime } from './runtime.ts';
import { statusOfRefused, statusOfUnwanted, statusText } from './submission-status.ts';

/** What the invocations of one process share. */
type Submit = {
  readonly here: Runtime;
  readonly templates: readonly ObjectTemplates[];
  readonly options: SubmitOptions;
};

/**
 * Creates the Jobs that messages ask for, each once. What is refused goes to the dead-letter queue with its Status; but where a task
 * of Step Functions waits for the Job, its failure says so, before Lambda removes the message.
 */
export function submitHandler(runtime: () => Runtime, options: SubmitOptions = {}) {
  let templates: readonly ObjectTemplates[] | null = null;
  return sqsHandler<string>({
    runtime,
    parse: (body) => body,
    isDerived: () => false,
    async work(batch, here) {
      templates ??= TEMPLATE_FINDERS.map((create) => create(here.deps.objects));
      const working = { here, templates, options };
      const failed = new Map<Message<string>, Failure>();
      await Promise.all(
        batch.map(async (message) => {
          try {
            const refused = await workOn(message, working);
            if (refused !== null) failed.set(message, refused);
          } catch (error) {
            failed.set(message, failureOf(error));
          }
        }),
      );
      return failed;
    },
  });
}

/** null: its Jobs are there, or who waits for them knows that they will not be. */
async function workOn({ content, received }: Message<string>, working: Submit): Promise<Failure | null> {
  const read = readMessage(content, received.id);
  switch (read.kind) {
    case 'test':
      return null;
    case 'unreadable':
      return refuse(
        statusOfUnreadable(read),
        { ...read, namespace: read.namespace ?? DEFAULT_NAMESPACE },
        working.here,
      );
    case 'submission':
      return submitOne(read.submission, working);
    case 'objects':
      return firstRefusal(read.objects, (object) => submitObject(object, working));
  }
}

/** All Jobs of an object, also if some are refused. */
async function submitObject(object: CreatedObject, working: Submit): Promise<Failure | null> {
  const { templates } = working;
  const submissions = (await Promise.all(templates.map(async (each) => each.submissionsFor(object)))).flat();
  if (submissions.length === 0) return refusedWith(statusOfUnwanted(object, templates), DEFAULT_NAMESPACE);
  return firstRefusal(submissions, (submission) => submitOne(submission, working));
}

async function submitOne(submission: Submission, { here, options }: Submit): Promise<Failure | null> {
  const { namespace, taskToken } = submission;
  const submitted = await submit(submission, options, here.deps);
  if (submitted.kind === 'created' || submitted.kind === 'there') return null;
  const place = submitted.kind === 'noNamespace' ? DEFAULT_NAMESPACE : namespace;
  return refuse(statusOfRefused(submitted, namespace), { namespace: place, taskToken }, here);
}

/** Each in its turn, whatever has become of those before it. */
async function firstRefusal<T>(all: readonly T[], work: (each: T) => Promise<Failure | null>): Promise<Failure | null> {
  let first: Failure | null = null;
  for (const each of all) {
    const refused = await work(each);
    first ??= refused;
  }
  return first;
}

/** An answer that was not taken is tried again with the message, whose last try makes a dead letter of it. */
async function refuse(
  status: StatusError,
  { namespace, taskToken }: Pick<Submission, 'namespace' | 'taskToken'>,
  { deps }: Runtime,
): Promise<Failure | null> {
  try {
    let task: string | null = null;
    for (const tell of REFUSED_HEARERS) task ??= await tell(status, taskToken, deps);
    if (task === null) return refusedWith(status, namespace);
    deps.telemetry.warn('message refused', { reason: status.message, task });
    return null;
  } catch (error) {
    const reason = `${status.message}; the task that waits is not answered: ${messageOf(error)}`;
    return { ...refusedWith(status, namespace), why: 'failed', reason };
  }
}

/** `namespace`: where the Event is shown. Events about what has no namespace are in `default`, as in Kubernetes. */
const refusedWith = (status: StatusError, namespace: string): Extract<Failure, { why: 'refused' }> => ({
  why: 'refused',
  reason: status.message,
  refusal: { namespace, status: statusText(status) },
});
