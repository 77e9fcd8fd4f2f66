import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAnswer, useNow } from '../api/hooks.ts';
import type { Diagnosis, Finding } from '../model/answers.ts';
import { pathOf } from '../model/route.ts';
import { visible } from '../model/stream-lines.ts';
import { msOf, roughWords } from '../model/time-words.ts';
import { CommandLine } from '../parts/copy.tsx';
import { scope } from '../parts/location.ts';
import { Empty, Fault } from '../parts/states.tsx';
import { Section } from '../parts/windowed.tsx';

const ORDER = ['error', 'warning', 'info'];
const WORDS: Readonly<Record<string, string>> = { error: 'Error', warning: 'Warning', info: 'Note' };

/** What is out of order, and what to do about it: as `muster doctor` says it. */
export default function Doctor(): JSX.Element {
  const [round, setRound] = useState(0);
  const jobsPath = `/muster/v1${scope.value === null ? '' : `/namespaces/${encodeURIComponent(scope.value)}`}/jobs/diagnosis`;
  const installation = useAnswer<Diagnosis>('/muster/v1/diagnosis', String(round), 0);
  const jobs = useAnswer<Diagnosis>(jobsPath, String(round), 0);
  const now = useNow(10_000);
  const all = [...(installation.value?.findings ?? []), ...(jobs.value?.findings ?? [])];
  const findings = all.toSorted((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
  // Who looks at one namespace may not be allowed to look at the installation.
  const isHidden = scope.value !== null && installation.error?.code === 403;
  const isRead = (installation.value !== null || isHidden) && jobs.value !== null;
  const folder = installation.value?.dataFolder;
  const letters = installation.value?.deadLetters ?? [];
  const asOfMs = msOf(jobs.value?.asOf);
  return (
    <>
      <header class="head">
        <h1>Doctor</h1>
        <div class="head-tools">
          {asOfMs === null ? null : <span class="muted">looked {roughWords(now - asOfMs)} ago</span>}
          <button type="button" onClick={() => setRound(round + 1)}>
            Look again
          </button>
        </div>
      </header>
      {(isHidden ? [jobs] : [installation, jobs]).map(({ error }, nth) =>
        error === null ? null : <Fault key={nth} title="It cannot be looked at." why={error.why} />,
      )}
      {!isRead && (isHidden || installation.error === null) && jobs.error === null ? (
        <p class="loading">Looking…</p>
      ) : null}
      {isRead && findings.length === 0 ? <Empty title="Nothing is out of order, and nothing waits." /> : null}
      {findings.length === 0 ? null : (
        <div class="table-frame">
          <table class="findings">
            <thead>
              <tr>
                <th scope="col">Severity</th>
                <th scope="col">About</th>
                <th scope="col">Finding</th>
                <th scope="col">What to do</th>
              </tr>
            </thead>
            <tbody>
              {findings.map((finding) => (
                <Row key={`${finding.subject}${finding.kind}${finding.what}`} finding={finding} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {letters.length === 0 ? null : (
        <Section title="Messages that nobody could process">
          <table>
            <tbody>
              {letters.map(({ id, queue, job, reason, filedAt }) => (
                <tr key={id}>
                  <td>{queue}</td>
                  <td>{job}</td>
                  <td>{visible(reason)}</td>
                  <td class="muted">{filedAt}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Section>
      )}
      {folder === undefined ? null : (
        <Section title="Data folder">
          <dl class="pairs">
            <dt>path</dt>
            <dd class="mono">{folder.path}</dd>
            <dt>size</dt>
            <dd>{(folder.bytes / 1_048_576).toFixed(1)} MiB</dd>
            <dt>Jobs</dt>
            <dd>{folder.jobs}</dd>
          </dl>
        </Section>
      )}
      <CommandLine text="muster doctor" />
    </>
  );
}

function Row({ finding }: { readonly finding: Finding }): JSX.Element {
  const { severity, subject, what, remedy, kind } = finding;
  const [type, namespace, name] = subject.split('/');
  return (
    <tr>
      <td>
        <span class={`severity severity-${severity}`}>{WORDS[severity] ?? severity}</span>
      </td>
      <td>
        {type === 'job' && namespace !== undefined && name !== undefined ? (
          <a href={pathOf({ view: 'job', namespace, name })}>
            {namespace}/{name}
          </a>
        ) : (
          subject
        )}
      </td>
      <td>
        <span class="muted">{kind}</span> {visible(what)}
      </td>
      <td>{visible(remedy)}</td>
    </tr>
  );
}
