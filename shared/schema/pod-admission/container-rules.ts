import type { Container } from '../../domain/manifests/pod-spec.ts';
import { FILES_CONTAINER } from '../../domain/task/task.ts';
import { dnsLabelErrors } from '../object/dns-names.ts';
import { envErrors, envFromErrors, secretVariables, wordErrors } from '../pod/env-rules.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../object/field-error.ts';
import { refusedFields } from '../pod/pod-fields.ts';
import type { ContainerShape, PodSpecShape } from '../pod/pod-shape.ts';
import { refusedValue } from '../object/refused-fields.ts';
import { resourceErrors } from '../pod/resource-rules.ts';
import { probeErrors } from './probe-rules.ts';
import { containerSecurityErrors } from './security-rules.ts';
import { resizeErrors } from './without-effect-rules.ts';
import { mountErrors } from '../pod/mount-rules.ts';

/** The Pod around a container. */
export type ContainerContext = {
  readonly spec: PodSpecShape;
  readonly isInit: boolean;
  /** Its volumes hold files, or have a group: a container sees to that. */
  readonly hasFiles: boolean;
  /** The container itself and all of the Pod's containers, with defaults. */
  readonly admitted: Container;
  readonly pod: readonly Container[];
};

/** Kubernetes' rules for one container (`validateContainerCommon`), and what Fargate cannot do. */
export function containerErrors(path: string, c: ContainerShape, context: ContainerContext): readonly FieldError[] {
  const { name = '', image = '' } = c;
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(`${path}.name`));
  else if (name === FILES_CONTAINER && context.hasFiles)
    errors.push(refusedValue(`${path}.name`, 'use another name: a container of this name writes the files of volumes'));
  else errors.push(...dnsLabelErrors(name).map((fieldError) => invalid(`${path}.name`, name, fieldError)));
  if (image === '') errors.push(required(`${path}.image`));
  else if (image.trim() !== image)
    errors.push(invalid(`${path}.image`, image, 'must not have leading or trailing whitespace'));
  return [
    ...errors,
    ...commandErrors(path, c),
    ...envErrors(`${path}.env`, c, { container: context.admitted, pod: context.pod }),
    ...envFromErrors(`${path}.envFrom`, c.envFrom ?? []),
    ...resourceErrors(`${path}.resources`, c.resources),
    ...restartPolicyErrors(`${path}.restartPolicy`, c.restartPolicy, context.isInit),
    ...oneOfErrors(`${path}.terminationMessagePolicy`, c.terminationMessagePolicy, MESSAGE_POLICIES),
    ...oneOfErrors(`${path}.imagePullPolicy`, c.imagePullPolicy, PULL_POLICIES),
    ...portErrors(`${path}.ports`, c.ports ?? []),
    ...mountErrors(path, c, context.spec.volumes ?? []),
    ...containerSecurityErrors(path, c, context.spec.securityContext),
    ...probeErrors(path, c, context.isInit),
    ...resizeErrors(`${path}.resizePolicy`, c, context.spec),
    ...refusedFields('container', path, c),
  ];
}

function commandErrors(path: string, c: ContainerShape): readonly FieldError[] {
  const isSecret = secretVariables(c);
  const errors: FieldError[] = [];
  for (const field of ['command', 'args'] as const)
    for (const [i, word] of (c[field] ?? []).entries())
      errors.push(...wordErrors(`${path}.${field}[${i}]`, word, isSecret));
  return [...errors, ...wordErrors(`${path}.workingDir`, c.workingDir ?? '', () => false)];
}

/** A sidecar is an init container that is restarted. Kubernetes allows a container no other policy. */
function restartPolicyErrors(path: string, policy: string | undefined, isInit: boolean): readonly FieldError[] {
  if (policy === undefined || policy === '') return [];
  if (!isInit) return [forbidden(path, 'may not be set for non-init containers')];
  return policy === 'Always' ? [] : [notSupported(path, policy, ['Always'])];
}

const MESSAGE_POLICIES: readonly string[] = ['FallbackToLogsOnError', 'File'];

const PULL_POLICIES: readonly string[] = ['Always', 'IfNotPresent', 'Never'];

const oneOfErrors = (path: string, value = '', supported: readonly string[]): readonly FieldError[] =>
  value === '' || supported.includes(value) ? [] : [notSupported(path, value, supported)];

function portErrors(path: string, ports: NonNullable<ContainerShape['ports']>): readonly FieldError[] {
  return ports.flatMap((port, i) => {
    const at = `${path}[${i}]`;
    const { containerPort, protocol = 'TCP' } = port;
    const errors: FieldError[] = [];
    if (containerPort === undefined || containerPort === 0) errors.push(required(`${at}.containerPort`));
    else if (containerPort < 1 || containerPort > 65_535)
      errors.push(invalid(`${at}.containerPort`, containerPort, 'must be between 1 and 65535, inclusive'));
    if (protocol === 'SCTP') errors.push(refusedValue(`${at}.protocol`, 'use TCP or UDP'));
    else if (protocol !== 'TCP' && protocol !== 'UDP')
      errors.push(notSupported(`${at}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']));
    return [...errors, ...refusedFields('port', at, port)];
  });
}
