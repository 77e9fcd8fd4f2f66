import type { Ending } from '../base/fact.ts';
import { WAITING } from './pod-sources.ts';

/** What the kubelet says of a container that it cannot start (https://github.com/kubernetes/kubernetes, pkg/kubelet/images/types.go). */
export type StartFailure =
  | 'ImagePullBackOff'
  | 'ErrImageNeverPull'
  | 'InvalidImageName'
  | 'CreateContainerConfigError'
  | 'CreateContainerError';

/**
 * The kubelet's word for what kept a container of a task from starting. A word to show: nothing is decided by it. Pure.
 *
 * @returns null: it was not the container; the task had no place, or it has started
 */
export function startFailureOf({ cause, reason }: Pick<Ending, 'cause' | 'reason'>): StartFailure | null {
  if (cause === 'Unplaced') return CANNOT_PULL.test(reason) ? imageFailure(reason) : null;
  if (cause !== 'StartFailed') return null;
  if (/pull/i.test(reason)) return imageFailure(reason);
  return /secret|ssm|parameter/i.test(reason) ? 'CreateContainerConfigError' : 'CreateContainerError';
}

/** `CannotPullContainerError: …`, `CannotPullImageManifestError: …` (ECS developer guide, CannotPullContainer task errors) */
const CANNOT_PULL = /^CannotPull\w*: /;

/** Those of the engine of this machine begin with the kubelet's word. */
function imageFailure(reason: string): StartFailure {
  const [, word] = /^CannotPull\w*: (ErrImageNeverPull|InvalidImageName): /.exec(reason) ?? [];
  return word === 'ErrImageNeverPull' || word === 'InvalidImageName' ? word : 'ImagePullBackOff';
}

/** A reason of `missingSource` in its parts; null: it is another one. Words to show: nothing is decided by them. */
export function waitingWords(reason: string): { readonly what: keyof typeof WAITING; readonly text: string } | null {
  const [, word, text = ''] = /^(\w+): (.*)$/s.exec(reason) ?? [];
  const what = (['claim', 'variable', 'volume', 'pull'] as const).find((each) => WAITING[each] === word);
  return what === undefined ? null : { what, text };
}
