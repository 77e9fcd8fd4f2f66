import { createSfnAnswers } from './sfn-answers.ts';
import { createSfnClient } from '../adapters/sfn-client.ts';
import type { OpenOfFunction } from '../../../runtime/opened-ports.ts';

/** Opens what answers task tokens in place of Jobs. Only the function that takes submissions has it, and so its client. */
export const openTaskAnswers: OpenOfFunction = ({ announcements }, { at, onClient }) => {
  const { taskTokens, endpoint } = announcements;
  if (!taskTokens) return { ports: {}, close: () => undefined };
  const client = createSfnClient(at(endpoint));
  onClient?.(client);
  return { ports: { taskAnswers: createSfnAnswers(client) }, close: () => client.destroy() };
};
