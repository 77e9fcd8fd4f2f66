import type { Held } from '../../ports/held.ts';
import type { CreatedJob, TriedJob } from '../../ports/job-commands.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { Deps } from '../process/deps.ts';
import { firstStatus } from './first-status.ts';

/** Why there is no such Job. */
export type NotCreated = Exclude<CreatedJob, { readonly kind: 'created' }>;

/** A Job on its way through the steps; `first`: what it is stored with, made when a step asks for it, once for each spec. */
export type Draft = { readonly spec: StoredSpec; readonly first: () => ReturnType<typeof firstStatus> };

/** `spec`: with what the step has filled in; omitted: as it was. */
export type Passed = { readonly kind: 'passed'; readonly spec?: StoredSpec };

/** One of the things that decide whether a Job can be created. If it does not concern the Job, it costs nothing. */
export type Step = {
  readonly name: string;
  /** Says what a creation would meet here, without any write. */
  readonly check: (draft: Draft, deps: Deps) => Promise<Passed | NotCreated>;
  /** Takes what the Job needs. A refusal has taken nothing. Omitted: {@link check} is all. */
  readonly reserve?: (draft: Draft, deps: Deps) => Promise<Passed | Held | NotCreated>;
};

export const PASSED: Passed = { kind: 'passed' };

/**
 * Takes what a Job needs, step by step. If a step refuses, what the steps before it have taken is given back, the latest first.
 *
 * @returns the Job as the last step saw it, or why a step has refused it
 * @throws what a step throws. Nothing is given back then, because it is not known whether the Job is stored, by this call or by
 * another one for the same uid: the sweep finds out. Also the first error in giving back, after the rest was given back.
 */
export async function reserveAll(
  steps: readonly Step[],
  spec: StoredSpec,
  deps: Deps,
): Promise<{ readonly kind: 'reserved'; readonly draft: Draft } | NotCreated> {
  const reached = await goThrough(steps, spec, deps, async ({ check, reserve = check }, draft) => reserve(draft, deps));
  return reached.kind === 'through' ? { kind: 'reserved', draft: reached.draft } : reached;
}

/** What {@link reserveAll} would answer now, without any write. */
export async function checkAll(steps: readonly Step[], spec: StoredSpec, deps: Deps): Promise<TriedJob> {
  const reached = await goThrough(steps, spec, deps, async ({ check }, draft) => check(draft, deps));
  return reached.kind === 'through' ? { kind: 'fits', spec: reached.draft.spec } : reached;
}

async function goThrough(
  steps: readonly Step[],
  admitted: StoredSpec,
  deps: Deps,
  take: (step: Step, draft: Draft) => Promise<Passed | Held | NotCreated>,
): Promise<{ readonly kind: 'through'; readonly draft: Draft } | NotCreated> {
  const held: Held[] = [];
  let draft = draftOf(admitted, deps);
  for (const step of steps) {
    const answer = await take(step, draft);
    if (answer.kind === 'held') held.push(answer);
    else if (answer.kind === 'passed') draft = answer.spec === undefined ? draft : draftOf(answer.spec, deps);
    else {
      await undoAll(held);
      return unlessTaken(answer, admitted, deps);
    }
  }
  for (const { keep } of held) keep?.();
  return { kind: 'through', draft };
}

function draftOf(spec: StoredSpec, deps: Deps): Draft {
  let first: ReturnType<typeof firstStatus> | null = null;
  return {
    spec,
    first: () => {
      first ??= firstStatus(spec, deps);
      return first;
    },
  };
}

async function undoAll(held: readonly Held[]): Promise<void> {
  const failures: unknown[] = [];
  for (const { undo } of held.toReversed()) await undo().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/**
 * A client that retries after a lost answer must get AlreadyExists, whatever has become of what its Job needed: names and room that
 * the first call took, a Job that it repeated. A namespace that takes no Jobs says more than a name in it.
 */
async function unlessTaken(refusal: NotCreated, { identity }: StoredSpec, { jobs }: Deps): Promise<NotCreated> {
  switch (refusal.kind) {
    case 'taken':
    case 'terminating':
    case 'noNamespace':
      return refusal;
    case 'invalid':
    case 'forbidden':
    case 'noHosts':
      return (await jobs.findJob(identity.namespace, identity.name)) === null ? refusal : { kind: 'taken' };
  }
}
