import type { Announcement } from '../domain/announcing/announcement.ts';

/** Tells others of the state changes of Jobs. */
export type Announcer = {
  /**
   * Hands over changes of one Job, oldest first, and answers with the ids of those that were taken. The others are handed over
   * again, later, under the same ids; so is one that was taken by somebody who then did not say so. Answers within seconds. May
   * throw, which says nothing of any of them.
   */
  announce(changes: readonly Announcement[]): Promise<ReadonlySet<string>>;
};

/** Which Jobs are announced: each, or those that somebody waits for with a task token. */
export type Announced = 'each' | 'awaited';
