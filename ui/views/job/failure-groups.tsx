import type { JSX } from 'preact';
import type { Answer } from '../../api/hooks.ts';
import type { FailureGroup, Failures } from '../../model/answers.ts';
import { musterLine } from '../../model/commands.ts';
import { numberWords } from '../../model/job-row.ts';
import { pathOf } from '../../model/route.ts';
import { visible } from '../../model/stream-lines.ts';
import { CommandLine } from '../../parts/copy.tsx';
import { Fault } from '../../parts/states.tsx';
import { Section } from '../../parts/windowed.tsx';

type Groups = {
  readonly namespace: string;
  readonly name: string;
  readonly hasFailed: boolean;
  readonly answer: Answer<Failures>;
};

/** What failed, by how it failed: the causes first, then what only fell with the Job. */
export function FailureGroups({ namespace, name, hasFailed, answer }: Groups): JSX.Element {
  const { value, error } = answer;
  const groups = (value?.groups ?? []).toSorted(
    (a, b) => Number(a.stoppedWithJob) - Number(b.stoppedWithJob) || b.count - a.count,
  );
  return (
    <Section
      title="Failures"
      aside={value?.more === true ? <span class="muted">the newest; there are more</span> : undefined}
    >
      {error === null ? null : <Fault title="The failures cannot be read." why={error.why} />}
      {!hasFailed ? <p class="muted">No attempt has failed.</p> : null}
      {hasFailed && value === null && error === null ? <p class="loading">Reading the failures…</p> : null}
      {groups.map((group) => (
        <Group key={`${group.cause}${group.verdict}`} group={group} namespace={namespace} name={name} />
      ))}
    </Section>
  );
}

function Group({
  group,
  namespace,
  name,
}: {
  readonly group: FailureGroup;
  readonly namespace: string;
  readonly name: string;
}): JSX.Element {
  const { example, indexes, items = [] } = group;
  const { index } = example;
  return (
    <article class="failure">
      <header>
        <strong class="bad">{group.cause}</strong>
        <span class="muted">
          {numberWords(group.count)} {indexes === undefined ? 'Pods' : group.count === 1 ? 'index' : 'indexes'}
          {group.stoppedWithJob ? ', stopped when the Job failed' : ''}
        </span>
      </header>
      <dl class="pairs">
        <dt>judged</dt>
        <dd>{group.verdict}</dd>
        {indexes === undefined ? null : (
          <>
            <dt>indexes</dt>
            <dd class="mono clip" title={indexes}>
              {indexes}
            </dd>
          </>
        )}
        {items.length === 0 ? null : (
          <>
            <dt>items</dt>
            <dd class="clip">{items.map(visible).join(', ')}</dd>
          </>
        )}
        <dt>for example</dt>
        <dd>
          {index === undefined ? (
            <span class="mono">{example.pod}</span>
          ) : (
            <a href={pathOf({ view: 'index', namespace, name, index, attempt: example.attempt })}>
              index {index}, attempt {example.attempt}
            </a>
          )}
        </dd>
      </dl>
      {example.log.length === 0 ? null : <pre class="log-tail">{example.log.map(visible).join('\n')}</pre>}
      {index === undefined ? null : (
        <CommandLine
          text={musterLine(namespace, 'logs', name, '--index', String(index), '--attempt', String(example.attempt))}
        />
      )}
    </article>
  );
}
