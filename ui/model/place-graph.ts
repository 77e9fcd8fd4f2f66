import { type Edge, type GraphJob, dependenciesOf, edgesOf, graphOf } from '../../shared/domain/manifests/job-graph.ts';
import { type JobRow, jobRowOf } from './job-row.ts';
import type { Job } from './objects.ts';

export type PlacedJob = { readonly name: string; readonly x: number; readonly y: number; readonly row: JobRow | null };
export type PlacedEdge = { readonly edge: Edge; readonly path: string };
export type PlacedGraph = {
  readonly jobs: readonly PlacedJob[];
  readonly edges: readonly PlacedEdge[];
  readonly width: number;
  readonly height: number;
};

/** How large a Job is in the picture. */
export const BOX = { width: 200, height: 62 } as const;
const GAP = { x: 80, y: 22 } as const;
const MARGIN = 12;

/** The Jobs of one namespace that wait for each other, from left to right; null: none does. */
export function placeGraph(jobs: readonly Job[]): PlacedGraph | null {
  const rows = new Map(jobs.map((job) => [job.metadata.name, jobRowOf(job)]));
  const all = jobs.map(
    ({ metadata }): GraphJob => ({
      name: metadata.name,
      state: 'waiting',
      succeeded: 0,
      total: null,
      dependencies: dependenciesOf(metadata.annotations ?? {}),
    }),
  );
  const shown = graphOf(all, null);
  if (shown.length === 0) return null;
  const edges = edgesOf(shown);
  const columns = columnsOf(
    shown.map(({ name }) => name),
    edges,
  );
  const places = new Map<string, { x: number; y: number }>();
  for (const [x, names] of columns.entries())
    for (const [y, name] of byUpstreams(names, edges, places).entries()) places.set(name, { x, y });
  const corner = ({ x, y }: { x: number; y: number }) => ({
    x: MARGIN + x * (BOX.width + GAP.x),
    y: MARGIN + y * (BOX.height + GAP.y),
  });
  return {
    jobs: [...places].map(([name, at]) => ({ name, ...corner(at), row: rows.get(name) ?? null })),
    edges: edges.flatMap((edge) => {
      const [from, to] = [places.get(edge.from), places.get(edge.to)];
      return from === undefined || to === undefined ? [] : [{ edge, path: curve(corner(from), corner(to)) }];
    }),
    width: 2 * MARGIN + columns.length * (BOX.width + GAP.x) - GAP.x,
    height: 2 * MARGIN + Math.max(...columns.map(({ length }) => length)) * (BOX.height + GAP.y) - GAP.y,
  };
}

/** Each Job one column after the last of those that it waits for; the names come in an order in which those are before it. */
function columnsOf(names: readonly string[], edges: readonly Edge[]): readonly (readonly string[])[] {
  const depths = new Map<string, number>();
  for (const name of names) {
    const before = edges.filter(({ to }) => to === name).map(({ from }) => depths.get(from) ?? -1);
    depths.set(name, Math.max(-1, ...before) + 1);
  }
  const columns: string[][] = Array.from({ length: Math.max(...depths.values()) + 1 }, () => []);
  for (const [name, depth] of depths) columns[depth]?.push(name);
  return columns;
}

/** Beside what they wait for, so that few lines cross. */
function byUpstreams(
  names: readonly string[],
  edges: readonly Edge[],
  places: ReadonlyMap<string, { readonly y: number }>,
): readonly string[] {
  const height = (name: string): number => {
    const ys = edges.filter(({ to }) => to === name).map(({ from }) => places.get(from)?.y ?? 0);
    return ys.length === 0 ? 0 : ys.reduce((sum, y) => sum + y, 0) / ys.length;
  };
  return names.toSorted((a, b) => height(a) - height(b));
}

function curve(
  from: { readonly x: number; readonly y: number },
  to: { readonly x: number; readonly y: number },
): string {
  const [x1, y1, x2, y2] = [from.x + BOX.width, from.y + BOX.height / 2, to.x, to.y + BOX.height / 2];
  const bend = Math.max((x2 - x1) / 2, 30);
  return `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 3} ${y2}`;
}
