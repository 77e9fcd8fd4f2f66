import type { Announcement } from '../domain/announcement.ts';
import type { TaskFailure } from '../domain/refusal-answer.ts';

declare module '../../../ports/capability-ports.ts' {
  interface CapabilityPorts {
    /** Whether Jobs have changes to announce is a setting. */
    readonly announcer: Announcer;
    readonly taskAnswers: TaskAnswers;
  }
}

/** Tells others of the state changes of Jobs. */
export type Announcer = {
  /**
   * Hands over changes of one Job, oldest first, and answers with the ids of those that were taken. The others are handed over
   * again, later, under the same ids; so is one that was taken by somebody who then did not say so. Answers within seconds. May
   * throw, which says nothing of any of them.
   */
  announce(changes: readonly Announcement[]): Promise<ReadonlySet<string>>;
};

/** Answers tasks of Step Functions that wait for a Job which is not made. */
export type TaskAnswers = {
  /**
   * `nobody`: the task was answered already, or waits no more. `noToken`: it is the token of no task. Throws what may be
   * tried again; the text of the error does not have the token.
   */
  fail(taskToken: string, failure: TaskFailure): Promise<'answered' | 'nobody' | 'noToken'>;
};
