import type { Announcer } from '../ports/announcer.ts';

/** {@link Announcer} of several: a change is taken when each of them has taken it. One that throws keeps none of the others. */
export const announceToAll = (announcers: readonly Announcer[]): Announcer => ({
  async announce(changes) {
    const answers = await Promise.allSettled(announcers.map(async (each) => each.announce(changes)));
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    const taken = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : new Set<string>()));
    return new Set(changes.flatMap(({ id }) => (taken.every((each) => each.has(id)) ? [id] : [])));
  },
});
