import { createSfnAnswers } from './sfn-answers.ts';
import { createSfnClient } from './sfn-client.ts';
import type { OpenAnnouncer } from '../../../runtime/create-runtime.ts';

/** Opens what answers task tokens in place of Jobs. Only the function that takes submissions imports this file. */
export const openTaskAnswers: OpenAnnouncer = ({ taskTokens, endpoint }, { at, onClient }) => {
  if (!taskTokens) return { announcer: null, taskAnswers: null, close: () => undefined };
  const client = createSfnClient(at(endpoint));
  onClient?.(client);
  return { announcer: null, taskAnswers: createSfnAnswers(client), close: () => client.destroy() };
};
