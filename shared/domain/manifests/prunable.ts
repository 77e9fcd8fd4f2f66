/** Whether a Job that ended at `endedAt` (null: it has not) ended `olderThanMs` ago or earlier. */
export const isPrunable = (endedAt: number | null, olderThanMs: number, now: number): boolean =>
  endedAt !== null && endedAt <= now - olderThanMs;
