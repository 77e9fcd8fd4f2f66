import { SFNClient, SendTaskFailureCommand, SendTaskSuccessCommand } from '@aws-sdk/client-sfn';
import type { Announcement } from '../../../domain/announcing/announcement.ts';
import type { Announcer } from '../../../ports/announcer.ts';
import { type Connection, clientConfig } from '../connection.ts';

/** As for an event bus. */
const PATIENCE = { maxAttempts: 2, requestTimeoutMs: 2_000, maxSockets: 16 };

/** Step Functions says one of these if the task was answered already, or waits no more: there is nobody left to tell. */
const ANSWERED: readonly string[] = ['TaskTimedOut', 'TaskDoesNotExist', 'InvalidToken'];

export const createSfnClient = (connection: Connection): SFNClient => new SFNClient(clientConfig(connection, PATIENCE));

/**
 * {@link Announcer} that answers the task token of a Job when the Job ends: with its detail as output, or with the reason and
 * message of its failure. All other changes are of no interest to Step Functions, and count as taken.
 */
export const createSfnAnnouncer = ({
  client,
  warn,
}: {
  readonly client: SFNClient;
  readonly warn: (message: string, values: Readonly<Record<string, unknown>>) => void;
}): Announcer => ({
  async announce(changes) {
    const taken = new Set<string>();
    for (const change of changes) {
      try {
        await answerTask(change, client);
        taken.add(change.id);
      } catch (error) {
        // The name only: an error of validation repeats the token.
        const name = error instanceof Error ? error.name : 'Error';
        if (ANSWERED.includes(name)) taken.add(change.id);
        else warn('Step Functions does not take the end of a Job', { change: change.id, error: name });
      }
    }
    return taken;
  },
});

async function answerTask({ taskToken, detail }: Announcement, client: SFNClient): Promise<void> {
  if (taskToken === null) return;
  const { state, reason, message = '' } = detail;
  if (state === 'Completed')
    await client.send(new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(detail) }));
  else if (state === 'Failed')
    await client.send(new SendTaskFailureCommand({ taskToken, error: reason ?? 'Failed', cause: message }));
  else if (state === 'Deleted' && reason === undefined)
    await client.send(new SendTaskFailureCommand({ taskToken, error: 'Deleted', cause: 'The Job was deleted' }));
}
