/** The domain of a partition's Regions, and the hosts of STS in them (General Reference, "AWS STS endpoints and quotas"). */
type Partition = { readonly regions: RegExp; readonly domain: string; readonly hosts: RegExp };

/**
 * STS has a host in each Region, which AWS adds without asking us, so the patterns allow for Regions that we do not know. No
 * customer has a name below these domains that begins with `sts`. Partitions do not know each other's users.
 */
const PARTITIONS: readonly Partition[] = [
  { regions: /^cn-/, domain: 'amazonaws.com.cn', hosts: /^sts\.cn-[a-z]+-\d\.amazonaws\.com\.cn$/ },
  { regions: /^us-gov-/, domain: 'amazonaws.com', hosts: /^sts\.us-gov-[a-z]+-\d\.amazonaws\.com$/ },
  { regions: /^us-iso-/, domain: 'c2s.ic.gov', hosts: /^sts\.us-iso-[a-z]+-\d\.c2s\.ic\.gov$/ },
  { regions: /^us-isob-/, domain: 'sc2s.sgov.gov', hosts: /^sts\.us-isob-[a-z]+-\d\.sc2s\.sgov\.gov$/ },
];
/** With the global host, and `sts-fips` in the United States. */
const COMMERCIAL: Partition = {
  regions: /^/,
  domain: 'amazonaws.com',
  hosts: /^(?:sts|sts\.[a-z]{2}-[a-z]+-\d|sts-fips\.us-[a-z]+-\d)\.amazonaws\.com$/,
};

const partitionOf = (region: string): Partition => PARTITIONS.find(({ regions }) => regions.test(region)) ?? COMMERCIAL;

/** Whether a host is one of STS, in the partition of `region`. */
export const isStsHost = (host: string, region: string): boolean => partitionOf(region).hosts.test(host);

/** The host of STS in a Region. */
export const stsHostOf = (region: string): string => `sts.${region}.${partitionOf(region).domain}`;
