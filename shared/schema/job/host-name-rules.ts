import { ANNOTATIONS } from '../../domain/manifests/annotations.ts';
import { HOSTS_MAX, hasReadyName, hostServiceName, readyServiceName } from '../../domain/task/host-names.ts';
import type { Labels, PodTemplate } from '../../domain/manifests/manifest.ts';
import { dnsLabelErrors } from '../object/dns-names.ts';
import { type FieldError, forbidden, invalid } from '../object/field-error.ts';
import type { DefaultedSpec } from './job-defaults.ts';
import { refusedValue } from '../object/refused-fields.ts';

/** How many names an installation offers to all its Jobs together; null: it has no names. */
export type HostsOffer = { readonly max: number } | null;

/** The default of any installation with names, for when the installation is unknown, as in a simulation. */
export const USUAL_OFFER: HostsOffer = { max: HOSTS_MAX };

/** Cloud Map's limit for the name of a service (CreateService, `Name`). */
const SERVICE_CHARS_MAX = 127;

const PATH = 'spec.template.spec.subdomain';

/**
 * The rules for a template with a `subdomain`, which gives each index a name: those of Kubernetes, and those of AWS
 * Cloud Map, where a name is a service and a task's address is an instance (aws.md 4.1). `hostnameErrors` checks the
 * first label, for every Indexed Job.
 */
export function hostNameErrors(
  { completionMode, completions = 0, template }: DefaultedSpec,
  {
    name,
    namespace,
    annotations,
  }: { readonly name: string; readonly namespace: string; readonly annotations?: Labels | undefined },
  offer: HostsOffer,
): readonly FieldError[] {
  const subdomain = template?.spec?.subdomain ?? '';
  if (subdomain === '') return [];
  const errors = dnsLabelErrors(subdomain).map((fieldError) => invalid(PATH, subdomain, fieldError));
  if (completionMode === 'NonIndexed')
    errors.push(
      refusedValue(PATH, 'set spec.completionMode to Indexed, because only indexes have names, or leave it out'),
    );
  if (completionMode !== 'Indexed') return errors;
  if (offer === null)
    errors.push(
      forbidden(
        PATH,
        'this installation has no names for tasks; leave it out, or deploy Muster with hostnames (docs/hostnames.md)',
      ),
    );
  const last = hostServiceName({ namespace, name, subdomain }, Math.max(completions - 1, 0));
  const isGang = hasReadyName({ metadata: { annotations } });
  const ready = isGang ? readyServiceName({ namespace, name, subdomain }) : '';
  const service = ready.length > last.length ? ready : last;
  if (name !== '' && service.length > SERVICE_CHARS_MAX)
    errors.push(
      invalid(
        PATH,
        subdomain,
        `the name ${service} has ${service.length} characters, and AWS Cloud Map allows ${SERVICE_CHARS_MAX}: shorten it, or the Job's name or namespace`,
      ),
    );
  const own = isGang ? 1 : 0;
  if (offer !== null && completions + own > offer.max)
    errors.push(
      invalid(
        'spec.completions',
        completions,
        `must be less than or equal to ${offer.max - own} when ${isGang ? `${PATH} and the annotation ${ANNOTATIONS.gang} are` : `${PATH} is`} set: ${isGang ? `each index needs a name, and the gang one more,` : `each index needs a name,`} and AWS Cloud Map holds ${offer.max} for all Jobs`,
      ),
    );
  return errors;
}

/**
 * In a cluster, `<job>-<index>.<subdomain>` is enough, because Pods have a search domain. Tasks have none, so a program
 * written for a cluster would wait forever.
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
        `${PATH}: tasks have no search domain, so names like JOB-0.${subdomain} do not resolve; use full names: printf "$MUSTER_HOSTS_PATTERN" 0`,
      ]
    : [];
}

/** Whether a name in the text ends with `end`. */
function endsShort(text: string, end: string): boolean {
  for (let at = text.indexOf(end); at !== -1; at = text.indexOf(end, at + 1))
    if (!/^[-.\w]/.test(text.slice(at + end.length)) && /[-\w}%]$/.test(text.slice(0, at))) return true;
  return false;
}

/** Each index needs a name, and Cloud Map has a limited number: `left` of `max` that others have not reserved. */
export function noRoomError(
  path: string,
  value: unknown,
  { needed, left, max }: { readonly needed: number; readonly left: number; readonly max: number },
): FieldError {
  const message = `the Job needs ${needed} names, and ${left} are left: other Jobs that are there have reserved ${max - left} of ${max}`;
  return invalid(path, value, message);
}
