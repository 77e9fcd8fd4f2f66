import type { JSX } from 'preact';
import { useWatch } from '../api/hooks.ts';
import { LISTS } from '../api/paths.ts';
import { kubectlLine } from '../model/commands.ts';
import type { ResourceQuota } from '../model/objects.ts';
import { amountOf } from '../model/amounts.ts';
import { Bar } from '../parts/bar.tsx';
import { CommandLine } from '../parts/copy.tsx';
import { query, scope } from '../parts/location.ts';
import { Empty, WatchFault } from '../parts/states.tsx';
import { Section } from '../parts/windowed.tsx';

/** What namespaces may use, and what of it is used. */
export default function Quotas(): JSX.Element {
  const { objects, state } = useWatch<ResourceQuota>(LISTS.quotas(scope.value));
  const wanted = query.value.get('q') ?? '';
  const quotas = [...objects.values()].filter(({ metadata }) => metadata.name.includes(wanted));
  return (
    <>
      <header class="head">
        <h1>Quotas</h1>
      </header>
      <WatchFault state={state} what="quotas" />
      {quotas.length === 0 && state.kind === 'live' ? (
        <Empty title="No namespace has a quota.">
          <p>A quota bounds what the Jobs of a namespace use together:</p>
          <code class="block">kubectl create quota team --hard=requests.cpu=8,requests.memory=16Gi</code>
        </Empty>
      ) : null}
      {quotas.map((quota) => (
        <Quota key={`${quota.metadata.namespace}/${quota.metadata.name}`} quota={quota} />
      ))}
    </>
  );
}

function Quota({ quota: { metadata, status = {} } }: { readonly quota: ResourceQuota }): JSX.Element {
  const { hard = {}, used = {} } = status;
  return (
    <Section title={`${metadata.namespace}/${metadata.name}`}>
      <table class="quota">
        <thead>
          <tr>
            <th scope="col">Of what</th>
            <th scope="col">Share</th>
            <th scope="col" class="number">
              Used
            </th>
            <th scope="col" class="number">
              At most
            </th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(hard).map(([resource, most]) => {
            const [is, may] = [amountOf(used[resource] ?? '0'), amountOf(most)];
            const isFull = is >= may;
            return (
              <tr key={resource}>
                <td class="mono">{resource}</td>
                <td class="quota-bar">
                  <Bar
                    total={may}
                    parts={[{ colour: isFull ? 'failed' : 'running', count: Math.min(is, may), words: 'used' }]}
                  />
                </td>
                <td class={isFull ? 'number bad' : 'number'}>
                  {used[resource] ?? '0'}
                  {isFull ? ' (full)' : ''}
                </td>
                <td class="number">{most}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <CommandLine text={kubectlLine(metadata.namespace ?? '', 'describe', 'quota', metadata.name)} />
    </Section>
  );
}
