import type { Container } from '../domain/pod-spec.ts';
import { dnsLabelFaults } from './dns-names.ts';
import { envFaults, secretVariables, wordFaults } from './env-rules.ts';
import { type Fault, forbidden, invalid, notSupported, required } from './fault.ts';
import { refusedFields } from './pod-fields.ts';
import type { ContainerShape, PodSpecShape } from './pod-shape.ts';
import { refusedValue } from './refused-fields.ts';
import { resourceFaults } from './resource-rules.ts';
import { containerSecurityFaults } from './security-rules.ts';
import { mountFaults } from './volume-rules.ts';

/** The Pod around a container. */
export type ContainerContext = {
  readonly spec: PodSpecShape;
  readonly isInit: boolean;
  /** The container itself, and all of the Pod's, as they would be admitted. */
  readonly admitted: Container;
  readonly pod: readonly Container[];
};

/** Kubernetes' rules for one container (`validateContainerCommon`), and what Fargate cannot do. */
export function containerFaults(path: string, c: ContainerShape, context: ContainerContext): readonly Fault[] {
  const { name = '', image = '' } = c;
  const faults: Fault[] = [];
  if (name === '') faults.push(required(`${path}.name`));
  else faults.push(...dnsLabelFaults(name).map((fault) => invalid(`${path}.name`, name, fault)));
  if (image === '') faults.push(required(`${path}.image`));
  else if (image.trim() !== image)
    faults.push(invalid(`${path}.image`, image, 'must not have leading or trailing whitespace'));
  return [
    ...faults,
    ...commandFaults(path, c),
    ...envFaults(`${path}.env`, c.env ?? [], { container: context.admitted, pod: context.pod }),
    ...resourceFaults(`${path}.resources`, c.resources),
    ...restartPolicyFaults(`${path}.restartPolicy`, c.restartPolicy, context.isInit),
    ...portFaults(`${path}.ports`, c.ports ?? []),
    ...mountFaults(path, c, context.spec.volumes ?? []),
    ...containerSecurityFaults(path, c, context.spec.securityContext),
    ...refusedFields('container', path, c),
  ];
}

function commandFaults(path: string, c: ContainerShape): readonly Fault[] {
  const secrets = secretVariables(c.env ?? []);
  const faults: Fault[] = [];
  for (const field of ['command', 'args'] as const)
    for (const [i, word] of (c[field] ?? []).entries())
      faults.push(...wordFaults(`${path}.${field}[${i}]`, word, secrets));
  return [...faults, ...wordFaults(`${path}.workingDir`, c.workingDir ?? '', new Set())];
}

/** A sidecar is an init container that is restarted; Kubernetes allows no other policy of a container's own. */
function restartPolicyFaults(path: string, policy: string | undefined, isInit: boolean): readonly Fault[] {
  if (policy === undefined || policy === '') return [];
  if (!isInit) return [forbidden(path, 'may not be set for non-init containers')];
  return policy === 'Always' ? [] : [notSupported(path, policy, ['Always'])];
}

function portFaults(path: string, ports: NonNullable<ContainerShape['ports']>): readonly Fault[] {
  return ports.flatMap((port, i) => {
    const at = `${path}[${i}]`;
    const { containerPort, protocol = 'TCP' } = port;
    const faults: Fault[] = [];
    if (containerPort === undefined || containerPort === 0) faults.push(required(`${at}.containerPort`));
    else if (containerPort < 1 || containerPort > 65_535)
      faults.push(invalid(`${at}.containerPort`, containerPort, 'must be between 1 and 65535, inclusive'));
    if (protocol === 'SCTP') faults.push(refusedValue(`${at}.protocol`, 'use TCP or UDP'));
    else if (protocol !== 'TCP' && protocol !== 'UDP')
      faults.push(notSupported(`${at}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']));
    return [...faults, ...refusedFields('port', at, port)];
  });
}
