import type { JSX } from 'preact';
import { GENERATED_LABELS } from '../../model/copies.ts';
import { kubectlLine } from '../../model/commands.ts';
import type { Job } from '../../model/objects.ts';
import { visible } from '../../model/stream-lines.ts';
import { CommandLine } from '../../parts/copy.tsx';
import { Section } from '../../parts/windowed.tsx';

/** What its tasks run, and the whole as the server has it. */
export function Manifest({ job }: { readonly job: Job }): JSX.Element {
  const { metadata, spec } = job;
  const { managedFields: _fields, ...shown } = metadata as Job['metadata'] & { readonly managedFields?: unknown };
  const labels = Object.entries(metadata.labels ?? {}).filter(([key]) => !GENERATED_LABELS.has(key));
  return (
    <Section title="What it runs">
      {spec.template.spec.containers.map(({ name, image, command = [], args = [], resources }) => (
        <dl key={name} class="pairs">
          <dt>container</dt>
          <dd>{name}</dd>
          <dt>image</dt>
          <dd class="mono">{image}</dd>
          <dt>command</dt>
          <dd>
            <pre class="command-words">{visible([...command, ...args].join(' ')) || 'the image’s'}</pre>
          </dd>
          <dt>requests</dt>
          <dd>
            {Object.entries(resources?.requests ?? {})
              .map(([key, value]) => `${key} ${value}`)
              .join(', ') || 'none'}
          </dd>
        </dl>
      ))}
      {labels.length === 0 ? null : (
        <p class="labels">
          {labels.map(([key, value]) => (
            <a key={key} class="label" href={`/ui/?q=${encodeURIComponent(`${key}=${value}`)}`}>
              {key}={value}
            </a>
          ))}
        </p>
      )}
      <details>
        <summary>Manifest</summary>
        <pre class="manifest">{JSON.stringify({ ...job, metadata: shown }, null, 2)}</pre>
        <CommandLine text={kubectlLine(metadata.namespace ?? '', 'get', 'job', metadata.name, '-o', 'yaml')} />
      </details>
    </Section>
  );
}
