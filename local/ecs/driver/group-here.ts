/** Who runs Muster: what it may give to which group. */
export type Giver = { readonly uid: number; readonly gid: number; readonly groups: readonly number[] };

/**
 * The group that a folder of this machine has which is meant for a group: root gives it to any, and another user to a group of its
 * own. Otherwise it keeps the user's group, and a container that is to read it gets that group, too.
 */
export const groupHere = (wanted: number, { uid, gid, groups }: Giver = thisProcess()): number =>
  uid === 0 || gid === wanted || groups.includes(wanted) ? wanted : gid;

const thisProcess = (): Giver => ({
  uid: process.geteuid?.() ?? 0,
  gid: process.getegid?.() ?? 0,
  groups: process.getgroups?.() ?? [],
});
