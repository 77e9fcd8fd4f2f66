import type { Context } from 'hono';
import { type DeleteOptions, decodeDeleteOptions } from '../../schema/requests/delete-options.ts';
import { dryRunOf, flagOf } from '../http/query.ts';
import { readBody } from '../http/request-body.ts';
import { type StatusError, badRequest } from '../http/status-error.ts';
import type { Propagation } from './writable-kind.ts';

/** What a client wants to delete, and how. */
export type Deletion = {
  readonly propagation: Propagation;
  /** null: any */
  readonly preconditions: { readonly uid: string | null; readonly resourceVersion: string | null };
  readonly dryRun: boolean;
  /** Seconds until it is killed; null: as its template says. */
  readonly graceSec: number | null;
};

const POLICIES: readonly Propagation[] = ['Background', 'Foreground', 'Orphan'];

/**
 * Parses DeleteOptions from body and query. Without a propagation policy it is Background, although Kubernetes would then
 * orphan a Job's Pods, for the sake of old clients. Grace periods come from the Pod template; one in the request is accepted.
 *
 * @param orphans why dependents cannot be orphaned; null: they can
 */
export async function deletionOf(
  c: Context,
  orphans: string | null,
): Promise<({ readonly kind: 'ok' } & Deletion) | { readonly kind: 'bad'; readonly error: StatusError }> {
  const body = await readBody(c);
  if (body.kind === 'refused') return { kind: 'bad', error: body.error };
  if (body.kind === 'read' && body.document.kind === 'unreadable') return bad(`DeleteOptions: ${body.document.reason}`);
  const decoded = decodeDeleteOptions(
    body.kind === 'read' && body.document.kind !== 'unreadable' ? body.document.value : {},
  );
  if (decoded === null) return bad('the body is no DeleteOptions of "v1"');
  return deletionIn(decoded, { ...c.req.query(), dryRun: c.req.queries('dryRun') ?? [] }, orphans);
}

/** DeleteOptions, merged with a query. */
export function deletionIn(
  decoded: Partial<DeleteOptions>,
  asked: {
    readonly gracePeriodSeconds?: string;
    readonly propagationPolicy?: string;
    readonly orphanDependents?: string;
    readonly dryRun?: readonly string[];
  },
  orphans: string | null,
): ({ readonly kind: 'ok' } & Deletion) | { readonly kind: 'bad'; readonly error: StatusError } {
  const grace = asked.gracePeriodSeconds ?? '';
  if (!/^(\d{1,10})?$/.test(grace) || (decoded.gracePeriodSeconds ?? 0) < 0)
    return bad('gracePeriodSeconds: must be a number that is not negative');
  const query = asked.propagationPolicy ?? '';
  const given = decoded.propagationPolicy ?? (query === '' ? undefined : query);
  const orphan = decoded.orphanDependents ?? flagOf(asked.orphanDependents);
  if (given !== undefined && decoded.orphanDependents !== undefined)
    return bad('orphanDependents and propagationPolicy cannot both be set');
  const propagation =
    given === undefined && orphan ? 'Orphan' : POLICIES.find((each) => each === (given ?? 'Background'));
  if (propagation === undefined)
    return bad(
      `propagationPolicy: Unsupported value: ${JSON.stringify(given)}: supported values: "Background", "Foreground", "Orphan"`,
    );
  if (propagation === 'Orphan' && orphans !== null)
    return bad(`propagationPolicy: "Orphan" is not supported: ${orphans}; use "Background" or "Foreground"`);
  const dryRun = dryRunOf([...(asked.dryRun ?? []), ...(decoded.dryRun ?? [])]);
  if (dryRun === null) return bad('dryRun: supported values: "All"');
  const { uid, resourceVersion } = decoded.preconditions ?? {};
  const preconditions = { uid: uid ?? null, resourceVersion: resourceVersion ?? null };
  const graceSec = decoded.gracePeriodSeconds ?? (grace === '' ? null : Number(grace));
  return { kind: 'ok', propagation, preconditions, dryRun, graceSec };
}

const bad = (message: string): { readonly kind: 'bad'; readonly error: StatusError } => ({
  kind: 'bad',
  error: badRequest(message),
});
