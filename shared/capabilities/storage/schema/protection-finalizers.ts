/** What protects objects elsewhere while they are used; exported manifests have it. */
export const PROTECTION = {
  volume: 'kubernetes.io/pv-protection',
  claim: 'kubernetes.io/pvc-protection',
} as const;
