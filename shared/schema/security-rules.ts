import { type Fault, invalid } from './fault.ts';
import { refusedFields } from './pod-fields.ts';
import type { ContainerShape, PodSpecShape } from './pod-shape.ts';
import { refusedValue } from './refused-fields.ts';

type User = Partial<Pick<NonNullable<ContainerShape['securityContext']>, 'runAsUser' | 'runAsGroup' | 'runAsNonRoot'>>;

/** Kubernetes' rules for the Pod's security context, of which a container definition has the user. */
export function podSecurityFaults(path: string, { securityContext }: PodSpecShape): readonly Fault[] {
  const at = `${path}.securityContext`;
  return [...refusedFields('podSecurity', at, securityContext), ...idFaults(at, securityContext ?? {})];
}

/** The same for a container's, with what it takes over from the Pod. */
export function containerSecurityFaults(
  path: string,
  { securityContext }: ContainerShape,
  pod: PodSpecShape['securityContext'],
): readonly Fault[] {
  const at = `${path}.securityContext`;
  return [
    ...refusedFields('containerSecurity', at, securityContext),
    ...idFaults(at, securityContext ?? {}),
    ...userFaults(at, {
      runAsUser: securityContext?.runAsUser ?? pod?.runAsUser,
      runAsGroup: securityContext?.runAsGroup ?? pod?.runAsGroup,
      runAsNonRoot: securityContext?.runAsNonRoot ?? pod?.runAsNonRoot,
    }),
    ...capabilityFaults(`${at}.capabilities`, securityContext?.capabilities),
  ];
}

const ID_MAX = 2 ** 31 - 1;

function idFaults(path: string, user: User): readonly Fault[] {
  return (['runAsUser', 'runAsGroup'] as const).flatMap((field) => {
    const id = user[field];
    return id === undefined || (id >= 0 && id <= ID_MAX)
      ? []
      : [invalid(`${path}.${field}`, id, `must be between 0 and ${ID_MAX}, inclusive`)];
  });
}

/** The kubelet looks into the image for its user; nobody does so here, so that it must be written down. */
function userFaults(path: string, { runAsUser, runAsGroup, runAsNonRoot }: User): readonly Fault[] {
  const faults: Fault[] = [];
  if (runAsNonRoot === true && runAsUser === undefined)
    faults.push(refusedValue(`${path}.runAsNonRoot`, "set runAsUser to the number of the image's user, too"));
  if (runAsNonRoot === true && runAsUser === 0)
    faults.push(
      invalid(`${path}.runAsUser`, runAsUser, "container's runAsUser breaks non-root policy (runAsNonRoot is true)"),
    );
  if (runAsGroup !== undefined && runAsUser === undefined)
    faults.push(refusedValue(`${path}.runAsGroup`, 'set runAsUser, too: ECS takes no group without a user'));
  return faults;
}

/** What Fargate adds to a container (ECS API reference, KernelCapabilities). */
const ADDED = ['SYS_PTRACE'];

const DROPPED: ReadonlySet<string> = new Set(
  `ALL AUDIT_CONTROL AUDIT_WRITE BLOCK_SUSPEND CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID IPC_LOCK IPC_OWNER KILL
  LEASE LINUX_IMMUTABLE MAC_ADMIN MAC_OVERRIDE MKNOD NET_ADMIN NET_BIND_SERVICE NET_BROADCAST NET_RAW SETFCAP SETGID
  SETPCAP SETUID SYS_ADMIN SYS_BOOT SYS_CHROOT SYS_MODULE SYS_NICE SYS_PACCT SYS_PTRACE SYS_RAWIO SYS_RESOURCE SYS_TIME
  SYS_TTY_CONFIG SYSLOG WAKE_ALARM`.split(/\s+/),
);

function capabilityFaults(
  path: string,
  capabilities: NonNullable<ContainerShape['securityContext']>['capabilities'],
): readonly Fault[] {
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
