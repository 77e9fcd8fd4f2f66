import { JOB_TEMPLATES } from '../../capabilities/lists/job-templates.ts';
import type { User } from '../../domain/callers/user.ts';
import { type Context, Hono } from 'hono';
import { SUBMISSION_BYTES_MAX } from '../../ports/submissions.ts';
import type { Attributes } from '../../domain/callers/attributes.ts';
import { readMessage } from '../../schema/submission/read-submission.ts';
import type { ReadMessage, Submission } from '../../schema/submission/submission.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import { at } from '../list/stored-field.ts';
import { accountIn, cannotUse, mayRunAs } from '../write/account-objection.ts';
import { refusalOf } from '../http/authorizer.ts';
import { readAtMost } from '../http/request-body.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import {
  type StatusError,
  badRequest,
  errorResponse,
  forbidden,
  methodNotAllowed,
  notFound,
  tooLarge,
  unsupportedMediaType,
} from '../http/status-error.ts';
import { statusOfUnreadable } from './unreadable-submission.ts';

type Deps = Pick<ApiDeps, 'submissions' | 'callerOf' | 'authorizer' | 'objects' | 'jobs'>;

/** Sends a message to the submit queue, for those who have no right to do so at SQS. */
export function submissionRoutes(deps: Deps): Hono {
  const { submissions } = deps;
  const app = new Hono();
  app.post('/submissions', async (c) => {
    const text = await textOf(c);
    if (text instanceof Response) return text;
    // Its sender is here, and need not look for it among the dead letters.
    const read = readMessage(text, '');
    for (const wanted of neededFor(read)) {
      const refusal = await refusalOf(c, wanted, deps);
      if (refusal !== null) return errorResponse(refusal);
    }
    if (submissions === null) return errorResponse(methodNotAllowed(OFF));
    if (read.kind === 'unreadable') return errorResponse(statusOfUnreadable(read));
    const refusal = read.kind === 'submission' ? await accountRefusal(deps.callerOf(c), read.submission, deps) : null;
    if (refusal !== null) return errorResponse(refusal);
    const id = await submissions.send(text);
    return c.json({ apiVersion: 'muster.run/v1', kind: 'Submission', id }, 202);
  });
  app.all('/submissions', () => errorResponse(methodNotAllowed()));
  return app;
}

/**
 * What a sender must be allowed to do: create a Job where the message makes one, and read the template that it names. Where an
 * object of S3 makes Jobs, other objects say, and what they run as: that takes the rights in all namespaces. What cannot be read is
 * not sent.
 */
function neededFor(message: ReadMessage): readonly Attributes[] {
  if (message.kind === 'unreadable') return [];
  if (message.kind !== 'submission') {
    const anywhere = onJobs('create', { namespace: '', name: '' });
    return [anywhere, { ...anywhere, verb: 'use', group: '', resource: 'serviceaccounts' }];
  }
  const { namespace, of } = message.submission;
  const creation = onJobs('create', { namespace, name: '' });
  if (of.kind === 'manifest') return [creation];
  const template = onJobs('get', { namespace, name: of.name });
  const { group, plural } = API_KINDS[of.kind];
  return [creation, { ...template, group, resource: plural }];
}

const onJobs = (verb: string, place: { readonly namespace: string; readonly name: string }) =>
  ({ kind: 'resource', verb, group: 'batch', resource: 'jobs', subresource: '', ...place }) satisfies Attributes;

/** Its Job will be made by nobody who may be asked: what it runs as is looked at here. */
async function accountRefusal(user: User, submission: Submission, deps: Deps): Promise<StatusError | null> {
  if (deps.authorizer === null) return null;
  const { namespace } = submission;
  const podSpec = await podSpecOf(submission, deps);
  // Nobody knows what a later template will run as.
  if (podSpec === undefined && submission.of.kind !== 'manifest')
    return notFound(API_KINDS[submission.of.kind], submission.of.name);
  const account = accountIn(podSpec);
  if (await mayRunAs(user, namespace, account, deps)) return null;
  return forbidden(cannotUse(user, namespace, account));
}

/** The Pod's spec of the Job that a submission makes; undefined: what it is made from is not there. */
async function podSpecOf({ namespace, of }: Submission, { objects, jobs }: Deps): Promise<unknown> {
  if (of.kind === 'manifest') return at(of.document, 'spec', 'template', 'spec');
  if (of.kind === 'Job') {
    const uid = await jobs.findJob(namespace, of.name);
    const spec = uid === null ? null : await jobs.readSpec(uid);
    return spec?.manifest.spec.template.spec;
  }
  const object = await objects.read(of.kind, { namespace, name: of.name });
  const row = JOB_TEMPLATES.find(({ kind }) => kind === of.kind);
  return object === null ? undefined : row?.read(object.document).spec.template.spec;
}

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
