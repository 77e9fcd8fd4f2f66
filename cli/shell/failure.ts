import type { ApiStatus } from './api-status.ts';
import { onOneLine } from '../text/table.ts';

/** Exit codes of all commands. 124 is timeout(1)'s code, and 130 is a shell's code for Ctrl-C. */
export const EXIT = { ok: 0, failed: 1, usage: 2, deleted: 3, timedOut: 124, interrupted: 130 } as const;

/** Ends a command with a message for people. Not a bug in this program. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.name = 'Failure';
    this.exitCode = exitCode;
  }
}

/** The command line is invalid. */
export const usageFailure = (message: string): Failure => new Failure(`error: ${message}`, EXIT.usage);

/** The server refused the request, in Kubernetes' words. */
export class ApiFailure extends Failure {
  readonly status: ApiStatus;

  constructor(status: ApiStatus) {
    super(tellStatus(status));
    this.name = 'ApiFailure';
    this.status = status;
  }
}

/** What the server gives as the cause of this kind; undefined: nothing. */
export const causeOf = ({ status }: ApiFailure, reason: string) =>
  status.details?.causes.find((cause) => cause.reason === reason);

/** The server has no such path: it is of a version without it. Anything else that is not found is named. */
export const isUnknownPath = (error: unknown): error is ApiFailure =>
  error instanceof ApiFailure && error.status.reason === 'NotFound' && error.status.details?.kind === undefined;

/** The server does not answer, or the answer broke off. */
export class UnreachableFailure extends Failure {
  constructor(message: string) {
    super(message);
    this.name = 'UnreachableFailure';
  }
}

/** Formats a Status as kubectl does: field faults for Invalid, the message for everything else. */
function tellStatus({ reason, message, details }: ApiStatus): string {
  const causes = (details?.causes ?? []).map((cause) =>
    onOneLine(cause.field === '' ? cause.message : `${cause.field}: ${cause.message}`),
  );
  if (reason === 'Invalid' && details !== undefined && causes.length > 0) {
    const head = `The ${details.kind ?? 'object'} ${JSON.stringify(details.name ?? '')} is invalid:`;
    return causes.length === 1 ? `${head} ${causes[0]}` : [head, ...causes.map((cause) => `* ${cause}`)].join('\n');
  }
  const head = `Error from server${reason === '' ? '' : ` (${reason})`}: ${message}`;
  // For a body that could not be parsed, the message is general and the causes are specific.
  return causes.every((cause) => onOneLine(message).includes(cause))
    ? head
    : [head, ...causes.map((cause) => `* ${cause}`)].join('\n');
}
