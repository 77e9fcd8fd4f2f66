import { type SFNClient, SendTaskFailureCommand } from '@aws-sdk/client-sfn';
import type { TaskAnswers } from '../ports/announcer.ts';
import { refusalOf } from '../adapters/sfn-client.ts';

/** {@link TaskAnswers} of Step Functions. */
export const createSfnAnswers = (client: SFNClient): TaskAnswers => ({
  async fail(taskToken, { error, cause }) {
    try {
      await client.send(new SendTaskFailureCommand({ taskToken, error, cause }));
      return 'answered';
    } catch (thrown) {
      const { name, isNobodyLeft } = refusalOf(thrown);
      if (name === 'InvalidToken') return 'noToken';
      if (isNobodyLeft) return 'nobody';
      // Without its cause, which may have the token.
      throw new Error(`Step Functions says ${name}`);
    }
  },
});
