import { asJobUid } from '../../domain/base/ids.ts';
import { chunksFor } from '../../domain/scoreboard/board.ts';
import { barePodOf, isBarePod, jobNameOfPod } from '../../domain/manifests/bare-pod.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { FRESH } from '../../domain/scoreboard/index-record.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import { admitPod } from '../../schema/bare-pod/admit-pod.ts';
import { admitPodUpdate } from '../../schema/bare-pod/admit-pod-update.ts';
import { USUAL_OFFER } from '../../schema/job/host-name-rules.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import type { JobFace } from '../jobs/job-face.ts';
import type { JobView } from '../jobs/job-view.ts';
import { type FoundJob, type WriteDeps, jobWrites } from '../jobs/job-writes.ts';
import type { WritableKind } from '../write/writable-kind.ts';
import { findPod } from './find-pod.ts';
import { withPodDefaults } from './pod-defaults.ts';
import { readAttempt } from './read-pods.ts';
import { type PodObject, renderPod } from './render-pod.ts';

/** As it is before anything is known of its task. */
const renderNewPod = ({ spec, status, version }: JobView): PodObject =>
  renderPod({
    index: 0,
    attempt: 1,
    state: 'claimed',
    spec,
    status,
    version,
    record: null,
    before: null,
    launch: null,
    current: null,
    madeAfter: FRESH,
    item: null,
    ip: null,
    wait: null,
  });

/** Pods that no Job owns, of which each is stored as a Job. */
const POD_FACE: JobFace<PodObject> = {
  resource: API_KINDS.Pod,
  apiVersion: 'v1',
  chunks: ({ size }) => Array.from({ length: chunksFor(size) }, (_, no) => no),
  async render({ spec }, reads) {
    const found = isBarePod(spec.identity) ? await readAttempt(spec.identity.uid, 0, 1, reads) : null;
    return found === null || !found.isListed ? null : found.pod;
  },
  renderNew: renderNewPod,
  showsAll: false,
  fields: [],
  fieldsOf: () => ({}),
};

const podNameOf = ({ name }: StoredSpec['identity']): string => barePodOf(name) ?? name;

/** What storing bare Pods asks. */
export type BarePodDeps = WriteDeps & Pick<ApiDeps, 'hosts' | 'needsCommand' | 'hostFolders'>;

/** Bare Pods as users write them. They are deleted as all Pods are. */
export function barePodKind(deps: BarePodDeps): WritableKind<FoundJob<PodObject>, StoredSpec> {
  const { clock, hosts = USUAL_OFFER, needsCommand, hostFolders } = deps;
  const writes = jobWrites(POD_FACE, 'spec.subdomain', deps);
  const find: typeof writes.find = async ({ namespace, name }, published) =>
    writes.find({ namespace, name: jobNameOfPod(name) }, published);
  /** A Job's Pod may have that name, whose last letters are drawn. */
  const isTaken = async ({ identity }: StoredSpec): Promise<boolean> =>
    (await findPod(identity.namespace, podNameOf(identity), deps)) !== null;
  return {
    ...writes,
    type: 'Pod',
    find,

    admit(document, context) {
      const admission = admitPod(document, { ...context, hosts, needsCommand, hostFolders });
      if (admission.kind !== 'ok') return admission;
      const { manifest, warnings } = admission;
      const { name, namespace } = manifest.metadata;
      const identity = { uid: asJobUid(context.uid), namespace, name, createdAt: clock.now() };
      const admitted = { identity, revision: 1, generation: 1, manifest };
      return { kind: 'ok', admitted, name: podNameOf(identity), warnings };
    },

    admitUpdate({ view, object }, document, fieldValidation) {
      const { spec, status } = view;
      const deleting = status.phase.kind === 'terminating';
      const stored = { manifest: spec.manifest, shown: object, completed: withPodDefaults, deleting };
      const update = admitPodUpdate(stored, document, fieldValidation);
      if (update.kind !== 'ok') return update;
      const { manifest, warnings, changed } = update;
      return { kind: 'ok', admitted: { ...spec, manifest }, warnings, changed };
    },

    create: async (spec, managedFields, user) =>
      (await isTaken(spec)) ? { kind: 'taken' } : writes.create(spec, managedFields, user),

    wouldCreate: async (spec) => ((await isTaken(spec)) ? { kind: 'taken' } : writes.wouldCreate(spec)),
  };
}
