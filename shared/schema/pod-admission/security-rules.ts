import { type FieldError, invalid } from '../object/field-error.ts';
import { refusedFields } from '../pod/pod-fields.ts';
import type { ContainerShape, PodSpecShape } from '../pod/pod-shape.ts';
import { refusedValue } from '../object/refused-fields.ts';

type User = Partial<Pick<NonNullable<ContainerShape['securityContext']>, 'runAsUser' | 'runAsGroup' | 'runAsNonRoot'>>;
type Ids = Partial<Pick<NonNullable<PodSpecShape['securityContext']>, 'runAsUser' | 'runAsGroup' | 'fsGroup'>>;

/** Kubernetes' rules for the Pod's security context. */
export function podSecurityErrors(path: string, { securityContext }: PodSpecShape): readonly FieldError[] {
  const at = `${path}.securityContext`;
  return [
    ...refusedFields('podSecurity', at, securityContext),
    ...idErrors(at, securityContext ?? {}),
    ...(securityContext?.supplementalGroups ?? []).flatMap((group, i) =>
      idError(`${at}.supplementalGroups[${i}]`, group),
    ),
  ];
}

/** The same for a container's, with the values that it inherits from the Pod. */
export function containerSecurityErrors(
  path: string,
  { securityContext }: ContainerShape,
  pod: PodSpecShape['securityContext'],
): readonly FieldError[] {
  const at = `${path}.securityContext`;
  return [
    ...refusedFields('containerSecurity', at, securityContext),
    ...idErrors(at, securityContext ?? {}),
    ...userErrors(at, {
      runAsUser: securityContext?.runAsUser ?? pod?.runAsUser,
      runAsGroup: securityContext?.runAsGroup ?? pod?.runAsGroup,
      runAsNonRoot: securityContext?.runAsNonRoot ?? pod?.runAsNonRoot,
    }),
    ...capabilityErrors(`${at}.capabilities`, securityContext?.capabilities),
  ];
}

const ID_MAX = 2 ** 31 - 1;

function idErrors(path: string, ids: Ids): readonly FieldError[] {
  return (['runAsUser', 'runAsGroup', 'fsGroup'] as const).flatMap((field) => idError(`${path}.${field}`, ids[field]));
}

const idError = (path: string, id: number | undefined): readonly FieldError[] =>
  id === undefined || (id >= 0 && id <= ID_MAX)
    ? []
    : [invalid(path, id, `must be between 0 and ${ID_MAX}, inclusive`)];

/** The kubelet reads the image's user. Muster does not, so the template must set it. */
function userErrors(path: string, { runAsUser, runAsGroup, runAsNonRoot }: User): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (runAsNonRoot === true && runAsUser === undefined)
    errors.push(refusedValue(`${path}.runAsNonRoot`, "set runAsUser to the number of the image's user, too"));
  if (runAsNonRoot === true && runAsUser === 0)
    errors.push(
      invalid(`${path}.runAsUser`, runAsUser, "container's runAsUser breaks non-root policy (runAsNonRoot is true)"),
    );
  if (runAsGroup !== undefined && runAsUser === undefined)
    errors.push(refusedValue(`${path}.runAsGroup`, 'set runAsUser, too: ECS accepts a group only with a user'));
  return errors;
}

/** Capabilities that Fargate can add to a container (ECS API reference, KernelCapabilities). */
const ADDED = ['SYS_PTRACE'];

const DROPPED: ReadonlySet<string> = new Set(
  `ALL AUDIT_CONTROL AUDIT_WRITE BLOCK_SUSPEND CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID IPC_LOCK IPC_OWNER KILL
  LEASE LINUX_IMMUTABLE MAC_ADMIN MAC_OVERRIDE MKNOD NET_ADMIN NET_BIND_SERVICE NET_BROADCAST NET_RAW SETFCAP SETGID
  SETPCAP SETUID SYS_ADMIN SYS_BOOT SYS_CHROOT SYS_MODULE SYS_NICE SYS_PACCT SYS_PTRACE SYS_RAWIO SYS_RESOURCE SYS_TIME
  SYS_TTY_CONFIG SYSLOG WAKE_ALARM`.split(/\s+/),
);

function capabilityErrors(
  path: string,
  capabilities: NonNullable<ContainerShape['securityContext']>['capabilities'],
): readonly FieldError[] {
  const { add = [], drop = [] } = capabilities ?? {};
  return [
    ...add.flatMap((name, i) =>
      ADDED.includes(name) ? [] : [refusedValue(`${path}.add[${i}]`, 'leave it out: Fargate adds SYS_PTRACE only')],
    ),
    ...drop.flatMap((name, i) =>
      DROPPED.has(name) ? [] : [refusedValue(`${path}.drop[${i}]`, 'leave it out: ECS does not know this capability')],
    ),
  ];
}
