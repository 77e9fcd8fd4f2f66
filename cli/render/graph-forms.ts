import { formatAfter, formatAfterIndexes } from '../../shared/domain/manifests/annotations/dependencies.ts';
import {
  type Edge,
  GRAPH_STATES,
  type GraphJob,
  type GraphState,
  edgesOf,
} from '../../shared/domain/manifests/job-graph.ts';

// Graphs of Jobs for other programs. Dashed edges: index by index.

/** How a graph is printed. */
export const GRAPH_FORMS = ['tree', 'dot', 'mermaid', 'json'] as const;
export type GraphForm = (typeof GRAPH_FORMS)[number];

type Colours = { readonly fill: string; readonly line: string };

const COLOURS: Readonly<Record<GraphState, Colours>> = {
  missing: { fill: '#fff3cd', line: '#b8860b' },
  held: { fill: '#f2f2f2', line: '#8c8c8c' },
  waiting: { fill: '#f2f2f2', line: '#8c8c8c' },
  running: { fill: '#d7ecff', line: '#1f6fb2' },
  suspended: { fill: '#fff3cd', line: '#b8860b' },
  ending: { fill: '#f3e1f7', line: '#8e44ad' },
  complete: { fill: '#dff3e1', line: '#2e7d32' },
  failed: { fill: '#fbdcdc', line: '#b02a2a' },
};

const figuresOf = ({ state, succeeded, total }: GraphJob): string =>
  state === 'missing' ? '' : ` ${succeeded}${total === null ? '' : `/${total}`}`;

/** What an edge says; `complete` is what everybody expects. */
function labelOf({ waits }: Edge): string {
  if (waits.kind === 'job') return waits.condition === 'complete' ? '' : waits.condition;
  return waits.perIndex === 1 ? 'index by index' : `index by index, ${waits.perIndex} each`;
}

/** The graph in Graphviz's language. */
export function graphDot(graph: readonly GraphJob[]): string {
  const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  const lines = graph.map((job) => {
    const { fill, line } = COLOURS[job.state];
    const label = quoted(`${job.name}\n${job.state}${figuresOf(job)}`).replaceAll('\n', String.raw`\n`);
    const style = job.state === 'missing' ? 'rounded,filled,dashed' : 'rounded,filled';
    return `  ${quoted(job.name)} [label=${label}, style="${style}", fillcolor="${fill}", color="${line}"];`;
  });
  const edges = edgesOf(graph).map((edge) => {
    const label = labelOf(edge);
    const marks = [
      ...(label === '' ? [] : [`label=${quoted(label)}`]),
      ...(edge.waits.kind === 'indexes' ? ['style=dashed'] : []),
    ];
    return `  ${quoted(edge.from)} -> ${quoted(edge.to)}${marks.length === 0 ? '' : ` [${marks.join(', ')}]`};`;
  });
  const head = ['digraph jobs {', '  rankdir=LR;', '  node [shape=box, fontname="sans-serif"];'];
  return `${[...head, ...lines, '  edge [fontname="sans-serif", fontsize=10];', ...edges, '}'].join('\n')}\n`;
}

/** The graph in Mermaid's language, which GitHub draws in a `mermaid` block. */
export function graphMermaid(graph: readonly GraphJob[]): string {
  // A name may be a word of the language, such as `end`: nodes have numbers.
  const ids = new Map(graph.map(({ name }, i) => [name, `job${i}`]));
  const quoted = (text: string): string =>
    `"${text.replaceAll(/[#"<>&]/g, (sign) => `#${sign.codePointAt(0) ?? 0};`).replaceAll('\n', '<br/>')}"`;
  const nodes = graph.map((job) => {
    const label = quoted(`${job.name}\n${job.state}${figuresOf(job)}`);
    return `  ${ids.get(job.name) ?? ''}[${label}]:::${job.state}`;
  });
  const edges = edgesOf(graph).map((edge) => {
    const label = labelOf(edge);
    const arrow = edge.waits.kind === 'indexes' ? '-.->' : '-->';
    return `  ${ids.get(edge.from) ?? ''} ${arrow}${label === '' ? '' : `|${quoted(label)}|`} ${ids.get(edge.to) ?? ''}`;
  });
  const used = GRAPH_STATES.filter((state) => graph.some((job) => job.state === state));
  const styles = used.map((state) => {
    const { fill, line } = COLOURS[state];
    const dashes = state === 'missing' ? ',stroke-dasharray:4' : '';
    return `  classDef ${state} fill:${fill},stroke:${line},color:#222${dashes}`;
  });
  return `${['flowchart LR', ...nodes, ...edges, ...styles].join('\n')}\n`;
}

/** The graph as an object, for programs. */
export const graphObject = (namespace: string, graph: readonly GraphJob[]): object => ({
  apiVersion: 'muster.run/v1',
  kind: 'JobGraph',
  metadata: { namespace },
  jobs: graph.map(({ name, state, succeeded, total, dependencies: { after, afterIndexes } }) => ({
    name,
    state,
    ...(state === 'missing' ? {} : { succeeded, ...(total === null ? {} : { total }) }),
    ...(after.length === 0 ? {} : { after: formatAfter(after) }),
    ...(afterIndexes.length === 0 ? {} : { afterIndexes: formatAfterIndexes(afterIndexes) }),
  })),
});
