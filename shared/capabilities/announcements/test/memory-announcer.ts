import type { Announcement } from '../domain/announcement.ts';
import type { Announcer } from '../ports/announcer.ts';

/**
 * {@link Announcer} that hands each change to a function of this process.
 *
 * @param takes hears of each change and says whether it is taken
 */
export const createMemoryAnnouncer = (takes: (change: Announcement) => boolean): Announcer => ({
  async announce(changes) {
    return new Set(structuredClone(changes).flatMap((change) => (takes(change) ? [change.id] : [])));
  },
});
