import type { PodSpec } from '../../../domain/manifests/pod-spec.ts';

/** A token that a volume of a Pod has as a file. */
export type PodToken = {
  readonly volume: string;
  readonly path: string;
  /** Empty: this API. */
  readonly audiences: readonly string[];
  readonly lifeSec: number;
};

/** The tokens in a Pod's projected volumes. */
export const podTokens = ({ volumes = [] }: Pick<PodSpec, 'volumes'>): readonly PodToken[] =>
  volumes.flatMap(({ name: volume, projected }) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken: token }) =>
      token === undefined
        ? []
        : [
            {
              volume,
              path: token.path,
              audiences: token.audience === undefined ? [] : [token.audience],
              lifeSec: token.expirationSeconds,
            },
          ],
    ),
  );

/**
 * Whether containers get a token without asking for it: the Pod decides, then its account (upstream's admission of ServiceAccounts,
 * `ShouldAutomount`).
 */
export const isMounted = (
  { automountServiceAccountToken: ofPod }: Pick<PodSpec, 'automountServiceAccountToken'>,
  ofAccount: boolean | null,
): boolean => ofPod ?? ofAccount ?? true;

/** How long a token holds that nobody has asked for: an hour, and what a kubelet adds to tell such tokens from others. */
export const MOUNTED_LIFE_SEC = 3607;

/** A kubelet renews a token when a fifth of its life is left, and after a day at the latest (pkg/kubelet/token). */
export const renewalSec = (lifeSec: number): number => Math.min(lifeSec * 0.8, DAY_SEC);
const DAY_SEC = 86_400;
