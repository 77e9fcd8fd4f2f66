import { itemHash } from '../../domain/items/item-hash.ts';
import { ANNOTATIONS, ITEM_HASH_LABEL } from '../../domain/manifests/annotations.ts';
import { type EpochMs, asEpochMs, asTime } from '../../domain/base/time.ts';
import type { TaskArn } from '../../domain/base/ids.ts';
import {
  FAILURE_COUNT_KEY,
  IGNORED_FAILURE_COUNT_KEY,
  INDEX_KEY,
  INDEX_VARIABLE,
  ITEM_VARIABLE,
  RESULT_NAME_VARIABLE,
} from '../../domain/task/container-env.ts';
import { CAUSE_WORDS } from '../../domain/planner/ending.ts';
import { JOB_PARTS } from '../../capabilities/lists/parts.ts';
import { partOf } from '../../domain/manifests/job-parts.ts';
import type { ItemValues } from '../../domain/base/late-text.ts';
import { isActive } from '../../domain/scoreboard/index-record.ts';
import { isBarePod } from '../../domain/manifests/bare-pod.ts';
import type { JobIdentity } from '../../domain/manifests/job.ts';
import type { Labels, ObjectMeta, OwnerReference } from '../../domain/manifests/manifest.ts';
import { forItem } from '../../domain/task/item-template.ts';
import { hostname, podName, podUid } from '../../domain/task/pod-name.ts';
import type { Container, EnvVar } from '../../domain/manifests/pod-spec.ts';
import { isEnding, isHidden } from '../../domain/scoreboard/status.ts';
import { verdictText, whyText } from '../../domain/scoreboard/why.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import { withPodDefaults } from './pod-defaults.ts';
import type { PodFacts } from './pod-facts.ts';
import { podStatus } from './render-pod-status.ts';

/** The core/v1 Pod that a user sees. */
export function renderPod(facts: PodFacts) {
  const { index, attempt, version, item } = facts;
  const spec = { ...facts.spec, manifest: forItem(facts.spec.manifest, item) };
  const pod = { ...facts, spec };
  const { identity, manifest } = spec;
  const { template, completionMode } = manifest.spec;
  const indexed = completionMode === 'Indexed';
  const name = podName({ ...identity, completionMode }, index, attempt);
  const arn = taskOf(pod);
  const found = partOf(spec, JOB_PARTS);
  const ofPart = found?.row.podMetadata(found.part, identity.uid, index, attempt);
  const bare = isBarePod(identity);
  const annotations: Labels = {
    ...(bare ? manifest.metadata : template.metadata).annotations,
    ...ofPart?.annotations,
    ...(indexed ? { [INDEX_KEY]: String(index) } : {}),
    ...failureCounts(pod),
    ...(item === null ? {} : { [ANNOTATIONS.item]: item.line }),
    ...(arn === null ? {} : { [ANNOTATIONS.taskArn]: arn }),
    ...judgement(pod),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      ...(bare ? generateNameOf(manifest.metadata) : { generateName: name.slice(0, name.lastIndexOf('-') + 1) }),
      namespace: identity.namespace,
      uid: podUid(identity.uid, index, attempt),
      resourceVersion: String(version),
      creationTimestamp: asTime(podCreatedAt(pod)),
      ...deletion(pod, bare),
      labels: bare ? (manifest.metadata.labels ?? {}) : { ...podLabels(spec, index, item), ...ofPart?.labels },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(bare ? tiesOfBare(manifest.metadata) : { ownerReferences: [ownerOf(identity)] }),
    },
    spec: {
      ...withPodDefaults(template.spec),
      ...containersWithIndex(spec, item),
      ...(indexed ? { hostname: hostname(identity.name, index) } : {}),
      ...(arn === null ? {} : { nodeName: nodeOf(arn) }),
    },
    status: podStatus(pod),
  };
}

const ownerOf = ({ name, uid }: JobIdentity): OwnerReference => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});

const generateNameOf = ({ generateName }: ObjectMeta) => (generateName === undefined ? {} : { generateName });

/** What only a bare Pod may have. */
const tiesOfBare = ({ ownerReferences, finalizers, managedFields }: ObjectMeta) => ({
  ...(ownerReferences === undefined ? {} : { ownerReferences }),
  ...(finalizers === undefined ? {} : { finalizers }),
  ...(managedFields === undefined ? {} : { managedFields }),
});

/** The Pod's task, or the last that it had. */
export const taskOf = ({ record, before, launch }: PodFacts): TaskArn | null =>
  launch?.state === 'launched' ? launch.taskArn : ((record ?? before)?.taskArn ?? null);

/** On Fargate, every task has its own machine; it is named after the task, to identify it. */
export const nodeOf = (task: TaskArn): string => `fargate-${task.slice(task.lastIndexOf('/') + 1)}`;

export type PodObject = ReturnType<typeof renderPod>;

/** The labels of a Pod. */
function podLabels({ manifest }: StoredSpec, index: number, item: ItemValues | null): Labels {
  const { labels } = manifest.spec.template.metadata;
  if (manifest.spec.completionMode === 'NonIndexed') return labels;
  const hash = item === null ? {} : { [ITEM_HASH_LABEL]: itemHash(item.line) };
  return { ...labels, [INDEX_KEY]: String(index), ...hash };
}

const INDEX_ENV: EnvVar = {
  name: INDEX_VARIABLE,
  valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.labels['${INDEX_KEY}']` } },
};

/**
 * Every container gets its index unless it sets the variable itself, as the Kubernetes controller does it, and before its own
 * variables those of its item.
 */
function containersWithIndex({ manifest }: StoredSpec, item: ItemValues | null) {
  const { containers, initContainers } = withPodDefaults(manifest.spec.template.spec);
  if (manifest.spec.completionMode === 'NonIndexed') return {};
  const tell = (container: Container): Container => {
    const given = container.env ?? [];
    const env = [...itemEnv(item), ...given];
    return { ...container, env: given.some(({ name }) => name === INDEX_VARIABLE) ? env : [...env, INDEX_ENV] };
  };
  return {
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(tell) }),
    containers: containers.map(tell),
  };
}

const itemEnv = (item: ItemValues | null): readonly EnvVar[] =>
  item === null
    ? []
    : [
        ...[...item.columns].map(([name, value]) => ({ name, value })),
        { name: ITEM_VARIABLE, value: item.line },
        { name: RESULT_NAME_VARIABLE, value: item.resultName },
      ];

/** When it was created, which is when the first of its tasks was, as far as is known. */
export function podCreatedAt({ record, before, launch, status, spec, current }: PodFacts): EpochMs {
  const last = record ?? before;
  const taskAt = last?.times.createdAt ?? (launch === null || launch.state === 'cancelled' ? null : launch.since);
  const firstTaskSec = current?.podCreatedSec ?? last?.podCreatedSec;
  if (firstTaskSec !== undefined && firstTaskSec !== null) return asEpochMs(firstTaskSec * 1000);
  return taskAt ?? status.startTime ?? spec.identity.createdAt;
}

/** With a limit per index, how often the index had failed when this Pod was created (KEP-3850). */
function failureCounts({ spec, madeAfter: { failures, ignored } }: PodFacts): Labels {
  if (spec.manifest.spec.backoffLimitPerIndex === undefined) return {};
  return {
    [FAILURE_COUNT_KEY]: String(failures),
    ...(ignored === 0 ? {} : { [IGNORED_FAILURE_COUNT_KEY]: String(ignored) }),
  };
}

/** What its end counted as, and because of which rule. */
const judgement = ({ record }: PodFacts): Labels =>
  record === null || whyText(record.judgement.why) === ''
    ? {}
    : {
        [ANNOTATIONS.cause]: CAUSE_WORDS[record.ending.cause],
        [ANNOTATIONS.verdict]: verdictText(record.judgement),
      };

/** Since when an attempt is being stopped, so that its Pod is being deleted; null: it is not. */
export function stoppingSince(pod: PodFacts): EpochMs | null {
  const { state, status, current, mayStop = true, isPublishedStopping = false } = pod;
  if (state === 'ended' || !isActive(state)) return null;
  const { phase } = status;
  if (isEnding(phase) && phase.kind !== 'running') return phase.since;
  const isStopped = isPublishedStopping || (mayStop && current !== null && (current.stopping || current.podDeleted));
  return isStopped ? (status.stopRound?.startedAt ?? status.now) : null;
}

/** A bare Pod is being deleted, or was, with the Job that it is stored as. */
function deletion(pod: PodFacts, bare: boolean) {
  const { phase } = pod.status;
  const deleted = bare && (isHidden(phase) || phase.kind === 'terminating') && 'since' in phase ? phase.since : null;
  const since = stoppingSince(pod) ?? deleted;
  if (since === null) return {};
  const { terminationGracePeriodSeconds } = pod.spec.manifest.spec.template.spec;
  return { deletionTimestamp: asTime(since), deletionGracePeriodSeconds: terminationGracePeriodSeconds };
}
