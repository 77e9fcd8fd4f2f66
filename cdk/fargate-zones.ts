/**
 * Regions of which Fargate has some zones only, with the ids of those (ECS developer guide, "Supported Regions for Amazon ECS on
 * AWS Fargate", Linux, November 2026). Elsewhere it has every zone that an account sees. An id is the same zone in every account; a
 * name, such as us-west-1a, is not.
 */
export const FARGATE_ZONE_IDS: Readonly<Record<string, readonly string[]>> = {
  'us-west-1': ['usw1-az1', 'usw1-az3'],
  'ap-northeast-1': ['apne1-az1', 'apne1-az2', 'apne1-az4'],
  'cn-north-1': ['cnn1-az1', 'cnn1-az2'],
};

/**
 * Why that many zones cannot be had; null: they can, or the Region is not known yet.
 *
 * @param region where the stack is deployed, as far as the CDK command line knows
 */
export function zonesError(zones: number, region: string | undefined): string | null {
  const ids = FARGATE_ZONE_IDS[region ?? ''];
  if (ids === undefined || zones <= ids.length) return null;
  return `Fargate has ${ids.length} zones in ${region}, ${ids.join(' and ')}: must be ${ids.length} at most`;
}
