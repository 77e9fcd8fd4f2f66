import { launchRowOf } from '../../../domain/scoreboard/launch-row.ts';
import type { HostRow } from '../../../ports/host-store.ts';
import type { StoredSpec } from '../../../ports/job-store.ts';
import type { Deps } from '../../../control/process/deps.ts';
import type { Prepared } from '../../../control/process/launch-need.ts';
import { changeHosts, ensureServices, isNameless, namesOf, withHosts } from './host-calls.ts';
import { prepareReady } from './hosts-ready.ts';
import { reserveNames } from './hosts-reserve.ts';

/**
 * Makes sure that the names of these indexes (of one launch row) exist before their tasks do: a name that is resolved too early
 * is not found for minutes, because resolvers cache that (aws.md 4.1).
 *
 * @returns null: the tasks have no names
 */
export async function prepareHosts(spec: StoredSpec, indexes: readonly number[], deps: Deps): Promise<Prepared | null> {
  const { jobs, ports } = deps;
  const { hostnames } = ports;
  const names = hostnames === undefined ? null : namesOf(spec);
  const [first] = indexes;
  if (hostnames === undefined || names === null || first === undefined) return null;
  const { uid } = spec.identity;
  const known = await deps.hosts.readHosts(uid, launchRowOf(first));
  const [there, missing] = [indexes.filter(isIn(known)), indexes.filter((index) => !isIn(known)(index))];
  if (missing.length === 0) return { ready: new Set(there), refused: new Map() };
  const status = await jobs.readStatus(uid);
  if (status === null || isNameless(status.phase)) return null; // an old message: nothing will be launched
  // The Job's creator may have been slow between reserving and storing it, so the sweep may have released the names.
  const reserved = known.version === 0 ? await reserveNames(spec, deps) : null;
  if (reserved?.kind === 'noHosts') {
    const reason = `no names are left: the Job needs ${reserved.needed}, ${reserved.left} of ${reserved.max} are free`;
    return { ready: new Set(), refused: new Map(missing.map((index) => [index, { kind: 'later', reason }])) };
  }
  const why = await prepareReady(spec, missing, hostnames, deps);
  if (why !== null) return { ready: new Set(there), refused: new Map(missing.map((index) => [index, why])) };
  const { made, refused } = await ensureServices(names, missing, hostnames, deps);
  const row = made.length === 0 ? known : await changeHosts(uid, known, (hosts) => withHosts(hosts, made), deps);
  return { ready: new Set(indexes.filter(isIn(row))), refused };
}

const isIn =
  ({ hosts }: HostRow) =>
  (index: number): boolean =>
    hosts.some((host) => host.index === index);
