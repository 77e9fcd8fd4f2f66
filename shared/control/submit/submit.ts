import { JOB_TEMPLATES } from '../../capabilities/lists/job-templates.ts';
import { uidOfDigest } from '../../domain/base/ids.ts';
import { isHidden } from '../../domain/scoreboard/status.ts';
import type { CreationRefusal, NotAllowed } from '../../ports/job-commands.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import { noRoomError } from '../../schema/job/host-name-rules.ts';
import { type AdmissionContext, admitJob } from '../../schema/job/job-manifest.ts';
import { newFieldErrors } from '../../schema/object/new-field-rules.ts';
import { MANIFEST_BYTES_MAX } from '../../schema/text/document.ts';
import type { FieldError } from '../../schema/object/field-error.ts';
import type { Undecodable } from '../../schema/object/read-object.ts';
import { type Template, jobOfManifest, jobOfTemplate } from '../../schema/submission/job-of-submission.ts';
import type { Submission, SubmittedTemplate } from '../../schema/submission/submission.ts';
import { findNamedList } from '../../store/named-list.ts';
import { namespaceStanding } from '../../store/namespace-standing.ts';
import { createJobCommands } from '../lifecycle/job-changes.ts';
import type { Deps } from '../process/deps.ts';
import { offersOf } from '../process/offers.ts';

/** `there`: an earlier delivery has made the Job, which may be deleted by now. */
export type Submitted = { readonly kind: 'created' } | { readonly kind: 'there' } | RefusedSubmission;

/** Nothing is stored, and no repetition changes that. */
export type RefusedSubmission =
  | Undecodable
  | { readonly kind: 'invalid'; readonly name: string; readonly errors: readonly FieldError[] }
  | { readonly kind: 'tooLarge'; readonly bytesMax: number }
  /** The object whose template it should have does not exist. */
  | { readonly kind: 'noTemplate'; readonly of: Template['kind']; readonly name: string }
  /** The name has been taken by a Job of another source, or its namespace takes no Jobs. */
  | { readonly kind: CreationRefusal; readonly name: string }
  /** The namespace does not allow it, or has no room for it. */
  | (NotAllowed & { readonly name: string });

/** See {@link AdmissionContext}. */
export type SubmitOptions = Pick<AdmissionContext, 'needsCommand' | 'hostFolders'>;

/**
 * Creates the Job of a submission, once however often it comes: its uid is made of the submission's source, and stays known as
 * long as the rows of the Job do.
 *
 * @throws whatever the ports throw; the message may be worked on again
 */
export async function submit(submission: Submission, options: SubmitOptions, deps: Deps): Promise<Submitted> {
  const { namespace, source, of } = submission;
  const hash = deps.hash(`submission/${namespace}/${source}`);
  const uid = uidOfDigest(hash);
  if ((await deps.jobs.readStatus(uid)) !== null) return { kind: 'there' };
  const read = await documentOf(submission, hash, deps);
  if (read.kind === 'refused') return read.refusal;
  const { document } = read;
  if (utf8Bytes(JSON.stringify(document)) > MANIFEST_BYTES_MAX)
    return { kind: 'tooLarge', bytesMax: MANIFEST_BYTES_MAX };
  const admission = admitJob(document, {
    namespace,
    uid,
    nameSuffix: '',
    // What is in a stored template was admitted; what a message brings, nobody reads warnings about.
    fieldValidation: of.kind === 'manifest' ? 'Strict' : 'Ignore',
    ...offersOf(deps),
    list: await findNamedList(annotationsIn(document), namespace, deps),
    ...options,
  });
  if (admission.kind !== 'ok') return admission;
  const { manifest } = admission;
  const early = newFieldErrors(manifest, null, deps.settings.formats ?? 'current');
  if (early.length > 0) return { kind: 'invalid', name: manifest.metadata.name, errors: early };
  const { name } = manifest.metadata;
  const identity = { uid, namespace, name, createdAt: deps.clock.now() };
  return store({ identity, revision: 1, generation: 1, manifest }, deps);
}

async function store(spec: StoredSpec, deps: Deps): Promise<Submitted> {
  const { name } = spec.identity;
  const created = await createJobCommands(deps).createJob(spec);
  switch (created.kind) {
    case 'created':
      return { kind: 'created' };
    case 'invalid':
      return { kind: 'invalid', name, errors: created.errors };
    case 'noHosts': {
      const { subdomain = '' } = spec.manifest.spec.template.spec;
      return { kind: 'invalid', name, errors: [noRoomError('spec.template.spec.subdomain', subdomain, created)] };
    }
    case 'forbidden':
      return { ...created, name };
    case 'taken':
    case 'noNamespace':
    case 'terminating':
      return { kind: created.kind, name };
  }
}

type Document =
  | { readonly kind: 'document'; readonly document: object }
  | { readonly kind: 'refused'; readonly refusal: RefusedSubmission };

async function documentOf({ namespace, of, taskToken }: Submission, hash: string, deps: Deps): Promise<Document> {
  if (of.kind === 'manifest') return { kind: 'document', document: jobOfManifest(of.document, { taskToken, hash }) };
  const template = await findTemplate(namespace, of, deps);
  if (template !== null)
    return { kind: 'document', document: jobOfTemplate(template, of.additions, { namespace, taskToken, hash }) };
  // A namespace that is not there, or not for long, says more than that nothing is in it.
  const standing = await namespaceStanding(namespace, deps);
  const { name } = of;
  return {
    kind: 'refused',
    refusal: standing === 'open' ? { kind: 'noTemplate', of: of.kind, name } : { kind: standing, name },
  };
}

async function findTemplate(
  namespace: string,
  { kind, name }: SubmittedTemplate & { readonly kind: Template['kind'] },
  { jobs, objects }: Deps,
): Promise<Template | null> {
  if (kind !== 'Job') {
    const row = JOB_TEMPLATES.find((each) => each.kind === kind);
    const object = row === undefined ? null : await objects.read(kind, { namespace, name });
    return row === undefined || object === null ? null : { kind, ...row.read(object.document) };
  }
  const uid = await jobs.findJob(namespace, name);
  const [spec, status] = uid === null ? [null, null] : [await jobs.readSpec(uid), await jobs.readStatus(uid)];
  return spec === null || status === null || isHidden(status.phase) ? null : { kind, manifest: spec.manifest };
}

function annotationsIn(document: object): Readonly<Record<string, unknown>> {
  const metadata: unknown = Reflect.get(document, 'metadata');
  const annotations: unknown =
    typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, 'annotations') : null;
  return typeof annotations === 'object' && annotations !== null ? { ...annotations } : {};
}

const utf8Bytes = (text: string): number => new TextEncoder().encode(text).length;
