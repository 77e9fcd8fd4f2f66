import { HOSTS_MAX, hostServiceName } from '../../domain/task/host-names.ts';
import type { PodTemplate } from '../../domain/spec/manifest.ts';
import { dnsLabelErrors } from '../object/dns-names.ts';
import { type FieldError, forbidden, invalid } from '../object/field-error.ts';
import type { DefaultedSpec } from './job-defaults.ts';
import { refusedValue } from '../object/refused-fields.ts';

/** How many names an installation has to give, to all of its Jobs together; null: it gives none. */
export type HostsOffer = { readonly max: number } | null;

/** For an unknown installation, as in a simulation: what any installation with names can be expected to have. */
export const USUAL_OFFER: HostsOffer = { max: HOSTS_MAX };

/** Cloud Map's limit for the name of a service (CreateService, `Name`). */
const SERVICE_CHARS_MAX = 127;

const PATH = 'spec.template.spec.subdomain';

/**
 * A Job whose template has a `subdomain` gives each index a name of its own. What Kubernetes asks of a subdomain, and what
 * AWS Cloud Map takes: a name is a service there, and its task's address an instance of it (aws.md 4.1). That the first
 * label is one is asked of every Indexed Job (`hostnameErrors`).
 */
export function hostNameErrors(
  { completionMode, completions = 0, template }: DefaultedSpec,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  offer: HostsOffer,
): readonly FieldError[] {
  const subdomain = template?.spec?.subdomain ?? '';
  if (subdomain === '') return [];
  const errors = dnsLabelErrors(subdomain).map((fieldError) => invalid(PATH, subdomain, fieldError));
  if (completionMode === 'NonIndexed')
    errors.push(
      refusedValue(PATH, 'set spec.completionMode to Indexed, for only an index has a name, or leave it out'),
    );
  if (completionMode !== 'Indexed') return errors;
  if (offer === null)
    errors.push(
      forbidden(
        PATH,
        'this installation gives no names to tasks; leave it out, or deploy Muster with hostnames (docs/hostnames.md)',
      ),
    );
  const service = hostServiceName({ namespace, name, subdomain }, Math.max(completions - 1, 0));
  if (name !== '' && service.length > SERVICE_CHARS_MAX)
    errors.push(
      invalid(
        PATH,
        subdomain,
        `the name ${service} needs ${service.length} of ${SERVICE_CHARS_MAX} characters that AWS Cloud Map takes: shorten it, or the Job's name or namespace`,
      ),
    );
  if (offer !== null && completions > offer.max)
    errors.push(
      invalid(
        'spec.completions',
        completions,
        `must be less than or equal to ${offer.max} when ${PATH} is set: each index needs one of ${offer.max} names that AWS Cloud Map holds for all Jobs`,
      ),
    );
  return errors;
}

/**
 * In a cluster `<job>-<index>.<subdomain>` is enough, as Pods have a search domain. Tasks have none: a program that was
 * written for a cluster would wait for ever.
 */
export function hostNameWarnings({ spec }: PodTemplate): readonly string[] {
  const { subdomain = '', containers, initContainers = [] } = spec;
  if (subdomain === '') return [];
  const words = [...initContainers, ...containers].flatMap(({ command = [], args = [], env = [] }) => [
    ...command,
    ...args,
    ...env.map(({ value = '' }) => value),
  ]);
  return words.some((word) => endsShort(word, `.${subdomain}`))
    ? [
        `${PATH}: tasks have no search domain, so names like JOB-0.${subdomain} are found by nobody; use full ones: printf "$MUSTER_HOSTS_PATTERN" 0`,
      ]
    : [];
}

/** Whether `end` stands in the text as the end of a name. */
function endsShort(text: string, end: string): boolean {
  for (let at = text.indexOf(end); at !== -1; at = text.indexOf(end, at + 1))
    if (!/^[-.\w]/.test(text.slice(at + end.length)) && /[-\w}%]$/.test(text.slice(0, at))) return true;
  return false;
}
