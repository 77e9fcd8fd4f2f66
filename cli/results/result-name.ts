import { resultName } from '../../shared/domain/items/item-list.ts';
import type { EndedAttempt } from '../client/api-objects.ts';
import { Failure } from '../shell/failure.ts';

/** One file name, on any disk, that is no path: it begins with a letter or a digit, so it is not `..` either. */
const SAFE = /^[A-Za-z0-9][\p{L}\p{M}\p{N}._-]*$/u;
const BYTES_MAX = 100;

/**
 * The folder of an attempt's results: what the task had as MUSTER_RESULT_NAME; for a Job without indexes the name of its Pod.
 *
 * @throws Failure if the server sends a name that would not stay in the folder
 */
export function resultFolderName(attempt: Pick<EndedAttempt, 'index' | 'resultName' | 'pod'>): string {
  const { index, pod } = attempt;
  const name = attempt.resultName ?? (index === undefined ? pod : resultName(index, ''));
  if (!SAFE.test(name) || Buffer.byteLength(name) > BYTES_MAX)
    throw new Failure(`error: ${JSON.stringify(name)} is no name for a folder of results`);
  return name;
}
