import type { Container, ContainerSecurityContext, EnvVar, Resources, SecurityContext } from '../domain/pod-spec.ts';
import type { ContainerShape, EnvShape, PodSpecShape } from './pod-shape.ts';

/** A container as it is stored: what means nothing is left out. Of use only if container-rules.ts finds no fault in it. */
export function admitContainer(shape: ContainerShape): Container {
  const { name = '', image = '', command, args, workingDir, env, ports, volumeMounts, restartPolicy } = shape;
  return {
    name,
    image,
    ...list('command', command),
    ...list('args', args),
    ...(workingDir === undefined || workingDir === '' ? {} : { workingDir }),
    ...list('env', env?.map(admitVariable)),
    ...list('ports', ports?.map(admitPort)),
    ...admitResources(shape.resources),
    ...list(
      'volumeMounts',
      volumeMounts?.map((mount) => ({
        name: mount.name ?? '',
        mountPath: mount.mountPath ?? '',
        ...(mount.readOnly === true ? { readOnly: true } : {}),
      })),
    ),
    ...some('securityContext', admitSecurity(shape.securityContext)),
    ...(restartPolicy === 'Always' ? { restartPolicy } : {}),
  };
}

/** The Pod's part of the security context; empty: it says nothing. */
export function admitUser(shape: PodSpecShape['securityContext']): SecurityContext {
  const { runAsUser, runAsGroup, runAsNonRoot } = shape ?? {};
  return {
    ...(runAsUser === undefined ? {} : { runAsUser }),
    ...(runAsGroup === undefined ? {} : { runAsGroup }),
    ...(runAsNonRoot === undefined ? {} : { runAsNonRoot }),
  };
}

function admitSecurity(shape: ContainerShape['securityContext']): ContainerSecurityContext {
  const capabilities = { ...list('add', shape?.capabilities?.add), ...list('drop', shape?.capabilities?.drop) };
  return {
    ...admitUser(shape),
    ...(shape?.readOnlyRootFilesystem === true ? { readOnlyRootFilesystem: true } : {}),
    ...some('capabilities', capabilities),
  };
}

function admitVariable({ name = '', value = '', valueFrom }: EnvShape): EnvVar {
  if (valueFrom === undefined) return { name, value };
  const { fieldRef, resourceFieldRef, secretKeyRef, configMapKeyRef } = valueFrom;
  const { containerName, resource = '', divisor } = resourceFieldRef ?? {};
  return {
    name,
    valueFrom: {
      ...(fieldRef === undefined ? {} : { fieldRef: { apiVersion: 'v1', fieldPath: fieldRef.fieldPath ?? '' } }),
      ...(resourceFieldRef === undefined
        ? {}
        : {
            resourceFieldRef: {
              ...(containerName === undefined || containerName === '' ? {} : { containerName }),
              resource,
              ...(divisor === undefined ? {} : { divisor }),
            },
          }),
      ...(secretKeyRef === undefined ? {} : { secretKeyRef: admitKey(secretKeyRef) }),
      ...(configMapKeyRef === undefined ? {} : { configMapKeyRef: admitKey(configMapKeyRef) }),
    },
  };
}

const admitKey = ({
  name = '',
  key = '',
}: {
  readonly name: string | undefined;
  readonly key: string | undefined;
}) => ({
  name,
  key,
});

function admitPort({ name, containerPort = 0, protocol }: NonNullable<ContainerShape['ports']>[number]) {
  return {
    ...(name === undefined || name === '' ? {} : { name }),
    containerPort,
    protocol: protocol === 'UDP' ? ('UDP' as const) : ('TCP' as const),
  };
}

function admitResources(resources: ContainerShape['resources']): Pick<Container, 'resources'> {
  const limits = knownAmounts(resources?.limits);
  // A limit without a request stands for both, as Kubernetes defaults it.
  const requests = { ...limits, ...knownAmounts(resources?.requests) };
  const both = { ...some('limits', limits), ...some('requests', requests) };
  return Object.keys(both).length === 0 ? {} : { resources: both };
}

function knownAmounts(list: Readonly<Record<string, string>> = {}): Resources {
  const { cpu, memory, 'ephemeral-storage': storage } = list;
  return {
    ...(cpu === undefined ? {} : { cpu }),
    ...(memory === undefined ? {} : { memory }),
    ...(storage === undefined ? {} : { 'ephemeral-storage': storage }),
  };
}

/** A member, unless it would be empty. */
const list = <const K extends string, T>(
  name: K,
  items: readonly T[] | undefined,
): { readonly [P in K]?: readonly T[] } =>
  items === undefined || items.length === 0 ? {} : ({ [name]: items } as { readonly [P in K]?: readonly T[] });

const some = <const K extends string, T extends object>(name: K, value: T): { readonly [P in K]?: T } =>
  Object.keys(value).length === 0 ? {} : ({ [name]: value } as { readonly [P in K]?: T });
