import type { TaskFailure } from '../domain/announcing/refusal-answer.ts';

/** Answers tasks of Step Functions that wait for a Job which is not made. */
export type TaskAnswers = {
  /**
   * `nobody`: the task was answered already, waits no more, or never was. Throws what may be tried again; the text of the error
   * does not have the token.
   */
  fail(taskToken: string, failure: TaskFailure): Promise<'answered' | 'nobody'>;
};
