/** A ResourceQuota with these limits. */
export const quotaDocument = (hard: object) => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'team' },
  spec: { hard },
});

/** A LimitRange that says this of containers, or of Pods. */
export const limitRangeDocument = (item: object) => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'usual' },
  spec: { limits: [item] },
});
