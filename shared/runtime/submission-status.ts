import type { RefusedSubmission } from '../control/submit/submit.ts';
import { API_KINDS } from '../domain/kinds/api-kinds.ts';
import { type StatusError, badRequest, forbiddenObject, notFound, tooLarge } from '../kube/http/status-error.ts';
import { notAdmitted, notCreated } from '../kube/write/refused-write.ts';
import { sendableJson } from '../schema/messages/queue-messages.ts';
import type { ObjectTemplates } from '../control/submit/object-templates.ts';
import type { CreatedObject } from '../schema/submission/submission.ts';

/** What the API answers to a client that creates such a Job. */
export function statusOfRefused(refused: RefusedSubmission, namespace: string): StatusError {
  switch (refused.kind) {
    case 'undecodable':
    case 'invalid':
      return notAdmitted(API_KINDS.Job, refused);
    case 'tooLarge':
      return tooLarge(refused.bytesMax);
    case 'noTemplate':
      return notFound(API_KINDS[refused.of], refused.name);
    case 'forbidden':
      return forbiddenObject(API_KINDS.Job, refused.name, refused.why);
    case 'taken':
    case 'noNamespace':
    case 'terminating':
      return notCreated(API_KINDS.Job, { namespace, name: refused.name }, refused.kind);
  }
}

/** An object in a place that nothing asks for. */
export const statusOfUnwanted = (
  { bucket, key }: CreatedObject,
  templates: readonly Pick<ObjectTemplates, 'whyNone'>[],
): StatusError =>
  badRequest(
    `${templates.map(({ whyNone }) => whyNone).join(', ') || 'nothing here makes Jobs of objects:'} for ${bucket}/${key}`,
  );

/** A dead letter's attributes are small. */
const STATUS_CHARS_MAX = 4_000;
const MESSAGE_CHARS_MAX = 1_000;

/** A Status as a dead letter carries it: its causes if they fit, and as much of its message. */
export function statusText(status: StatusError): string {
  const whole = sendableJson(status);
  if (whole.length <= STATUS_CHARS_MAX) return whole;
  const { details: _details, message, ...rest } = status;
  return sendableJson({ ...rest, message: message.slice(0, MESSAGE_CHARS_MAX) });
}
