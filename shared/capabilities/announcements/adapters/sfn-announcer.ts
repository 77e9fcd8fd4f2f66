import { type SFNClient, SendTaskFailureCommand, SendTaskSuccessCommand } from '@aws-sdk/client-sfn';
import type { Announcement } from '../domain/announcement.ts';
import type { Announcer } from '../ports/announcer.ts';
import { refusalOf } from './sfn-client.ts';

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
        const { name, isNobodyLeft } = refusalOf(error);
        if (isNobodyLeft) taken.add(change.id);
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
