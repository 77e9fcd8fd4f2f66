import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { useAnswer, useNow, useWatch } from '../api/hooks.ts';
import { LISTS } from '../api/paths.ts';
import { cronActions } from '../model/actions.ts';
import { type JobRow, jobRowOf } from '../model/job-row.ts';
import {
  type CronDay,
  cronDay,
  daysOf,
  jobsBySlot,
  lastWarning,
  monthLater,
  monthOf,
  nextSlots,
} from '../model/month.ts';
import type { CronJob, Job, KubeEvent } from '../model/objects.ts';
import { pathOf, queryWith } from '../model/route.ts';
import { visible } from '../model/stream-lines.ts';
import { dayWords, momentWords, roughWords } from '../model/time-words.ts';
import { Actions } from '../parts/action-dialog.tsx';
import { query, scope, setQuery } from '../parts/location.ts';
import { Empty, WatchFault } from '../parts/states.tsx';
import { Section } from '../parts/windowed.tsx';
import { EventsOf } from './job/events-of.tsx';

const WEEK = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const SHOWN_MAX = 4;
const DAY_MAX = 60;

/** CronJobs: when they fire next, and a month of them, past and to come. */
export default function Schedules(): JSX.Element {
  const { objects, state } = useWatch<CronJob>(LISTS.cronJobs(scope.value));
  const jobs = useWatch<Job>(LISTS.jobs(scope.value));
  const now = useNow(5_000);
  const words = query.value;
  const wanted = words.get('q') ?? '';
  const month = /^\d{4}-\d\d$/.test(words.get('month') ?? '') ? (words.get('month') ?? '') : monthOf(new Date(now));
  const rows = useMemo(() => [...jobs.objects.values()].map(jobRowOf), [jobs.objects]);
  const crons = [...objects.values()]
    .filter(({ metadata }) => `${metadata.namespace}/${metadata.name}`.includes(wanted))
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const day = words.get('day');
  return (
    <>
      <header class="head">
        <h1>Schedules</h1>
        <div class="head-tools">
          <input
            type="search"
            class="filter"
            placeholder="Filter by name"
            aria-label="Filter schedules"
            value={wanted}
            onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
          />
        </div>
      </header>
      <WatchFault state={state} what="schedules" />
      {crons.length === 0 && state.kind === 'live' ? (
        <Empty title={objects.size === 0 ? 'There are no schedules yet.' : 'No schedule has this name.'}>
          <code class="block">muster run report --schedule '0 4 * * *' --image debian:12-slim -- ./report</code>
        </Empty>
      ) : null}
      {crons.length === 0 ? null : (
        <>
          <Crons crons={crons} rows={rows} now={now} />
          <Month month={month} crons={crons} rows={rows} now={now} chosen={day} />
          {day === null ? null : <Day day={day} crons={crons} rows={rows} now={now} />}
          {crons.length === 1
            ? crons.map(({ metadata }) => (
                <EventsOf
                  key={metadata.name}
                  namespace={metadata.namespace ?? ''}
                  kind="CronJob"
                  name={metadata.name}
                  version={String(Math.floor(now / 15_000))}
                />
              ))
            : null}
        </>
      )}
    </>
  );
}

type Shown = { readonly crons: readonly CronJob[]; readonly rows: readonly JobRow[]; readonly now: number };

const lastOf = (cron: CronJob, rows: readonly JobRow[]): JobRow | undefined =>
  [...jobsBySlot(cron.metadata.name, cron.metadata.namespace ?? '', rows).entries()].toSorted(
    ([a], [b]) => b - a,
  )[0]?.[1];

const TROUBLE = new URLSearchParams({ fieldSelector: 'involvedObject.kind=CronJob,type=Warning', limit: '500' });
const TROUBLE_EVERY_MS = 15_000;

function Crons({ crons, rows, now }: Shown): JSX.Element {
  const trouble = useAnswer<{ readonly items: readonly KubeEvent[] }>(
    `${LISTS.events(scope.value)}?${TROUBLE}`,
    String(Math.floor(now / TROUBLE_EVERY_MS)),
    TROUBLE_EVERY_MS,
  );
  return (
    <div class="table-frame">
      <table>
        <thead>
          <tr>
            <th scope="col">Schedule</th>
            <th scope="col">When</th>
            <th scope="col">If one still runs</th>
            <th scope="col">Last</th>
            <th scope="col">Next</th>
            <th scope="col">
              <span class="sr">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {crons.map((cron) => {
            const { metadata, spec } = cron;
            const last = lastOf(cron, rows);
            const { slots, why } = nextSlots('CronJob', cron, now, 1);
            const [next] = slots;
            const warning = lastWarning(
              trouble.value?.items ?? [],
              metadata.namespace ?? '',
              metadata.name,
              last?.createdMs ?? 0,
            );
            return (
              <tr key={`${metadata.namespace}/${metadata.name}`}>
                <td>
                  <a href={`/ui/schedules${queryWith(location.search, { q: metadata.name })}`}>
                    <span class="muted">{metadata.namespace}/</span>
                    {metadata.name}
                  </a>
                </td>
                <td>
                  <code class="nowrap">{spec.schedule}</code> <span class="muted">{spec.timeZone ?? 'UTC'}</span>
                </td>
                <td>
                  {
                    { Allow: 'runs beside it', Forbid: 'waits', Replace: 'replaces it' }[
                      spec.concurrencyPolicy ?? 'Allow'
                    ]
                  }
                </td>
                <td>
                  {last === undefined ? (
                    <span class="muted">no Job of it is kept</span>
                  ) : (
                    <a href={pathOf({ view: 'job', namespace: last.namespace, name: last.name })}>
                      {last.state === 'complete' ? 'complete' : last.state}{' '}
                      {roughWords(now - (last.endedMs ?? last.createdMs))} ago
                    </a>
                  )}
                  {warning === null ? null : (
                    <div class="bad trouble" title={warning.message}>
                      {warning.reason}: {visible(warning.message ?? '')}
                    </div>
                  )}
                </td>
                <td>
                  {next === undefined ? (
                    <span class={why === 'paused' ? 'muted' : 'bad'}>{why}</span>
                  ) : (
                    <time>
                      {momentWords(next, now)} <span class="muted">in {roughWords(next - now)}</span>
                    </time>
                  )}
                </td>
                <td>
                  <Actions actions={cronActions(cron)} subject={metadata.name} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

type MonthProps = Shown & { readonly month: string; readonly chosen: string | null };

function Month({ month, crons, rows, now, chosen }: MonthProps): JSX.Element {
  const known = useMemo(
    () => crons.map((cron) => ({ cron, jobs: jobsBySlot(cron.metadata.name, cron.metadata.namespace ?? '', rows) })),
    [crons, rows],
  );
  const today = dayWords(new Date(now));
  const name = new Date(`${month}-15T12:00:00`).toLocaleDateString('en', { month: 'long', year: 'numeric' });
  return (
    <Section
      title={name}
      aside={
        <>
          <button
            type="button"
            class="small"
            aria-label="The month before"
            onClick={() => setQuery({ month: monthLater(month, -1), day: null }, true)}
          >
            ‹
          </button>
          <button type="button" class="small" onClick={() => setQuery({ month: null, day: null }, true)}>
            Today
          </button>
          <button
            type="button"
            class="small"
            aria-label="The next month"
            onClick={() => setQuery({ month: monthLater(month, 1), day: null }, true)}
          >
            ›
          </button>
        </>
      }
    >
      <div class="month-frame" tabIndex={0} role="group" aria-label={name}>
        <div class="month">
          {WEEK.map((word) => (
            <div key={word} class="week-day">
              {word}
            </div>
          ))}
          {daysOf(month).map(({ day, isIn, fromMs, toMs }) => {
            const there = known.flatMap(({ cron, jobs }) => cronDay(cron, jobs, fromMs, toMs, now) ?? []);
            const kind = [
              'day',
              ...(isIn ? [] : ['out']),
              ...(day === today ? ['today'] : []),
              ...(day === chosen ? ['chosen'] : []),
            ].join(' ');
            return (
              <button
                key={day}
                type="button"
                class={kind}
                title={day}
                onClick={() => setQuery({ day: day === chosen ? null : day })}
              >
                <span class="day-number">{Number(day.slice(8))}</span>
                {there.slice(0, SHOWN_MAX).map((each) => (
                  <CronOnDay key={`${each.cron.metadata.namespace}/${each.cron.metadata.name}`} day={each} />
                ))}
                {there.length > SHOWN_MAX ? <span class="muted">{there.length - SHOWN_MAX} more</span> : null}
              </button>
            );
          })}
        </div>
      </div>
      <p class="muted month-legend">
        ✓ complete · × failed · ▸ runs · ◦ to come · ? without a Job: left out, or deleted since. Days by the clock of
        this machine.
      </p>
    </Section>
  );
}

const CronOnDay = ({ day }: { readonly day: CronDay }): JSX.Element => (
  <span class="cron-day">
    <span class="cron-name">{day.cron.metadata.name}</span>
    <span class="cron-counts">
      {day.complete > 0 ? <span class="ok">✓{day.complete}</span> : null}
      {day.failed > 0 ? <span class="bad">×{day.failed}</span> : null}
      {day.running > 0 ? <span>▸{day.running}</span> : null}
      {day.without > 0 ? <span class="muted">?{day.without}</span> : null}
      {day.coming.length > 0 ? (
        <span class="muted">
          ◦{day.coming.length}
          {day.more ? '+' : ''}
        </span>
      ) : null}
    </span>
  </span>
);

function Day({ day, crons, rows, now }: Shown & { readonly day: string }): JSX.Element | null {
  const at = daysOf(day.slice(0, 7)).find((each) => each.day === day);
  if (at === undefined) return null;
  const lines = crons.flatMap((cron) => {
    const jobs = jobsBySlot(cron.metadata.name, cron.metadata.namespace ?? '', rows);
    const coming = cronDay(cron, jobs, at.fromMs, at.toMs, now)?.coming ?? [];
    const made = [...jobs].filter(([slot]) => slot >= at.fromMs && slot < at.toMs);
    return [...made.map(([slot, row]) => ({ slot, cron, row })), ...coming.map((slot) => ({ slot, cron, row: null }))];
  });
  return (
    <Section title={day}>
      {lines.length === 0 ? <p class="muted">Nothing is left of this day, and nothing is to come.</p> : null}
      <table class="events">
        <tbody>
          {lines
            .toSorted((a, b) => a.slot - b.slot)
            .slice(0, DAY_MAX)
            .map(({ slot, cron, row }) => (
              <tr key={`${cron.metadata.namespace}/${cron.metadata.name}${slot}`}>
                <td class="number">{new Date(slot).toTimeString().slice(0, 5)}</td>
                <td>
                  {cron.metadata.namespace}/{cron.metadata.name}
                </td>
                <td>
                  {row === null ? (
                    <span class="muted">to come</span>
                  ) : (
                    <a href={pathOf({ view: 'job', namespace: row.namespace, name: row.name })}>{row.state}</a>
                  )}
                </td>
              </tr>
            ))}
        </tbody>
      </table>
      {lines.length > DAY_MAX ? <p class="muted">and {lines.length - DAY_MAX} more</p> : null}
    </Section>
  );
}
