import { type Status, isOver } from '../scoreboard/status.ts';

/**
 * STATUS of a Job that notes that indexes of another Job wait for its own; null: it has noted that, or none of its indexes will succeed
 * any more. Users see nothing of it, so it need not be published.
 */
export function noteAwaited(status: Status): Status | null {
  if (status.isAwaited || isOver(status.phase)) return null;
  const version = status.version + 1;
  const isPublished = status.published.version >= status.version;
  const published = isPublished ? { ...status.published, version } : status.published;
  return { ...status, version, published, isAwaited: true };
}
