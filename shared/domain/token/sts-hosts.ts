/** Regions of a partition, and the hosts of STS in them (General Reference, "AWS Security Token Service endpoints"). */
type Partition = { readonly regions: RegExp; readonly hosts: RegExp };

/**
 * STS has a host in each Region, which AWS adds without asking us, so the patterns allow for Regions that we do not know. No
 * customer has a name below these domains that begins with `sts`. Partitions do not know each other's users.
 */
const PARTITIONS: readonly Partition[] = [
  { regions: /^cn-/, hosts: /^sts\.cn-[a-z]+-\d\.amazonaws\.com\.cn$/ },
  { regions: /^us-gov-/, hosts: /^sts\.us-gov-[a-z]+-\d\.amazonaws\.com$/ },
  { regions: /^us-iso-/, hosts: /^sts\.us-iso-[a-z]+-\d\.c2s\.ic\.gov$/ },
  { regions: /^us-isob-/, hosts: /^sts\.us-isob-[a-z]+-\d\.sc2s\.sgov\.gov$/ },
];
/** The global host, and those of each Region; `sts-fips` in the United States. */
const COMMERCIAL: Partition = { regions: /^/, hosts: /^(?:sts|sts(?:-fips)?\.[a-z]{2}-[a-z]+-\d)\.amazonaws\.com$/ };

const partitionOf = (region: string): Partition => PARTITIONS.find(({ regions }) => regions.test(region)) ?? COMMERCIAL;

/** Whether a host is one of STS, in the partition of `region`. */
export const isStsHost = (host: string, region: string): boolean => partitionOf(region).hosts.test(host);
