/**
 * What tokens for a deployment are signed for: the id of its API behind a word and a slash. EKS has names of clusters in the same
 * header, which their owners choose, without a slash (EKS API reference, CreateCluster). So nobody can name a cluster like a
 * deployment and send its users' tokens here.
 *
 * @param apiId of API Gateway; may be a token of CDK
 */
export const tokenClusterOf = (apiId: string): string => `muster/${apiId}`;

/**
 * Checks what a token is to be signed for, or must be signed for.
 *
 * @returns null if it is right, else how it must be
 */
export const tokenClusterError = (clusterId: string): string | null =>
  /^muster\/[a-z0-9-]+$/.test(clusterId) ? null : 'must be the output TokenCluster, such as muster/a1b2c3';
