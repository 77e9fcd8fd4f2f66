import type { ReadMessage } from '../../schema/submission/submission.ts';
import { type StatusError, badRequest } from '../http/status-error.ts';

/** The Status for a message that asks for nothing. Where only a sentence is shown, it has the faults, too. */
export function statusOfUnreadable({ message, faults }: ReadMessage & { readonly kind: 'unreadable' }): StatusError {
  const sentences = faults.map(({ path, message: why }) => (path === '' ? why : `${path}: ${why}`));
  const causes = faults.map(({ path, message: why }) => ({ reason: 'FieldValueInvalid', message: why, field: path }));
  return badRequest(sentences.length === 0 ? message : `${message}: ${sentences.join(', ')}`, causes);
}
