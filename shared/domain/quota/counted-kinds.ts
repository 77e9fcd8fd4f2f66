/** What a quota counts each object as, of the kinds whose objects count for nothing but themselves. */
const COUNTED_AS = {
  CronJob: 'cronJobs',
  JobConfig: 'jobConfigs',
  LimitRange: 'limitRanges',
  ResourceQuota: 'resourceQuotas',
  Role: 'roles',
  RoleBinding: 'roleBindings',
  Service: 'services',
  ServiceAccount: 'serviceAccounts',
  WorkList: 'workLists',
} as const;

/** A kind whose objects quotas count. Jobs are not among them: they count for their Pods, too. */
export type CountedKind = keyof typeof COUNTED_AS;
export type CountedObjects = (typeof COUNTED_AS)[CountedKind];

export const COUNTED_KINDS = Object.keys(COUNTED_AS) as readonly CountedKind[];

export const isCountedKind = (kind: string): kind is CountedKind => Object.hasOwn(COUNTED_AS, kind);

/** What of a usage the objects of a kind are. */
export const countedAs = (kind: CountedKind): CountedObjects => COUNTED_AS[kind];
