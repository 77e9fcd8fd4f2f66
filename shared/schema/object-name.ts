import { dnsLabelFaults, dnsSubdomainFaults } from './dns-names.ts';
import { type Fault, invalid, required } from './fault.ts';

type Named = { readonly name?: string | undefined; readonly generateName?: string | undefined };

/** Names that Muster makes: 63 less the suffix (Kubernetes' `maxGeneratedNameLength`). */
const GENERATE_NAME_CHARS_MAX = 58;

/** The name that the object gives itself, or the one that its prefix and `suffix` (5 characters) make; '': neither. */
export function nameOf(metadata: Named | undefined, suffix: string): string {
  const given = metadata?.name ?? '';
  const prefix = metadata?.generateName ?? '';
  return given !== '' || prefix === '' ? given : prefix.slice(0, GENERATE_NAME_CHARS_MAX) + suffix;
}

/** Kubernetes' rules for the name of a Job or CronJob, and for the prefix that it was made from. */
export function nameFaults(name: string, metadata: Named | undefined): readonly Fault[] {
  const faults =
    name === ''
      ? [required('metadata.name', 'name or generateName is required')]
      : dnsSubdomainFaults(name).map((fault) => invalid('metadata.name', name, fault));
  return [...faults, ...prefixFaults(metadata?.generateName ?? '')];
}

/** A prefix may end with a dash, for something follows. */
const prefixFaults = (prefix: string): readonly Fault[] =>
  prefix === ''
    ? []
    : dnsSubdomainFaults(prefix.replace(/.-$/, 'a')).map((fault) => invalid('metadata.generateName', prefix, fault));

/** What is allowed in a name and troubles those who use it as a label of DNS. */
export const nameWarnings = (name: string): readonly string[] => {
  const faults = dnsLabelFaults(name);
  return faults.length === 0
    ? []
    : [
        `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${faults.join(' ')}]`,
      ];
};
