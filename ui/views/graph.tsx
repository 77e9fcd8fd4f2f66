import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { useWatch } from '../api/hooks.ts';
import { LISTS } from '../api/paths.ts';
import { musterLine } from '../model/commands.ts';
import { numberWords } from '../model/job-row.ts';
import type { Job } from '../model/objects.ts';
import { BOX, type PlacedGraph, placeGraph } from '../model/place-graph.ts';
import { pathOf } from '../model/route.ts';
import { Badge } from '../parts/badge.tsx';
import { Bar } from '../parts/bar.tsx';
import { CommandLine } from '../parts/copy.tsx';
import { scope } from '../parts/location.ts';
import { Empty, WatchFault } from '../parts/states.tsx';
import { Section } from '../parts/windowed.tsx';

/** Which Jobs wait for which, live. */
export default function Graph(): JSX.Element {
  const { objects, state } = useWatch<Job>(LISTS.jobs(scope.value));
  const graphs = useMemo(() => {
    const jobs = [...objects.values()];
    const namespaces = [...new Set(jobs.map(({ metadata }) => metadata.namespace ?? ''))].toSorted();
    return namespaces.flatMap((namespace) => {
      const graph = placeGraph(jobs.filter(({ metadata }) => metadata.namespace === namespace));
      return graph === null ? [] : [{ namespace, graph }];
    });
  }, [objects]);
  return (
    <>
      <header class="head">
        <h1>Graph</h1>
        <span class="muted">Jobs that wait for each other, from left to right</span>
      </header>
      <WatchFault state={state} what="Jobs" />
      {graphs.length === 0 && state.kind === 'live' ? (
        <Empty title="No Job waits for another one.">
          <p>A Job waits for others if an annotation says so:</p>
          <code class="block">muster.run/after: prepare, fetch</code>
        </Empty>
      ) : null}
      {graphs.map(({ namespace, graph }) => (
        <Section key={namespace} title={namespace}>
          <Picture namespace={namespace} graph={graph} />
          <CommandLine text={musterLine(namespace, 'graph')} />
        </Section>
      ))}
    </>
  );
}

function Picture({ namespace, graph }: { readonly namespace: string; readonly graph: PlacedGraph }): JSX.Element {
  return (
    <div class="graph" tabIndex={0} role="group" aria-label={`Graph of ${namespace}`}>
      <div class="graph-whole" style={{ width: `${graph.width}px`, height: `${graph.height}px` }}>
        <svg width={graph.width} height={graph.height} aria-hidden="true">
          <defs>
            <marker
              id={`head-${namespace}`}
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M0 0 L8 4 L0 8 z" class="graph-head" />
            </marker>
          </defs>
          {graph.edges.map(({ edge, path }) => (
            <path
              key={`${edge.from} ${edge.to} ${edge.waits.kind}`}
              d={path}
              class={edge.waits.kind === 'indexes' ? 'graph-edge by-index' : 'graph-edge'}
              marker-end={`url(#head-${namespace})`}
            />
          ))}
        </svg>
        {graph.jobs.map(({ name, x, y, row }) => (
          <a
            key={name}
            class={row === null ? 'graph-job missing' : 'graph-job'}
            href={pathOf({ view: 'job', namespace, name })}
            style={{ left: `${x}px`, top: `${y}px`, width: `${BOX.width}px`, height: `${BOX.height}px` }}
          >
            <strong>{name}</strong>
            {row === null ? (
              <span class="bad">there is none of this name</span>
            ) : (
              <>
                <span class="graph-line">
                  <Badge state={row.state} />
                  <span class="muted">
                    {numberWords(row.succeeded)}/{row.total === null ? '?' : numberWords(row.total)}
                  </span>
                </span>
                <Bar
                  total={row.total ?? 1}
                  parts={[
                    { colour: 'succeeded', count: row.succeeded, words: 'succeeded' },
                    { colour: 'running', count: row.active, words: 'running' },
                    { colour: 'failed', count: row.failedIndexes, words: 'failed' },
                  ]}
                />
              </>
            )}
          </a>
        ))}
      </div>
    </div>
  );
}
