import { cutToWidth, padToWidth, textWidth } from '../../shared/domain/base/text-width.ts';
import { type GraphJob, dependenciesText, upstreamsOf } from '../../shared/domain/manifests/job-graph.ts';
import { PHASE_PAINTS } from './progress.ts';
import { type Segment, type Theme, paintLine } from './theme.ts';

/** A Job of the tree, and what stands in front of its name. */
type Row = { readonly job: GraphJob; readonly prefix: string };

/** Deeper Jobs do not stand further to the right; the column of what they wait for says the rest. */
const DEPTH_MAX = 8;
const GAP = 3;
/** Of a name, on a terminal too narrow for all of it. */
const NAME_COLUMNS_MIN = 16;
const HEAD = ['JOB', 'STATE', 'SUCCEEDED', 'AFTER'] as const;

/**
 * Who waits for whom, as a table whose first column is a tree. Each Job stands once: below the last of those that it waits for,
 * and all of them are in its last column.
 *
 * @param graph in order: each Job after its upstreams
 * @param columns of the terminal; null: whole names
 */
export function graphTree(graph: readonly GraphJob[], columns: number | null, theme: Theme): readonly string[] {
  const rows = rowsOf(graph, theme).map(({ job, prefix }) => ({
    prefix,
    job,
    cells: [prefix + job.name, job.state, figuresOf(job), dependenciesText(job.dependencies)],
  }));
  const widths = HEAD.map((head, i) =>
    rows.reduce((most, { cells }) => Math.max(most, textWidth(cells[i] ?? '')), head.length),
  );
  const [whole = 0, state = 0, figures = 0, after = 0] = widths;
  // What is waited for may be 32 names: it is cut first.
  const rest = (width: number): number => state + figures + Math.min(after, Math.floor(width / 3)) + 3 * GAP;
  const name = columns === null ? whole : Math.min(whole, Math.max(columns - 1 - rest(columns), NAME_COLUMNS_MIN));
  const line = (cells: readonly Segment[]): string =>
    paintLine(
      cells.map(({ text, ...paint }, i) =>
        i === cells.length - 1
          ? { text, ...paint }
          : { text: padToWidth(text, (i === 0 ? name : (widths[i] ?? 0)) + GAP), ...paint },
      ),
      columns === null ? Infinity : columns - 1,
      theme,
    ).trimEnd();
  return [
    line(HEAD.map((text) => ({ text }))),
    ...rows.map(({ job, prefix, cells: [, state = '', figures = '', after = ''] }) =>
      line([
        { text: prefix + cutToWidth(job.name, Math.max(name - textWidth(prefix), 1)) },
        { text: state, paint: job.state === 'missing' ? 'yellow' : PHASE_PAINTS[job.state] },
        { text: figures },
        { text: after, paint: 'dim' },
      ]),
    ),
  ];
}

const figuresOf = ({ state, succeeded, total }: GraphJob): string =>
  state === 'missing' ? '' : total === null ? `${succeeded}` : `${succeeded}/${total}`;

/** The Jobs from top to bottom, each below its last upstream. */
function rowsOf(graph: readonly GraphJob[], { glyphs: { tree } }: Theme): readonly Row[] {
  const places = new Map(graph.map(({ name }, place) => [name, place]));
  const below = new Map<GraphJob | null, GraphJob[]>();
  for (const [place, job] of graph.entries()) {
    // In a circle, an upstream may come later: nothing stands below what comes after it.
    const upstreams = upstreamsOf(job.dependencies).flatMap((name) => places.get(name) ?? []);
    const last = Math.max(-1, ...upstreams.filter((upstream) => upstream < place));
    const parent = graph[last] ?? null;
    const siblings = below.get(parent);
    if (siblings === undefined) below.set(parent, [job]);
    else siblings.push(job);
  }
  const rows: Row[] = [];
  const stack: (Row & { readonly depth: number; readonly beside: string })[] = [];
  const push = (parent: GraphJob | null, depth: number, beside: string): void => {
    const children = below.get(parent) ?? [];
    const isOnly = parent !== null && children.length === 1;
    for (const [i, job] of [...children.entries()].reverse()) {
      const isLast = i === children.length - 1;
      if (parent === null) stack.push({ job, prefix: '', depth, beside });
      else if (isOnly) stack.push({ job, prefix: beside + tree.only, depth, beside });
      else if (depth >= DEPTH_MAX) stack.push({ job, prefix: beside + tree.branch, depth, beside });
      else {
        const next = beside + (isLast ? ' '.repeat(textWidth(tree.beside)) : tree.beside);
        stack.push({ job, prefix: beside + (isLast ? tree.last : tree.branch), depth: depth + 1, beside: next });
      }
    }
  };
  push(null, 0, '');
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    rows.push({ job: top.job, prefix: top.prefix });
    push(top.job, top.depth, top.beside);
  }
  return rows;
}
