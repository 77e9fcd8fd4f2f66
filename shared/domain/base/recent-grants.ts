import type { EpochMs } from './time.ts';

/** How many rights each namespace was granted lately. Old ones count less and less: half as much every two seconds. */
export type RecentGrants = { readonly at: EpochMs; readonly namespaces: readonly NamespaceGrants[] };

type NamespaceGrants = { readonly namespace: string; readonly granted: number };

const HALF_LIFE_MS = 2_000;
/** A namespace with less than this does not share the rate any more: one right is forgotten after four seconds. */
const GRANTED_MIN = 0.25;
/** Their row stays below 1 KB, so that a lease costs one write unit. Those with the fewest grants are forgotten first. */
const NAMESPACES_MAX = 8;
/** Much further than the last right that is granted, and than the difference between well-kept clocks. */
export const AHEAD_MAX_MS = 60_000;

/** A machine with a wrong clock wrote it. */
export const isFromFuture = (at: EpochMs, now: EpochMs): boolean => at > now + AHEAD_MAX_MS;

/** What is left of `recent` at `now`. */
export function recentAt(recent: RecentGrants | null, now: EpochMs): readonly NamespaceGrants[] {
  if (recent === null || isFromFuture(recent.at, now)) return [];
  const share = 0.5 ** (Math.max(0, now - recent.at) / HALF_LIFE_MS);
  return recent.namespaces
    .map(({ namespace, granted }) => ({ namespace, granted: granted * share }))
    .filter(({ granted }) => granted >= GRANTED_MIN);
}

/** `recent` with `count` more rights for `namespace`. */
export function withGrants(recent: RecentGrants | null, now: EpochMs, namespace: string, count: number): RecentGrants {
  const before = recentAt(recent, now);
  const own = before.find((each) => each.namespace === namespace)?.granted ?? 0;
  const namespaces = [
    ...before
      .filter((each) => each.namespace !== namespace)
      .map((each) => ({ ...each, granted: rounded(each.granted) })),
    { namespace, granted: rounded(own + count) },
  ].toSorted((a, b) => b.granted - a.granted);
  return { at: now, namespaces: namespaces.slice(0, NAMESPACES_MAX) };
}

const rounded = (granted: number): number => Math.round(granted * 100) / 100;
