import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useNow, useWatch } from '../api/hooks.ts';
import { askJson } from '../api/client.ts';
import { LISTS, ofJob } from '../api/paths.ts';
import type { Waits } from '../model/answers.ts';
import { type JobRow, JOB_STATES, SORTS, countStates, jobRowOf, numberWords, wishedRows } from '../model/job-row.ts';
import type { Job } from '../model/objects.ts';
import { pathOf } from '../model/route.ts';
import { durationWords, momentWords, roughWords } from '../model/time-words.ts';
import { Badge, stateWords } from '../parts/badge.tsx';
import { Bar } from '../parts/bar.tsx';
import { query, scope, setQuery } from '../parts/location.ts';
import { Empty, WatchFault } from '../parts/states.tsx';
import { Spacer, useWindow } from '../parts/windowed.tsx';

const ROW_PX = 34;
const COLUMNS = 8;
const WAITS_ASKED_MAX = 20;
const WAITS_EVERY_MS = 15_000;

/** All Jobs, live. */
export default function Jobs(): JSX.Element {
  const { objects, state } = useWatch<Job>(LISTS.jobs(scope.value));
  const words = query.value;
  const wish = {
    filter: words.get('q') ?? '',
    state: words.get('state'),
    namespace: words.get('ns'),
    sort: words.get('sort') ?? 'activity',
  };
  const all = useMemo(() => [...objects.values()].map(jobRowOf), [objects]);
  const inNamespace = wish.namespace === null ? all : all.filter(({ namespace }) => namespace === wish.namespace);
  const rows = wishedRows(all, wish);
  const counts = countStates(inNamespace);
  const namespaces = useNamespaces(all, wish.namespace);
  return (
    <>
      <header class="head">
        <h1>Jobs</h1>
        <div class="head-tools">
          <input
            type="search"
            class="filter"
            placeholder="Filter: name, label=value, -not"
            aria-label="Filter Jobs"
            value={wish.filter}
            onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
          />
          <label class="select">
            <span>Namespace</span>
            <select
              value={wish.namespace ?? ''}
              onChange={({ currentTarget }) => setQuery({ ns: currentTarget.value }, true)}
            >
              <option value="">all</option>
              {namespaces.map((namespace) => (
                <option key={namespace} value={namespace}>
                  {namespace}
                </option>
              ))}
            </select>
          </label>
          <label class="select">
            <span>Order</span>
            <select value={wish.sort} onChange={({ currentTarget }) => setQuery({ sort: currentTarget.value }, true)}>
              {SORTS.map((sort) => (
                <option key={sort} value={sort}>
                  {sort}
                </option>
              ))}
            </select>
          </label>
        </div>
      </header>
      <div class="chips" role="group" aria-label="States">
        <Chip
          words="All"
          count={inNamespace.length}
          isOn={wish.state === null}
          onClick={() => setQuery({ state: null }, true)}
        />
        {JOB_STATES.map((each) => (
          <Chip
            key={each}
            words={stateWords(each)}
            count={counts.get(each) ?? 0}
            isOn={wish.state === each}
            onClick={() => setQuery({ state: wish.state === each ? null : each }, true)}
          />
        ))}
      </div>
      <WatchFault state={state} what="Jobs" />
      {rows.length > 0 ? <Table rows={rows} /> : null}
      {rows.length === 0 && state.kind === 'live' ? (
        <NoJobs isFiltered={all.length > 0 || wish.namespace !== null} />
      ) : null}
    </>
  );
}

type ChipProps = {
  readonly words: string;
  readonly count: number;
  readonly isOn: boolean;
  readonly onClick: () => void;
};

const Chip = ({ words, count, isOn, onClick }: ChipProps): JSX.Element => (
  <button type="button" class="chip" aria-pressed={isOn} onClick={onClick}>
    {words} <span class="chip-count">{numberWords(count)}</span>
  </button>
);

/** The namespaces that have been seen, also those that are not looked at now. */
function useNamespaces(rows: readonly JobRow[], wished: string | null): readonly string[] {
  const seen = useRef(new Set<string>());
  for (const { namespace } of rows) seen.current.add(namespace);
  if (wished !== null) seen.current.add(wished);
  return [...seen.current].toSorted();
}

function NoJobs({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  if (isFiltered)
    return (
      <Empty title="No Job is as you ask.">
        <button type="button" onClick={() => setQuery({ q: null, state: null, ns: null }, true)}>
          Show all
        </button>
      </Empty>
    );
  return (
    <Empty title="There are no Jobs yet.">
      <p>Start one from a terminal, and it appears here at once:</p>
      <code class="block">muster run hello --image debian:12-slim -- echo {'{}'} ::: a b c</code>
    </Empty>
  );
}

function Table({ rows }: { readonly rows: readonly JobRow[] }): JSX.Element {
  const now = useNow(1_000);
  const { ref, from, to } = useWindow<HTMLTableSectionElement>(rows.length, ROW_PX, true);
  const shown = rows.slice(from, to);
  const waits = useWaits(shown.filter(({ state }) => state === 'quiet'));
  return (
    <div class="table-frame">
      <table class="jobs">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Job</th>
            <th scope="col">Progress</th>
            <th scope="col" class="number">
              Succeeded
            </th>
            <th scope="col" class="number">
              Active
            </th>
            <th scope="col" class="number">
              Failed
            </th>
            <th scope="col" class="number">
              Took
            </th>
            <th scope="col">Why, and when</th>
          </tr>
        </thead>
        <tbody ref={ref}>
          <Spacer heightPx={from * ROW_PX} columns={COLUMNS} />
          {shown.map((row) => (
            <Row key={row.key} row={row} now={now} wait={waits.get(row.key) ?? null} />
          ))}
          <Spacer heightPx={(rows.length - to) * ROW_PX} columns={COLUMNS} />
        </tbody>
      </table>
    </div>
  );
}

function Row({
  row,
  now,
  wait,
}: {
  readonly row: JobRow;
  readonly now: number;
  readonly wait: string | null;
}): JSX.Element {
  const { namespace, name, total, succeeded, active, failedIndexes, failedAttempts, startedMs, endedMs } = row;
  const whole = total ?? Math.max(succeeded + active + failedIndexes, 1);
  return (
    <tr>
      <td>
        <Badge state={row.state} />
      </td>
      <td class="job-name">
        <a href={pathOf({ view: 'job', namespace, name })}>
          <span class="muted">{namespace}/</span>
          {name}
        </a>
      </td>
      <td class="job-bar">
        <Bar
          total={whole}
          parts={[
            { colour: 'succeeded', count: succeeded, words: 'succeeded' },
            { colour: 'running', count: active, words: 'active' },
            { colour: 'failed', count: failedIndexes, words: 'failed' },
          ]}
        />
      </td>
      <td class="number">
        {numberWords(succeeded)}
        <span class="muted">/{total === null ? '?' : numberWords(total)}</span>
      </td>
      <td class="number">{active === 0 ? <span class="faint">0</span> : numberWords(active)}</td>
      <td class="number" title={`${failedAttempts} attempts failed; ${failedIndexes} indexes are not retried`}>
        {failedIndexes === 0 ? (
          <span class={failedAttempts === 0 ? 'faint' : undefined}>{numberWords(failedAttempts)}</span>
        ) : (
          <strong class="bad">{numberWords(failedIndexes)}</strong>
        )}
      </td>
      <td class="number">
        {startedMs === null ? <span class="faint">–</span> : durationWords((endedMs ?? now) - startedMs)}
      </td>
      <td class="why" title={whyOf(row, wait)}>
        <div>
          <span>{whyOf(row, wait)}</span>
          <time
            class="muted"
            title={`${endedMs === null ? 'made' : 'ended'} ${momentWords(endedMs ?? row.createdMs, now)}`}
          >
            {roughWords(now - (endedMs ?? row.createdMs))} ago
          </time>
        </div>
      </td>
    </tr>
  );
}

function whyOf({ state, message, left, failedAttempts, failedIndexes }: JobRow, wait: string | null): string {
  if (state === 'quiet') return wait ?? '';
  if (state === 'running')
    return [
      ...(left > 0 ? [`${numberWords(left)} wait`] : []),
      ...(failedAttempts > failedIndexes
        ? [`${numberWords(failedAttempts)} ${failedAttempts === 1 ? 'attempt' : 'attempts'} failed`]
        : []),
    ].join(', ');
  return message;
}

/** Why those wait of which nothing runs: asked for the few that are on the screen. */
function useWaits(rows: readonly JobRow[]): ReadonlyMap<string, string> {
  const [known, setKnown] = useState<ReadonlyMap<string, string>>(new Map());
  const asked = rows.slice(0, WAITS_ASKED_MAX);
  const keys = asked.map(({ key }) => key).join();
  useEffect(() => {
    const mine = new AbortController();
    const load = async (): Promise<void> => {
      for (const { key, namespace, name } of asked) {
        try {
          const { summary } = await askJson<Waits>(ofJob(namespace, name, 'waits'), { signal: mine.signal });
          setKnown((before) => new Map(before).set(key, summary ?? ''));
        } catch {
          if (mine.signal.aborted) return; // another may be gone, or not to be seen
        }
      }
    };
    void load();
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void load();
    }, WAITS_EVERY_MS);
    return () => {
      clearInterval(timer);
      mine.abort();
    };
  }, [keys]);
  return known;
}
