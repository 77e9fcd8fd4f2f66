import { type FieldError, forbidden, invalid, notSupported, required } from '../object/field-error.ts';
import { refusedValue } from '../object/refused-fields.ts';
import type { ContainerShape } from '../pod/pod-shape.ts';
import type { ProbeShape } from '../pod/probe-shape.ts';

/** The probes that a container may have. */
export const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
type ProbeName = (typeof PROBES)[number];

/**
 * Kubernetes' rules for the probes of a container (`validateProbe`, `validateHandler`). They have no effect, but in a sidecar that
 * others wait for.
 *
 * @param path the container's path
 */
export function probeErrors(path: string, c: ContainerShape, isInit: boolean): readonly FieldError[] {
  const isSidecar = isInit && c.restartPolicy === 'Always';
  return PROBES.flatMap((name) => {
    const probe = c[name];
    const at = `${path}.${name}`;
    if (probe === undefined) return [];
    if (isInit && !isSidecar) return [forbidden(at, 'may not be set for init containers without restartPolicy=Always')];
    const errors = [...handlerErrors(at, probe), ...numberErrors(at, probe), ...nameErrors(at, name, probe)];
    return errors.length === 0 && isSidecar && name === 'startupProbe'
      ? [refusedValue(at, 'let the containers after this one wait for it: they start as soon as it has started')]
      : errors;
  });
}

/** Sentences on probes, which have no effect. */
export const probeWarnings = (path: string, c: ContainerShape): readonly string[] =>
  PROBES.filter((name) => c[name] !== undefined).map((name) => `${path}.${name}: ${WITHOUT_EFFECT[name]}`);

const WITHOUT_EFFECT: Readonly<Record<ProbeName, string>> = {
  livenessProbe:
    'has no effect: a program that is stuck is not restarted; activeDeadlineSeconds of the Pod ends one that takes too long',
  readinessProbe: 'has no effect: nothing routes to a Job, and a Pod is ready when it runs',
  startupProbe:
    'has no effect: a program that does not get ready is not restarted; activeDeadlineSeconds of the Pod ends one that takes too long',
};

/** A probe as it is stored: with Kubernetes' defaults (`SetDefaults_Probe`, `SetDefaults_HTTPGetAction`). */
export function admitProbe(probe: ProbeShape): ProbeShape {
  const { httpGet } = probe;
  return {
    ...probe,
    ...(httpGet === undefined
      ? {}
      : { httpGet: { ...httpGet, path: httpGet.path || '/', scheme: httpGet.scheme || 'HTTP' } }),
    timeoutSeconds: probe.timeoutSeconds || 1,
    periodSeconds: probe.periodSeconds || 10,
    successThreshold: probe.successThreshold || 1,
    failureThreshold: probe.failureThreshold || 3,
  };
}

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'] as const;

function handlerErrors(path: string, probe: ProbeShape): readonly FieldError[] {
  const given = HANDLERS.filter((name) => probe[name] !== undefined);
  const [first, ...others] = given;
  if (first === undefined) return [required(path, 'must specify a handler type')];
  return [
    ...oneHandlerErrors(`${path}.${first}`, first, probe),
    ...others.map((name) => forbidden(`${path}.${name}`, 'may not specify more than 1 handler type')),
  ];
}

function oneHandlerErrors(path: string, name: (typeof HANDLERS)[number], probe: ProbeShape): readonly FieldError[] {
  switch (name) {
    case 'exec':
      return (probe.exec?.command ?? []).length === 0 ? [required(`${path}.command`)] : [];
    case 'httpGet': {
      const { port, scheme = '', httpHeaders = [] } = probe.httpGet ?? {};
      return [
        ...portErrors(`${path}.port`, port),
        ...(['', 'HTTP', 'HTTPS'].includes(scheme) ? [] : [notSupported(`${path}.scheme`, scheme, ['HTTP', 'HTTPS'])]),
        ...httpHeaders.flatMap(({ name: header = '' }) =>
          HEADER.test(header) ? [] : [invalid(`${path}.httpHeaders`, header, HEADER_FAULT)],
        ),
      ];
    }
    case 'tcpSocket':
      return portErrors(`${path}.port`, probe.tcpSocket?.port);
    case 'grpc':
      return portErrors(`${path}.port`, probe.grpc?.port);
  }
}

const HEADER = /^[-A-Za-z0-9]+$/;
const HEADER_FAULT =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

/** `ValidatePortNumOrName` */
function portErrors(path: string, port: number | string = 0): readonly FieldError[] {
  if (typeof port === 'number')
    return port >= 1 && port <= 65_535 ? [] : [invalid(path, port, 'must be between 1 and 65535, inclusive')];
  const faults = [
    port.length > 15 ? 'must be no more than 15 characters' : null,
    /^[-a-z0-9]+$/.test(port) ? null : 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
    /[a-z]/.test(port) ? null : 'must contain at least one letter (a-z)',
    port.includes('--') ? 'must not contain consecutive hyphens' : null,
    port.startsWith('-') || port.endsWith('-') ? 'must not begin or end with a hyphen' : null,
  ];
  return faults.flatMap((fault) => (fault === null ? [] : [invalid(path, port, fault)]));
}

const NUMBERS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

function numberErrors(path: string, probe: ProbeShape): readonly FieldError[] {
  const { terminationGracePeriodSeconds: graceSec } = probe;
  return [
    ...NUMBERS.flatMap((name) => {
      const value = probe[name] ?? 0;
      return value >= 0 ? [] : [invalid(`${path}.${name}`, value, 'must be greater than or equal to 0')];
    }),
    ...(graceSec === undefined || graceSec > 0
      ? []
      : [invalid(`${path}.terminationGracePeriodSeconds`, graceSec, 'must be greater than 0')]),
  ];
}

function nameErrors(path: string, name: ProbeName, probe: ProbeShape): readonly FieldError[] {
  if (name === 'readinessProbe')
    return probe.terminationGracePeriodSeconds === undefined
      ? []
      : [
          invalid(
            `${path}.terminationGracePeriodSeconds`,
            probe.terminationGracePeriodSeconds,
            'must not be set for readinessProbes',
          ),
        ];
  const { successThreshold = 0 } = probe;
  return successThreshold === 0 || successThreshold === 1
    ? []
    : [invalid(`${path}.successThreshold`, successThreshold, 'must be 1')];
}
