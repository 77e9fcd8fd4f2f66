import type { JSX } from 'preact';
import { useAnswer, useNow, useWatch } from '../api/hooks.ts';
import { LISTS, ofJob } from '../api/paths.ts';
import type { Attempts } from '../model/answers.ts';
import { type Action, indexActions } from '../model/actions.ts';
import { type Try, triesOf } from '../model/tries.ts';
import { jobRowOf } from '../model/job-row.ts';
import type { Job, Pod } from '../model/objects.ts';
import { type Place, pathOf } from '../model/route.ts';
import { visible } from '../model/stream-lines.ts';
import { durationWords, momentWords } from '../model/time-words.ts';
import { Actions } from '../parts/action-dialog.tsx';
import { Empty, Fault, WatchFault } from '../parts/states.tsx';
import { Section } from '../parts/windowed.tsx';
import { EventsOf } from './job/events-of.tsx';
import { Log } from './job/log.tsx';

const ATTEMPTS_EVERY_MS = 1_500;

/** One index: its attempts, and of one of them the log, the verdict, and the events. */
export default function IndexView({ place }: { readonly place: Place }): JSX.Element | null {
  if (place.view !== 'index') return null;
  const { namespace, name, index, attempt } = place;
  return (
    <OneIndex key={`${namespace}/${name}/${index}`} namespace={namespace} name={name} index={index} attempt={attempt} />
  );
}

type IndexProps = {
  readonly namespace: string;
  readonly name: string;
  readonly index: number;
  readonly attempt: number | null;
};

function OneIndex({ namespace, name, index, attempt }: IndexProps): JSX.Element {
  const pods = useWatch<Pod>(LISTS.pods(namespace), {
    labelSelector: `batch.kubernetes.io/job-name=${name},batch.kubernetes.io/job-completion-index=${index}`,
  });
  const version = [...pods.objects.values()].map(({ metadata }) => metadata.resourceVersion).join();
  const ended = useAnswer<Attempts>(
    ofJob(namespace, name, `attempts?which=all&indexes=${index}`),
    version,
    ATTEMPTS_EVERY_MS,
  );
  const job = useAnswer<Job>(`${LISTS.jobs(namespace)}/${encodeURIComponent(name)}`, version, ATTEMPTS_EVERY_MS);
  const tries = triesOf(ended.value?.items ?? [], [...pods.objects.values()]);
  const newest = tries.at(-1);
  const shown = tries.find((each) => each.attempt === attempt) ?? (attempt === null ? newest : undefined);
  const row = job.value === null ? null : jobRowOf(job.value);
  const total = row?.total ?? null;
  const item = tries.find((each) => each.item !== null)?.item ?? null;
  return (
    <>
      <p class="crumbs">
        <a href="/ui/">Jobs</a> <span aria-hidden="true">›</span>{' '}
        <a href={`/ui/?ns=${encodeURIComponent(namespace)}`}>{namespace}</a> <span aria-hidden="true">›</span>{' '}
        <a href={pathOf({ view: 'job', namespace, name })}>{name}</a>
      </p>
      <header class="head">
        <h1>
          <span class="mono">{name}</span> index {index}
        </h1>
        {newest === undefined ? null : (
          <span>
            <span class={`swatch cell-${newest.colour}`} aria-hidden="true" /> {newest.state}
          </span>
        )}
        <nav class="steps" aria-label="Neighbours">
          {index > 0 ? (
            <a href={pathOf({ view: 'index', namespace, name, index: index - 1, attempt: null })}>‹ {index - 1}</a>
          ) : null}
          {total === null || index + 1 < total ? (
            <a href={pathOf({ view: 'index', namespace, name, index: index + 1, attempt: null })}>{index + 1} ›</a>
          ) : null}
        </nav>
        {row === null || row.isOver ? null : (
          <Actions subject={`${name} ${index}`} actions={indexActions(row, String(index)).map(ofOne)} />
        )}
      </header>
      {item === null ? null : (
        <p class="item">
          <span class="muted">item</span> <code>{visible(item)}</code>
        </p>
      )}
      <WatchFault state={pods.state.kind === 'loading' ? { kind: 'live' } : pods.state} what="Pods" />
      {ended.error === null ? null : <Fault title="Its attempts cannot be read." why={ended.error.why} />}
      {tries.length === 0 && ended.value !== null && pods.state.kind === 'live' ? (
        <Empty title="It has had no attempt yet.">
          <p>
            <a href={pathOf({ view: 'job', namespace, name })}>Why the Job waits</a>
          </p>
        </Empty>
      ) : null}
      {tries.length === 0 ? null : (
        <Tries namespace={namespace} name={name} index={index} tries={tries} shown={shown ?? null} />
      )}
      {attempt !== null && shown === undefined && ended.value !== null ? (
        <Empty title={`There is no attempt ${attempt} of it.`} />
      ) : null}
      {shown === undefined ? null : (
        <>
          <Log key={shown.pod} namespace={namespace} job={name} index={index} shown={shown} />
          <EventsOf namespace={namespace} kind="Pod" name={shown.pod} version={version} />
        </>
      )}
    </>
  );
}

/** Nothing is asked for: the index is known. */
const ofOne = ({ asks: _asks, ...action }: Action): Action => ({
  ...action,
  label: action.label.replace(' indexes', ''),
});

type TriesProps = {
  readonly namespace: string;
  readonly name: string;
  readonly index: number;
  readonly tries: readonly Try[];
  readonly shown: Try | null;
};

function Tries({ namespace, name, index, tries, shown }: TriesProps): JSX.Element {
  const now = useNow(1_000);
  return (
    <Section title="Attempts">
      <div class="table-frame">
        <table>
          <thead>
            <tr>
              <th scope="col" class="number">
                Attempt
              </th>
              <th scope="col">State</th>
              <th scope="col">Verdict</th>
              <th scope="col" class="number">
                Exit code
              </th>
              <th scope="col">Started</th>
              <th scope="col" class="number">
                Ran for
              </th>
              <th scope="col">Pod</th>
            </tr>
          </thead>
          <tbody>
            {tries.map((each) => (
              <tr key={each.attempt} class={each === shown ? 'chosen' : undefined}>
                <td class="number">
                  <a
                    href={pathOf({ view: 'index', namespace, name, index, attempt: each.attempt })}
                    aria-current={each === shown ? 'true' : undefined}
                  >
                    {each.attempt}
                  </a>
                </td>
                <td>
                  <span class={`swatch cell-${each.colour}`} aria-hidden="true" /> {each.state}
                </td>
                <td>{visible(each.verdict)}</td>
                <td class="number">{each.exitCode ?? ''}</td>
                <td>{each.startedMs === null ? '' : momentWords(each.startedMs, now)}</td>
                <td class="number">
                  {each.startedMs === null
                    ? ''
                    : durationWords((each.stoppedMs ?? (each.isLive ? now : each.startedMs)) - each.startedMs)}
                </td>
                <td class="mono muted">{each.pod}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
