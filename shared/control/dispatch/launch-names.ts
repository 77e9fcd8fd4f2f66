import type { AttemptId } from '../../domain/base/fact.ts';
import type { Withdrawal } from '../../domain/scoreboard/launch-row.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { Deps } from '../process/deps.ts';
import { prepareHosts } from '../../capabilities/hostnames/control/hosts-prepare.ts';

/** Launches, sorted by what their hostnames allow. */
type ByName = {
  readonly launch: readonly AttemptId[];
  /** The rate of Cloud Map calls had no room for their names. */
  readonly later: readonly AttemptId[];
  /** Their names cannot be had. */
  readonly withdraw: readonly Withdrawal[];
};

/** Decides which launches may happen. Where tasks have hostnames, a name must exist before its task starts. */
export async function sortByName(spec: StoredSpec, ids: readonly AttemptId[], deps: Deps): Promise<ByName> {
  const prepared = await prepareHosts(
    spec,
    ids.map(({ index }) => index),
    deps,
  );
  if (prepared === null) return { launch: ids, later: [], withdraw: [] };
  const { ready, refused } = prepared;
  return {
    launch: ids.filter(({ index }) => ready.has(index)),
    later: ids.filter(({ index }) => !ready.has(index) && !refused.has(index)),
    withdraw: ids.flatMap((id) => {
      const why = refused.get(id.index);
      return why === undefined ? [] : [{ id, why }];
    }),
  };
}
