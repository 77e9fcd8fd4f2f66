import { onOneLine } from './render/table.ts';
import type { ApiStatus } from './api-objects.ts';

/** What every command ends with. 124 is timeout(1)'s number, 130 a shell's for Ctrl-C. */
export const EXIT = { ok: 0, failed: 1, usage: 2, deleted: 3, timedOut: 124, interrupted: 130 } as const;

/** Ends a command with a text for people; nothing is wrong with this program. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.name = 'Failure';
    this.exitCode = exitCode;
  }
}

/** The command line asks for something that there is not. */
export const usageFailure = (message: string): Failure => new Failure(`error: ${message}`, EXIT.usage);

/** The server said no, in Kubernetes' words. */
export class ApiFailure extends Failure {
  readonly status: ApiStatus;

  constructor(status: ApiStatus) {
    super(tellStatus(status));
    this.name = 'ApiFailure';
    this.status = status;
  }
}

/** Nobody answers, or the answer broke off. */
export class UnreachableFailure extends Failure {
  constructor(message: string) {
    super(message);
    this.name = 'UnreachableFailure';
  }
}

/** As kubectl prints it: what is invalid by its fields, everything else by its message. */
function tellStatus({ reason, message, details }: ApiStatus): string {
  const causes = (details?.causes ?? []).map((cause) =>
    onOneLine(cause.field === '' ? cause.message : `${cause.field}: ${cause.message}`),
  );
  if (reason === 'Invalid' && details !== undefined && causes.length > 0) {
    const head = `The ${details.kind ?? 'object'} ${JSON.stringify(details.name ?? '')} is invalid:`;
    return causes.length === 1 ? `${head} ${causes[0]}` : [head, ...causes.map((cause) => `* ${cause}`)].join('\n');
  }
  const head = `Error from server${reason === '' ? '' : ` (${reason})`}: ${message}`;
  // A body of which nothing could be made: the message is general, the causes are not.
  return causes.every((cause) => message.includes(cause))
    ? head
    : [head, ...causes.map((cause) => `* ${cause}`)].join('\n');
}
