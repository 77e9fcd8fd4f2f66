import type { JSX } from 'preact';
import { useAnswer, useSeen } from '../../api/hooks.ts';
import { ofJob } from '../../api/paths.ts';
import type { Durations, SampleSize, Summary, Timeline } from '../../model/answers.ts';
import { type Column, placeColumns, totalOf } from '../../model/chart.ts';
import { numberWords } from '../../model/job-row.ts';
import { durationWords, momentWords, msOf } from '../../model/time-words.ts';
import { Fault } from '../../parts/states.tsx';
import { Section } from '../../parts/windowed.tsx';

const EVERY_MS = 10_000;
/** Of more indexes, times are a sample: in fine steps the gaps between its pieces would look like pauses of the Job. */
const WHOLE_MAX_INDEXES = 4_096;
const SIZE = { width: 600, height: 84 } as const;

type TimesProps = {
  readonly namespace: string;
  readonly name: string;
  readonly version: string;
  readonly total: number;
  readonly now: number;
};

/** When attempts began and ended, and how long they took. */
export function Times({ namespace, name, version, total, now }: TimesProps): JSX.Element {
  const [ref, isSeen] = useSeen<HTMLElement>();
  const path = (what: string): string | null => (isSeen ? ofJob(namespace, name, what) : null);
  const timeline = useAnswer<Timeline>(
    path(`timeline?buckets=${total > WHOLE_MAX_INDEXES ? 30 : 100}`),
    version,
    EVERY_MS,
  );
  const durations = useAnswer<Durations>(path('durations'), version, EVERY_MS);
  const fault = timeline.error ?? durations.error;
  const sample = durations.value?.sample;
  return (
    <Section title="Times" seen={ref} aside={sample === undefined ? undefined : <SampleWords sample={sample} />}>
      {fault === null ? null : <Fault title="The times cannot be read." why={fault.why} />}
      {sample === undefined && fault === null ? <p class="loading">Reading the times…</p> : null}
      {sample?.attempts === 0 ? <p class="muted">No attempt has ended yet.</p> : null}
      {timeline.value === null || sample?.attempts === 0 ? null : <Line timeline={timeline.value} now={now} />}
      {durations.value === null || durations.value.histogram.length === 0 ? null : (
        <Lengths durations={durations.value} />
      )}
    </Section>
  );
}

const SampleWords = ({ sample }: { readonly sample: SampleSize }): JSX.Element => (
  <span class="muted">
    {sample.complete
      ? `${numberWords(sample.attempts)} attempts`
      : `a sample: ${numberWords(sample.attempts)} attempts of ${numberWords(sample.indexes)} of ${numberWords(sample.ofIndexes)} indexes`}
  </span>
);

function Line({ timeline: { buckets }, now }: { readonly timeline: Timeline; readonly now: number }): JSX.Element {
  const columns = buckets.map(({ from, to, ended, failed, started }) => ({
    title: `${momentWords(msOf(from) ?? 0, now)} to ${momentWords(msOf(to) ?? 0, now)}: ${started} started, ${ended - failed} ended well, ${failed} failed`,
    parts: [
      { colour: 'succeeded', count: ended - failed },
      { colour: 'failed', count: failed },
    ],
  }));
  const [first, last] = [msOf(buckets[0]?.from), msOf(buckets.at(-1)?.to)];
  return (
    <figure class="chart">
      <figcaption>
        Ended, by time <span class="swatch cell-succeeded" aria-hidden="true" /> well{' '}
        <span class="swatch cell-failed" aria-hidden="true" /> failed
      </figcaption>
      <Columns columns={columns} label="Attempts that ended, by time" />
      <div class="chart-ends">
        <time>{first === null ? '' : momentWords(first, now)}</time>
        <time>{last === null ? '' : momentWords(last, now)}</time>
      </div>
    </figure>
  );
}

const secWords = (sec: number): string => durationWords(sec * 1_000);

function Lengths({ durations }: { readonly durations: Durations }): JSX.Element {
  const { histogram, runSeconds, startSeconds } = durations;
  const columns = histogram.map(({ from, to, succeeded, failed, other }) => ({
    title: `${secWords(from)} to ${secWords(to)}: ${succeeded} succeeded, ${failed} failed, ${other} ended otherwise`,
    parts: [
      { colour: 'succeeded', count: succeeded },
      { colour: 'failed', count: failed },
      { colour: 'stopping', count: other },
    ],
  }));
  const rows = [
    ['succeeded', runSeconds.succeeded],
    ['failed', runSeconds.failed],
    ['ended otherwise', runSeconds.other],
    ['until it started', startSeconds],
  ] as const;
  return (
    <>
      <figure class="chart">
        <figcaption>
          How long they ran, and how many so long: {numberWords(Math.max(...columns.map(totalOf)))} at most
        </figcaption>
        <Columns columns={columns} label="Attempts by how long they ran" />
        <div class="chart-ends">
          <span>{secWords(histogram[0]?.from ?? 0)}</span>
          <span>{secWords(histogram.at(-1)?.to ?? 0)}</span>
        </div>
      </figure>
      <div class="wide">
        <table class="percentiles">
          <thead>
            <tr>
              <th scope="col">Time</th>
              {['attempts', 'shortest', 'half within', '95 % within', 'longest', 'mean'].map((words) => (
                <th key={words} scope="col" class="number">
                  {words}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([words, summary]) =>
              summary === null ? null : <Percentiles key={words} words={words} summary={summary} />,
            )}
          </tbody>
        </table>
      </div>
    </>
  );
}

const Percentiles = ({ words, summary }: { readonly words: string; readonly summary: Summary }): JSX.Element => (
  <tr>
    <th scope="row">{words}</th>
    <td class="number">{numberWords(summary.count)}</td>
    {[summary.min, summary.p50, summary.p95, summary.max, summary.mean].map((sec, nth) => (
      <td key={nth} class="number">
        {secWords(sec)}
      </td>
    ))}
  </tr>
);

type ColumnsProps = { readonly columns: readonly Column[]; readonly label: string };

function Columns({ columns, label }: ColumnsProps): JSX.Element {
  const { width, height } = SIZE;
  const placed = placeColumns(columns, width, height);
  return (
    <svg
      class="columns-chart"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {placed.map((rects, nth) => (
        <g key={nth}>
          <title>{columns[nth]?.title}</title>
          <rect
            class="column-whole"
            x={(nth * width) / placed.length}
            y="0"
            width={width / placed.length}
            height={height}
          />
          {rects.map(({ colour, ...rect }) => (
            <rect key={colour} {...rect} class={`fill-${colour}`} />
          ))}
        </g>
      ))}
    </svg>
  );
}
