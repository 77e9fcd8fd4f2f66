import type { JSX } from 'preact';
import { useNow, useWatch } from '../api/hooks.ts';
import { LISTS } from '../api/paths.ts';
import { nextSlots } from '../model/month.ts';
import type { FurikoJob, JobConfig } from '../model/objects.ts';
import { pathOf } from '../model/route.ts';
import { momentWords, msOf, roughWords } from '../model/time-words.ts';
import { query, scope } from '../parts/location.ts';
import { Empty, WatchFault } from '../parts/states.tsx';
import { Section } from '../parts/windowed.tsx';

const KIND_LABEL = 'execution.furiko.io/job-config-name';

/** Furiko's JobConfigs, and the Jobs that they have made. */
export default function Furiko(): JSX.Element {
  const configs = useWatch<JobConfig>(LISTS.jobConfigs(scope.value));
  const jobs = useWatch<FurikoJob>(LISTS.furikoJobs(scope.value));
  const now = useNow(10_000);
  const wanted = query.value.get('q') ?? '';
  const shown = [...configs.objects.values()].filter(({ metadata }) => metadata.name.includes(wanted));
  const newest = [...jobs.objects.values()].toSorted(
    (a, b) => (msOf(b.metadata.creationTimestamp) ?? 0) - (msOf(a.metadata.creationTimestamp) ?? 0),
  );
  return (
    <>
      <header class="head">
        <h1>Furiko</h1>
      </header>
      <WatchFault state={configs.state} what="JobConfigs" />
      {configs.state.kind === 'live' && shown.length === 0 && newest.length === 0 ? (
        <Empty title="There are no JobConfigs.">
          <p>Muster runs Furiko’s Jobs and JobConfigs as they are: apply one, and it appears here.</p>
        </Empty>
      ) : null}
      {shown.length === 0 ? null : (
        <Section title="JobConfigs">
          <table>
            <thead>
              <tr>
                <th scope="col">JobConfig</th>
                <th scope="col">State</th>
                <th scope="col">Schedule</th>
                <th scope="col">Concurrency</th>
                <th scope="col" class="number">
                  Queued
                </th>
                <th scope="col" class="number">
                  Active
                </th>
                <th scope="col">Last slot</th>
                <th scope="col">Next slot</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((config) => {
                const { metadata, spec, status = {} } = config;
                const { slots, why } = nextSlots('JobConfig', config, now, 1);
                const { cron, disabled = false } = spec.schedule ?? {};
                const lastMs = msOf(status.lastScheduled);
                return (
                  <tr key={`${metadata.namespace}/${metadata.name}`}>
                    <td>
                      <span class="muted">{metadata.namespace}/</span>
                      <strong>{metadata.name}</strong>
                    </td>
                    <td>{status.state}</td>
                    <td class="mono">
                      {[
                        ...(cron?.expression === undefined ? [] : [cron.expression]),
                        ...(cron?.expressions ?? []),
                      ].join('; ') || '–'}
                      {cron?.timezone === undefined ? '' : ` ${cron.timezone}`}
                      {disabled ? ' (disabled)' : ''}
                    </td>
                    <td>
                      {spec.concurrency?.policy} {spec.concurrency?.maxConcurrency}
                    </td>
                    <td class="number">{status.queued ?? 0}</td>
                    <td class="number">{status.active ?? 0}</td>
                    <td>{lastMs === null ? <span class="muted">never</span> : `${roughWords(now - lastMs)} ago`}</td>
                    <td>
                      {slots.map((slot) => (
                        <time key={slot}>
                          {momentWords(slot, now)} <span class="muted">in {roughWords(slot - now)}</span>
                        </time>
                      ))}
                      <span class="muted">{why}</span>
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </Section>
      )}
      {newest.length === 0 ? null : (
        <Section title="Jobs">
          <table>
            <thead>
              <tr>
                <th scope="col">Job</th>
                <th scope="col">Phase</th>
                <th scope="col">JobConfig</th>
                <th scope="col" class="number">
                  Tasks
                </th>
                <th scope="col" class="number">
                  Running
                </th>
                <th scope="col">Made</th>
              </tr>
            </thead>
            <tbody>
              {newest.map(({ metadata, status = {} }) => {
                const { namespace = '', name } = metadata;
                return (
                  <tr key={`${namespace}/${name}`}>
                    <td>
                      <a href={pathOf({ view: 'job', namespace, name })}>
                        {namespace}/{name}
                      </a>
                    </td>
                    <td>{status.phase}</td>
                    <td>
                      {metadata.ownerReferences?.find(({ kind }) => kind === 'JobConfig')?.name ??
                        metadata.labels?.[KIND_LABEL] ??
                        ''}
                    </td>
                    <td class="number">{status.createdTasks ?? 0}</td>
                    <td class="number">{status.runningTasks ?? 0}</td>
                    <td>{roughWords(now - (msOf(metadata.creationTimestamp) ?? now))} ago</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </Section>
      )}
    </>
  );
}
