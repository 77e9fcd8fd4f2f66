import { taskIdOf } from '../../../domain/base/ids.ts';
import type { findPod } from '../../../kube/pods/find-pod.ts';
import type { Wanted } from '../domain/session-plan.ts';
import { type PodContainers, overText } from '../domain/wanted.ts';

export type FoundPod = NonNullable<Awaited<ReturnType<typeof findPod>>>;

const USUAL = 'kubectl.kubernetes.io/default-container';

/** The containers of a Pod by their names. */
export function containersOf({ facts, pod }: FoundPod): PodContainers {
  const { containers, initContainers = [] } = facts.spec.manifest.spec.template.spec;
  return {
    containers: containers.map(({ name }) => name),
    initContainers: initContainers.map(({ name }) => name),
    usual: pod.metadata.annotations?.[USUAL],
  };
}

/** Whether the container cannot write to its root; null: any that is meant can. */
export function hasReadOnlyRoot({ facts }: FoundPod, container: string | null): boolean {
  const { containers, initContainers = [] } = facts.spec.manifest.spec.template.spec;
  const all = [...containers, ...initContainers];
  const meant = container === null ? containers.slice(0, 1) : all.filter(({ name }) => name === container);
  return meant.some(({ securityContext }) => securityContext?.readOnlyRootFilesystem === true);
}

type Task = { readonly kind: 'task'; readonly id: string } | { readonly kind: 'none'; readonly why: string };

/** The task of a Pod that runs, or reaches its init containers. */
export function taskOf({ facts, pod }: FoundPod, wanted: Wanted['kind'], container: string | null): Task {
  const { phase } = pod.status;
  if (phase === 'Succeeded' || phase === 'Failed') return { kind: 'none', why: overText(wanted, phase) };
  const { launch, state } = facts;
  if (launch?.state === 'launched' && (state === 'running' || state === 'launched'))
    return { kind: 'task', id: taskIdOf(launch.taskArn) };
  return {
    kind: 'none',
    why: container === null ? overText(wanted, phase) : `container not found (${JSON.stringify(container)})`,
  };
}
