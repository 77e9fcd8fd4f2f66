import type { JSX } from 'preact';
import { useWatch } from '../api/hooks.ts';
import { LISTS } from '../api/paths.ts';
import { bytesWords } from '../model/amounts.ts';
import { numberWords } from '../model/job-row.ts';
import type { Job, WorkList } from '../model/objects.ts';
import { pathOf } from '../model/route.ts';
import { query, scope, setQuery } from '../parts/location.ts';
import { Empty, WatchFault } from '../parts/states.tsx';

/** Lists of items that have a name, and the Jobs that work on them. */
export default function WorkLists(): JSX.Element {
  const { objects, state } = useWatch<WorkList>(LISTS.workLists(scope.value));
  const jobs = useWatch<Job>(LISTS.jobs(scope.value));
  const wanted = query.value.get('q') ?? '';
  const lists = [...objects.values()]
    .filter(({ metadata }) => `${metadata.namespace}/${metadata.name}`.includes(wanted))
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const users = (list: WorkList): readonly Job[] =>
    [...jobs.objects.values()].filter(
      ({ metadata }) =>
        metadata.namespace === list.metadata.namespace &&
        metadata.annotations?.['muster.run/work-list'] === list.metadata.name,
    );
  return (
    <>
      <header class="head">
        <h1>Work lists</h1>
        <div class="head-tools">
          <input
            type="search"
            class="filter"
            placeholder="Filter by name"
            aria-label="Filter work lists"
            value={wanted}
            onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
          />
        </div>
      </header>
      <WatchFault state={state} what="work lists" />
      {lists.length === 0 && state.kind === 'live' ? (
        <Empty title={objects.size === 0 ? 'There are no work lists yet.' : 'No list has this name.'}>
          <p>A list of items has a name of its own if several Jobs work on it, or if it is long.</p>
        </Empty>
      ) : null}
      {lists.length === 0 ? null : (
        <div class="table-frame">
          <table>
            <thead>
              <tr>
                <th scope="col">List</th>
                <th scope="col">State</th>
                <th scope="col" class="number">
                  Items
                </th>
                <th scope="col" class="number">
                  Size
                </th>
                <th scope="col">Made of</th>
                <th scope="col">Jobs that work on it</th>
              </tr>
            </thead>
            <tbody>
              {lists.map((list) => {
                const { metadata, spec = {}, status = {} } = list;
                return (
                  <tr key={`${metadata.namespace}/${metadata.name}`}>
                    <td>
                      <span class="muted">{metadata.namespace}/</span>
                      <strong>{metadata.name}</strong>
                    </td>
                    <td>{status.sealed === true ? 'sealed' : <span class="muted">being uploaded</span>}</td>
                    <td class="number">{numberWords(status.items ?? 0)}</td>
                    <td class="number">{bytesWords(status.bytes ?? 0)}</td>
                    <td>
                      {spec.matrix === undefined
                        ? 'items'
                        : Object.entries(spec.matrix)
                            .map(([name, values]) => `${values.length} ${name}`)
                            .join(' × ')}
                    </td>
                    <td>
                      {users(list).map(({ metadata: { namespace = '', name } }) => (
                        <a key={name} class="label" href={pathOf({ view: 'job', namespace, name })}>
                          {name}
                        </a>
                      ))}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
