import { type EpochMs, plusMs } from '../base/time.ts';
import type { Timing } from '../base/timing.ts';
import { CHUNK_INDEXES } from '../scoreboard/board.ts';
import { type Status, type Upstream, endOf, tally } from '../scoreboard/status.ts';
import { type JobSpec, isOwn } from '../manifests/job.ts';
import type { JobManifest, JobManifestSpec } from '../manifests/manifest.ts';
import { type AfterIndexes, dependentCompletions } from '../manifests/annotations/dependencies.ts';
import { type IndexGate, OPEN_GATE, type UpstreamBoard, indexGate } from './index-gate.ts';
import { type SeenUpstream, standingOfUpstream } from './upstream.ts';

/** What the Jobs that a Job waits for mean for one pass over it. */
export type Upstreams = {
  /** What STATUS remembers of them from now on; null: what it does. */
  readonly known: readonly Upstream[] | null;
  /** What is still waited for before the start; empty: nothing. */
  readonly waitsFor: readonly string[];
  /** Why the Job can never start; null: it may. */
  readonly never: string | null;
  readonly gate: IndexGate;
};

/** A Job that waits for none, or need not look any more. */
export const NO_UPSTREAMS: Upstreams = { known: null, waitsFor: [], never: null, gate: OPEN_GATE };

/** A Job that another one waits for, with its board if indexes wait for its indexes. */
export type ReadUpstream = Omit<SeenUpstream, 'status'> & {
  readonly status: Status | null;
  readonly manifest: Pick<JobManifest, 'spec'> | null;
  readonly board: UpstreamBoard['seen'];
};

type Waiting = {
  readonly spec: Pick<JobSpec, 'after' | 'afterIndexes' | 'completions'>;
  readonly status: Pick<Status, 'upstreams' | 'startTime' | 'size'>;
};

/** The names of those that a pass has to look at: nothing of them is known for good. */
export const upstreamsToRead = ({ spec, status }: Waiting): readonly string[] =>
  namesOf(spec).filter((name) => !status.upstreams.some((each) => each.name === name && each.isMet));

const namesOf = ({ after, afterIndexes }: Waiting['spec']): readonly string[] =>
  [...after, ...afterIndexes].map(({ name }) => name);

/**
 * What was read of a Job's upstreams, judged. A dependency that was met once stays met, whatever becomes of the other Job.
 *
 * @param read those that {@link upstreamsToRead} names, by name
 */
export function judgeUpstreams({ spec, status }: Waiting, read: ReadonlyMap<string, ReadUpstream>): Upstreams {
  const isFirst = status.startTime === null;
  const waitsFor: string[] = [];
  let never: string | null = null;
  const met = new Set<string>();
  for (const dependency of spec.after) {
    const seen = read.get(dependency.name);
    if (seen === undefined) continue;
    const fault = isFirst ? foreignFault(seen) : null;
    const standing = fault === null ? standingOfUpstream(dependency, seen) : ({ kind: 'never', why: fault } as const);
    if (standing.kind === 'met') met.add(dependency.name);
    else if (standing.kind === 'waits') waitsFor.push(standing.why);
    else never ??= standing.why;
  }
  const boards = spec.afterIndexes.flatMap((dependency): readonly UpstreamBoard[] => {
    const seen = read.get(dependency.name);
    if (seen === undefined) return [];
    if (isFirst) never ??= foreignFault(seen) ?? sizeFault(dependency, seen, spec.completions);
    if (hasAllSucceeded(seen)) {
      met.add(dependency.name);
      return [];
    }
    return [{ dependency, seen: seen.board, isGone: seen.uid !== null && seen.status === null }];
  });
  const gate = indexGate(boards, status.size);
  const isClosed = isFirst && !gate.isFinal && !isAnyOpen(gate, status);
  if (isClosed) waitsFor.push(...boards.map(({ dependency: { name }, seen }) => waitText(name, seen !== null)));
  return { known: knownOf(spec, status, read, met), waitsFor, never, gate };
}

const waitText = (name: string, isThere: boolean): string =>
  isThere ? `the first indexes of job ${name}` : `job ${name}, which does not exist yet`;

const isAnyOpen = (gate: IndexGate, { size }: Pick<Status, 'size'>): boolean => {
  for (let no = 0; no * CHUNK_INDEXES < size; no++) if (gate.openIn(no) > 0) return true;
  return false;
};

/** Nobody here knows how a Job of another controller ends. */
export const foreignFault = ({ name, manifest }: Pick<ReadUpstream, 'name' | 'manifest'>): string | null =>
  manifest === null || isOwn(manifest) ? null : `another controller runs job ${name}`;

/**
 * Why indexes cannot wait for those of the other Job: each must have its own there, and none may be left over.
 *
 * @returns null: they can
 */
export function sizeFault(
  { name, perIndex }: AfterIndexes,
  {
    manifest,
  }: { readonly manifest: { readonly spec: Pick<JobManifestSpec, 'completionMode' | 'completions'> } | null },
  completions: number | null,
): string | null {
  if (manifest === null) return null;
  const { completionMode, completions: theirs = 0 } = manifest.spec;
  if (completionMode !== 'Indexed') return `job ${name} is not Indexed: its Pods have no indexes`;
  const wanted = dependentCompletions(theirs, perIndex);
  if (wanted === completions) return null;
  const each = perIndex === 1 ? '' : `, ${perIndex} for each index`;
  return `job ${name} has ${theirs} indexes${each}: completions must be ${wanted}, not ${completions ?? 'left out'}`;
}

const hasAllSucceeded = ({ status }: ReadUpstream): boolean => {
  const phase = status?.phase;
  const end = phase === undefined ? null : endOf(phase);
  return (
    end?.verdict.reason === 'CompletionsReached' && status !== null && tally(status.chunks).succeeded >= status.size
  );
};

/** The stored list itself if nothing of it has changed, so that a look that finds nothing new commits nothing. */
function knownOf(
  spec: Waiting['spec'],
  { upstreams }: Pick<Status, 'upstreams'>,
  read: ReadonlyMap<string, ReadUpstream>,
  met: ReadonlySet<string>,
): readonly Upstream[] {
  const known = namesOf(spec).map((name): Upstream => {
    const was = upstreams.find((each) => each.name === name);
    const now = { name, uid: was?.uid ?? read.get(name)?.uid ?? null, isMet: was?.isMet === true || met.has(name) };
    return was !== undefined && was.uid === now.uid && was.isMet === now.isMet ? was : now;
  });
  const isSame = known.length === upstreams.length && known.every((each, i) => each === upstreams[i]);
  return isSame ? upstreams : known;
}

/** A wake-up that is lost costs as long as the Job has waited, in tenths, or the time after which claims are sent again. */
export function lookAgainAt(waitingSince: EpochMs, now: EpochMs, { resendMs }: Timing): EpochMs {
  const waitedMs = Math.max(0, now - waitingSince);
  return plusMs(now, Math.min(resendMs * LOOKS_APART_MAX, Math.max(resendMs, Math.floor(waitedMs / 10))));
}

/** Ten minutes on AWS. */
const LOOKS_APART_MAX = 10;
