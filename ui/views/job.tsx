import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useAnswer, useNow, useWatch } from '../api/hooks.ts';
import { LISTS, ofJob } from '../api/paths.ts';
import type { Failures, Progress } from '../model/answers.ts';
import { actionsOf, indexActions } from '../model/actions.ts';
import { type JobRow, jobRowOf, numberWords } from '../model/job-row.ts';
import type { Job } from '../model/objects.ts';
import { type Sample, paceWords, pacePerSec, withSample } from '../model/pace.ts';
import type { Place } from '../model/route.ts';
import { durationWords, momentWords, msOf, roughWords } from '../model/time-words.ts';
import { Actions } from '../parts/action-dialog.tsx';
import { Badge } from '../parts/badge.tsx';
import { Bar } from '../parts/bar.tsx';
import { Empty, Fault, WatchFault } from '../parts/states.tsx';
import { Section } from '../parts/windowed.tsx';
import { CellsOfJob } from './job/cells-of-job.tsx';
import { EventsOf } from './job/events-of.tsx';
import { FailureGroups } from './job/failure-groups.tsx';
import { Manifest } from './job/manifest.tsx';
import { Rules } from './job/rules.tsx';
import { Times } from './job/times.tsx';

const PROGRESS_EVERY_MS = 1_000;
const FAILURES_EVERY_MS = 3_000;

/** One Job: what its indexes do, why they wait, how they failed, by which rules, and what can be done. */
export default function JobView({ place }: { readonly place: Place }): JSX.Element | null {
  if (place.view !== 'job') return null;
  const { namespace, name } = place;
  return <OneJob key={`${namespace}/${name}`} namespace={namespace} name={name} />;
}

function OneJob({ namespace, name }: { readonly namespace: string; readonly name: string }): JSX.Element {
  const { objects, state } = useWatch<Job>(LISTS.jobs(namespace), { fieldSelector: `metadata.name=${name}` });
  const job = objects.get(`${namespace}/${name}`);
  const row = useMemo(() => (job === undefined ? null : jobRowOf(job)), [job]);
  const version = job?.metadata.resourceVersion ?? '';
  const progress = useAnswer<Progress>(
    job === undefined ? null : ofJob(namespace, name, 'progress'),
    version,
    PROGRESS_EVERY_MS,
  );
  const now = useNow(30_000);
  const hasFailed = (row?.failedAttempts ?? 0) > 0;
  const failures = useAnswer<Failures>(
    hasFailed ? ofJob(namespace, name, 'failures') : null,
    `${row?.failedAttempts} ${row?.state}`,
    FAILURES_EVERY_MS,
  );
  return (
    <>
      <p class="crumbs">
        <a href="/ui/">Jobs</a> <span aria-hidden="true">›</span>{' '}
        <a href={`/ui/?ns=${encodeURIComponent(namespace)}`}>{namespace}</a>
      </p>
      <header class="head">
        <h1 class="mono">{name}</h1>
        {row === null ? null : <Badge state={row.state} />}
        {job === undefined || row === null ? null : <Actions actions={actionsOf(job, row)} subject={name} />}
      </header>
      <WatchFault state={state} what={`the Job ${name}`} />
      {job === undefined || row === null ? (
        state.kind === 'live' ? (
          <Empty title={`There is no Job ${name} in ${namespace}.`}>
            <p>
              It was deleted, or never was. <a href="/ui/">All Jobs</a>
            </p>
          </Empty>
        ) : null
      ) : (
        <>
          <Summary row={row} progress={progress.value} />
          {progress.error === null ? null : <Fault title="Its progress cannot be read." why={progress.error.why} />}
          {job.spec.completionMode === 'Indexed' ? (
            <Section
              title="Indexes"
              aside={row.isOver ? undefined : <Actions actions={indexActions(row, '')} subject={name} />}
            >
              <CellsOfJob namespace={namespace} name={name} version={version} />
            </Section>
          ) : null}
          <div class="columns">
            <div class="column-wide">
              <FailureGroups namespace={namespace} name={name} hasFailed={hasFailed} answer={failures} />
              <Times namespace={namespace} name={name} version={version} total={row.total ?? 1} now={now} />
              <EventsOf namespace={namespace} kind="Job" name={name} version={version} />
            </div>
            <div class="column-narrow">
              <WaitsOf progress={progress.value} />
              <Rules job={job} failures={failures.value} />
              <Manifest job={job} />
            </div>
          </div>
        </>
      )}
    </>
  );
}

function Summary({ row, progress }: { readonly row: JobRow; readonly progress: Progress | null }): JSX.Element {
  const now = useNow(1_000);
  const samples = useSamples(progress);
  const counts = progress?.counts;
  const total = row.total ?? Math.max(row.succeeded + row.active, 1);
  const perSec = row.isOver ? null : pacePerSec(samples);
  const left = total - row.succeeded - row.failedIndexes;
  const { startedMs, endedMs } = row;
  return (
    <div class="summary">
      <Bar
        total={total}
        parts={[
          { colour: 'succeeded', count: counts?.succeeded ?? row.succeeded, words: 'succeeded' },
          {
            colour: 'running',
            count: counts === undefined ? row.active : counts.running + counts.starting,
            words: 'active',
          },
          { colour: 'retrying', count: counts?.retrying ?? 0, words: 'to be tried again' },
          { colour: 'failed', count: counts?.failed ?? row.failedIndexes, words: 'failed' },
          { colour: 'held', count: counts?.held ?? 0, words: 'held' },
        ]}
      />
      <dl class="figures">
        <Figure
          words="succeeded"
          value={`${numberWords(row.succeeded)} of ${row.total === null ? '1 or more' : numberWords(total)}`}
        />
        <Figure words="active" value={numberWords(row.active)} />
        <Figure
          words="failed"
          value={numberWords(counts?.failed ?? row.failedIndexes)}
          isBad={(counts?.failed ?? row.failedIndexes) > 0}
        />
        <Figure words="failed attempts" value={numberWords(row.failedAttempts)} />
        {counts === undefined || counts.retrying === 0 ? null : (
          <Figure words="to be tried again" value={numberWords(counts.retrying)} />
        )}
        {counts === undefined || counts.held === 0 ? null : <Figure words="held" value={numberWords(counts.held)} />}
        {startedMs === null ? null : (
          <Figure words={endedMs === null ? 'runs for' : 'took'} value={durationWords((endedMs ?? now) - startedMs)} />
        )}
        {perSec === null ? null : <Figure words="succeed" value={paceWords(perSec)} />}
        {perSec === null || perSec === 0 || left <= 0 ? null : (
          <Figure words="left at this pace" value={`about ${durationWords((left * 1_000) / perSec)}`} />
        )}
        {startedMs === null ? null : <Figure words="started" value={momentWords(startedMs, now)} />}
        {endedMs === null ? null : (
          <Figure words="ended" value={`${momentWords(endedMs, now)}, ${roughWords(now - endedMs)} ago`} />
        )}
      </dl>
      {row.message === '' ? null : <p class={row.state === 'failed' ? 'verdict bad' : 'verdict'}>{row.message}</p>}
    </div>
  );
}

const Figure = ({
  words,
  value,
  isBad = false,
}: {
  readonly words: string;
  readonly value: string;
  readonly isBad?: boolean;
}): JSX.Element => (
  <div class="figure">
    <dt>{words}</dt>
    <dd class={isBad ? 'bad' : undefined}>{value}</dd>
  </div>
);

function useSamples(progress: Progress | null): readonly Sample[] {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  useEffect(() => {
    const atMs = msOf(progress?.asOf);
    if (progress !== null && atMs !== null)
      setSamples((before) => withSample(before, { atMs, done: progress.counts.succeeded }));
  }, [progress]);
  return samples;
}

function WaitsOf({ progress }: { readonly progress: Progress | null }): JSX.Element | null {
  const waits = progress?.waits.waits ?? [];
  if (waits.length === 0) return null;
  return (
    <Section title="Why it waits">
      <ul class="waits">
        {waits.map(({ cause, count, message, etaSeconds, nextTrySeconds }) => (
          <li key={`${cause}${message}`}>
            <strong class="number">{numberWords(count)}</strong>
            <span>
              {message}
              <span class="muted">
                {etaSeconds === null ? '' : ` · about ${durationWords(etaSeconds * 1_000)}`}
                {nextTrySeconds === null || nextTrySeconds === etaSeconds
                  ? ''
                  : ` · next try in ${durationWords(nextTrySeconds * 1_000)}`}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
