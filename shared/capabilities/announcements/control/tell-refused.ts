import type { TellRefused } from '../../../control/submit/refused-submission.ts';
import { isTaskToken } from '../../../domain/manifests/annotations.ts';
import { refusalAnswer } from '../domain/refusal-answer.ts';

/** A task of Step Functions that waits for the Job fails at once. */
export const tellRefused: TellRefused = async (refusal, taskToken, { ports: { taskAnswers } }) => {
  const answer = refusalAnswer(refusal);
  if (taskAnswers === undefined || answer === null || taskToken === null || !isTaskToken(taskToken)) return null;
  const told = await taskAnswers.fail(taskToken, answer);
  return told === 'noToken' ? null : told;
};
