import { type Context, Hono } from 'hono';
import { SUBMISSION_BYTES_MAX } from '../../ports/submissions.ts';
import type { Attributes } from '../../domain/rbac/attributes.ts';
import { readMessage } from '../../schema/submission/read-submission.ts';
import type { ReadMessage } from '../../schema/submission/submission.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import { readAtMost } from '../http/request-body.ts';
import { badRequest, errorResponse, methodNotAllowed, tooLarge, unsupportedMediaType } from '../http/status-error.ts';
import { statusOfUnreadable } from './unreadable-submission.ts';

/** Sends a message to the submit queue, for those who have no right to do so at SQS. */
export function submissionRoutes({ submissions, authorizer }: Pick<ApiDeps, 'submissions' | 'authorizer'>): Hono {
  const app = new Hono();
  app.post('/submissions', async (c) => {
    const text = await textOf(c);
    if (text instanceof Response) return text;
    // Its sender is here, and need not look for it among the dead letters.
    const read = readMessage(text, '');
    for (const wanted of neededFor(read)) {
      const refusal = (await authorizer?.refusal(c, wanted)) ?? null;
      if (refusal !== null) return errorResponse(refusal);
    }
    if (submissions === null) return errorResponse(methodNotAllowed(OFF));
    if (read.kind === 'unreadable') return errorResponse(statusOfUnreadable(read));
    const id = await submissions.send(text);
    return c.json({ apiVersion: 'muster.run/v1', kind: 'Submission', id }, 202);
  });
  app.all('/submissions', () => errorResponse(methodNotAllowed()));
  return app;
}

/**
 * What a sender must be allowed to do: create a Job where the message makes one, and read the template that it names. Where an
 * object of S3 makes Jobs, CronJobs say, so that takes the right in all namespaces. What cannot be read is not sent.
 */
function neededFor(message: ReadMessage): readonly Attributes[] {
  if (message.kind === 'unreadable') return [];
  if (message.kind !== 'submission') return [onJobs('create', { namespace: '', name: '' })];
  const { namespace, of } = message.submission;
  const creation = onJobs('create', { namespace, name: '' });
  if (of.kind === 'manifest') return [creation];
  const template = onJobs('get', { namespace, name: of.name });
  return [creation, of.kind === 'Job' ? template : { ...template, resource: 'cronjobs' }];
}

const onJobs = (verb: string, place: { readonly namespace: string; readonly name: string }) =>
  ({ kind: 'resource', verb, group: 'batch', resource: 'jobs', subresource: '', ...place }) satisfies Attributes;

const OFF = 'this installation takes no submissions: its operator can deploy it with submissions=true';

async function textOf(c: Context): Promise<string | Response> {
  const [type = ''] = (c.req.header('content-type') ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json')
    return errorResponse(unsupportedMediaType(['application/json']));
  const bytes = await readAtMost(c.req.raw, SUBMISSION_BYTES_MAX);
  if (bytes === null) return errorResponse(tooLarge(SUBMISSION_BYTES_MAX));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return errorResponse(badRequest('the body of the request is not UTF-8'));
  }
}
