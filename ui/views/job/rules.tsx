import type { JSX } from 'preact';
import type { Failures } from '../../model/answers.ts';
import { numberWords } from '../../model/job-row.ts';
import type { Job } from '../../model/objects.ts';
import { rulesOf } from '../../model/rules.ts';
import { visible } from '../../model/stream-lines.ts';
import { Section } from '../../parts/windowed.tsx';

/** The rules by which the Job ends, those that have decided something among them. */
export function Rules({ job, failures }: { readonly job: Job; readonly failures: Failures | null }): JSX.Element {
  return (
    <Section title="Rules">
      <dl class="rules">
        {rulesOf(job, failures).map(({ name, says, decided, endedJob }) => (
          <div key={name} class={endedJob || decided > 0 ? 'rule decided' : 'rule'}>
            <dt>{name}</dt>
            <dd>
              {visible(says)}
              {decided > 0 ? <strong> · decided about {numberWords(decided)}</strong> : null}
              {endedJob ? <strong> · ended the Job</strong> : null}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
