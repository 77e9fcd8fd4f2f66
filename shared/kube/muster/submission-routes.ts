import { type Context, Hono } from 'hono';
import { SUBMISSION_BYTES_MAX } from '../../ports/submissions.ts';
import { readMessage } from '../../schema/submission/read-submission.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import { readAtMost } from '../http/request-body.ts';
import { badRequest, errorResponse, methodNotAllowed, tooLarge, unsupportedMediaType } from '../http/status-error.ts';
import { statusOfUnreadable } from './unreadable-submission.ts';

/** Sends a message to the submit queue, for those who have no right to do so at SQS. */
export function submissionRoutes({ submissions }: Pick<ApiDeps, 'submissions'>): Hono {
  const app = new Hono();
  app.post('/submissions', async (c) => {
    const text = await textOf(c);
    if (text instanceof Response) return text;
    if (submissions === null) return errorResponse(methodNotAllowed(OFF));
    // Its sender is here, and need not look for it among the dead letters.
    const read = readMessage(text, '');
    if (read.kind === 'unreadable') return errorResponse(statusOfUnreadable(read));
    const id = await submissions.send(text);
    return c.json({ apiVersion: 'muster.run/v1', kind: 'Submission', id }, 202);
  });
  app.all('/submissions', () => errorResponse(methodNotAllowed()));
  return app;
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
