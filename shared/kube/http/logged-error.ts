import { isNewerFormat } from '../../domain/base/newer-format.ts';
import { unreadableRows } from '../../domain/base/unreadable-row.ts';
import { ALL_KINDS } from '../../domain/kinds/api-kinds.ts';
import { Unavailable } from '../../ports/unavailable.ts';

/**
 * An unexpected error as a log has it. If the request was about confidential objects, it is only what kind of error it is and where
 * it was thrown: parsers, AWS, and the engine of JavaScript itself cite in their words what they were given.
 *
 * @param path of the request
 */
export function loggedError(path: string, error: unknown): string {
  if (!isAboutConfidential(path) || isInOurWords(error)) return String(error);
  if (!(error instanceof Error)) return typeof error;
  const where = framesOf(error)[0];
  return `${error.name}${where === undefined ? '' : ` ${where}`}`;
}

/** `/api/v1/namespaces/team/secrets/db`, and the same in every namespace. */
function isAboutConfidential(path: string): boolean {
  const [, group = '', plural] = /^\/(?:api|apis\/([^/]+))\/[^/]+\/(?:namespaces\/[^/]+\/)?([^/]+)/.exec(path) ?? [];
  return ALL_KINDS.some(
    (kind) => kind.isConfidential === true && kind.group === group && kind.plural === plural?.toLowerCase(),
  );
}

/** Such an error names rows and keys, and cites nothing. */
const isInOurWords = (error: unknown): boolean =>
  error instanceof Unavailable || isNewerFormat(error) || unreadableRows(error).length > 0;

/** What follows the words in a stack. */
function framesOf({ stack = '', message }: Error): readonly string[] {
  const after = stack.slice(stack.indexOf(message) + message.length);
  return after.split('\n').flatMap((line) => /^\s+(at .+)$/.exec(line)?.[1] ?? []);
}
