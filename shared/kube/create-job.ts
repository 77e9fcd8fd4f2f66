import type { Context } from 'hono';
import { asJobUid } from '../domain/brand.ts';
import { Draft } from '../domain/draft.ts';
import { planningSpec } from '../domain/job.ts';
import { standingOf } from '../domain/namespace.ts';
import type { JobManifest } from '../domain/manifest.ts';
import { freshStatus } from '../domain/status.ts';
import type { JobCreation, StoredSpec } from '../ports/job-store.ts';
import { admitJob } from '../schema/job-manifest.ts';
import type { FieldValidation } from '../schema/job-reading.ts';
import type { ApiDeps } from './api-deps.ts';
import { findJob } from './list-jobs.ts';
import { dryRunOf } from './query.ts';
import { type JobObject, renderJob } from './render-job.ts';
import { readBody } from './request-body.ts';
import {
  JOBS,
  NAMESPACES,
  type StatusError,
  alreadyExists,
  badRequest,
  errorResponse,
  invalidObject,
  namespaceTerminating,
  notFound,
} from './status-error.ts';

/** A name that was made from `generateName` and is taken is made again, as Kubernetes does. */
const NAMES_TRIED_MAX = 8;

/** Answers `POST`: the Job is stored, with every default, or nothing is. */
export async function createJob(c: Context, namespace: string, deps: ApiDeps): Promise<Response> {
  const fieldValidation = fieldValidationOf(c.req.query('fieldValidation'));
  if (fieldValidation === null)
    return errorResponse(badRequest('fieldValidation: supported values: "Ignore", "Strict", "Warn"'));
  const dryRun = dryRunOf(c.req.queries('dryRun'));
  if (dryRun === null) return errorResponse(badRequest('dryRun: supported values: "All"'));
  const body = await readBody(c);
  if (body.kind === 'refused') return errorResponse(body.error);
  if (body.kind === 'empty') return errorResponse(unrecognised('the body is empty'));
  const { document } = body;
  if (document.kind === 'unreadable') return errorResponse(unrecognised(document.reason));
  const warnings: string[] = [];
  if (document.kind === 'duplicates') {
    if (fieldValidation === 'Strict')
      return errorResponse(
        badRequest(`Job in version "v1" cannot be handled as a Job: strict decoding error: ${document.reason}`),
      );
    if (fieldValidation === 'Warn') warnings.push(document.reason);
  }
  let taken = '';
  for (let tried = 0; tried < NAMES_TRIED_MAX; tried++) {
    const uid = deps.newUid();
    const admission = admitJob(document.value, { namespace, uid, nameSuffix: suffixOf(uid), fieldValidation });
    if (admission.kind === 'undecodable') {
      const causes = admission.problems.map(({ path, message }) => ({
        reason: 'FieldValueInvalid',
        message,
        field: path,
      }));
      return errorResponse(badRequest(admission.message, causes));
    }
    if (admission.kind === 'invalid') return errorResponse(invalidObject(JOBS, admission.name, admission.faults));
    const { manifest } = admission;
    const spec = storedSpec(manifest, uid, deps);
    const made = dryRun ? await wouldCreate(manifest, deps) : await deps.changes.create(spec);
    if (made.kind === 'noNamespace') return errorResponse(notFound(NAMESPACES, namespace));
    if (made.kind === 'terminating')
      return errorResponse(namespaceTerminating(JOBS, manifest.metadata.name, namespace));
    if (made.kind === 'created') {
      const job = (dryRun ? null : await findJob(namespace, manifest.metadata.name, deps)) ?? freshJob(spec, deps);
      for (const text of [...warnings, ...admission.warnings])
        c.header('warning', `299 - ${quoted(text)}`, { append: true });
      return c.json(job, 201);
    }
    taken = manifest.metadata.name;
    if (!isGenerated(document.value)) break;
  }
  return errorResponse(alreadyExists(JOBS, taken));
}

const unrecognised = (reason: string): StatusError =>
  badRequest(`the object provided is unrecognized (must be of type Job): couldn't get version/kind; ${reason}`);

function fieldValidationOf(text: string | undefined): FieldValidation | null {
  if (text === undefined || text === '') return 'Strict';
  return text === 'Strict' || text === 'Warn' || text === 'Ignore' ? text : null;
}

async function wouldCreate(
  { metadata }: JobManifest,
  { jobs, objects }: ApiDeps,
): Promise<{ readonly kind: JobCreation }> {
  const namespace = await objects.read('Namespace', { namespace: '', name: metadata.namespace });
  const standing = standingOf(namespace?.document);
  if (standing !== 'open') return { kind: standing };
  return { kind: (await jobs.findJob(metadata.namespace, metadata.name)) === null ? 'created' : 'taken' };
}

function storedSpec(manifest: JobManifest, uid: string, { clock }: ApiDeps): StoredSpec {
  const { name, namespace } = manifest.metadata;
  return {
    identity: { uid: asJobUid(uid), namespace, name, createdAt: clock.now() },
    revision: 1,
    generation: 1,
    manifest,
  };
}

/** What a Job looks like before anything has happened to it. */
function freshJob(spec: StoredSpec, { clock }: ApiDeps): JobObject {
  const job = { ...spec.identity, revision: spec.revision, spec: planningSpec(spec.manifest) };
  const status = freshStatus(job, clock.now());
  return renderJob({ spec, status, version: 0, board: new Draft(status, new Map()) });
}

/** Kubernetes' letters for generated names, without vowels. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** Five letters from a random UUID's first digits: as random, and one source of randomness less. */
function suffixOf(uid: string): string {
  let rest = Number.parseInt(uid.slice(0, 8), 16);
  let word = '';
  for (let i = 0; i < 5; i++) {
    word += LETTERS.charAt(rest % LETTERS.length);
    rest = Math.floor(rest / LETTERS.length);
  }
  return word;
}

function isGenerated(document: unknown): boolean {
  if (typeof document !== 'object' || document === null || !('metadata' in document)) return false;
  const { metadata } = document;
  return (
    typeof metadata === 'object' &&
    metadata !== null &&
    !('name' in metadata && typeof metadata.name === 'string' && metadata.name !== '')
  );
}

/** A header takes printable ASCII only, and the text may hold anything. */
const quoted = (text: string): string => JSON.stringify(text.replaceAll(/[^ -~]/g, '?'));
