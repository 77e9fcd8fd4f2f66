/** What the hosts of a partition's Regions end in (General Reference, "AWS STS endpoints and quotas"). */
type Partition = { readonly regions: RegExp; readonly domain: string };

const PARTITIONS: readonly Partition[] = [
  { regions: /^cn-/, domain: 'amazonaws.com.cn' },
  { regions: /^us-gov-/, domain: 'amazonaws.com' },
  { regions: /^us-iso-/, domain: 'c2s.ic.gov' },
  { regions: /^us-isob-/, domain: 'sc2s.sgov.gov' },
];
/** Alone has the global host, and `sts-fips` in the United States. */
const COMMERCIAL: Partition = { regions: /^/, domain: 'amazonaws.com' };

const partitionOf = (region: string): Partition => PARTITIONS.find(({ regions }) => regions.test(region)) ?? COMMERCIAL;

/**
 * Whether a host is STS of this Region, or the global one. No other is asked: the sender chooses the host, and the slowest of the
 * world, or one that does not exist yet, would hold the reader up.
 */
export function isStsHost(host: string, region: string): boolean {
  if (host === stsHostOf(region)) return true;
  if (partitionOf(region) !== COMMERCIAL) return false;
  return host === 'sts.amazonaws.com' || (region.startsWith('us-') && host === `sts-fips.${region}.amazonaws.com`);
}

/** The host of STS in a Region. */
export const stsHostOf = (region: string): string => `sts.${region}.${partitionOf(region).domain}`;
