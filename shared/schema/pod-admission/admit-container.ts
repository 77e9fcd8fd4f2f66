import type { Container, EnvVar } from '../../domain/manifests/pod-spec.ts';
import { keptFields } from '../object/kept-fields.ts';
import { admitField, admitResource } from './admit-source.ts';
import { admitEnvFrom } from './admit-volume.ts';
import type { ContainerShape, EnvShape } from '../pod/pod-shape.ts';
import { DEFAULT_MESSAGE_PATH } from './without-effect-rules.ts';
import { PROBES, admitProbe } from './probe-rules.ts';
import { defaultPullPolicy } from './pull-policy.ts';

/**
 * A container as it is stored: as written, with Kubernetes' defaults (`SetDefaults_Container` and similar). Meaningful
 * only if container-rules.ts finds no fault.
 */
export function admitContainer(shape: ContainerShape): Container {
  const { name = '', image = '', env, envFrom, ports, volumeMounts, restartPolicy, ...others } = shape;
  const kept = keptFields('Container', { ...others, ...probesOf(others) });
  return {
    ...kept,
    name,
    image,
    ...(env === undefined ? {} : { env: env.map(admitVariable) }),
    ...(envFrom === undefined ? {} : { envFrom: envFrom.map(admitEnvFrom) }),
    ...(ports === undefined ? {} : { ports: ports.map(admitPort) }),
    resources: kept.resources ?? {},
    ...(volumeMounts === undefined ? {} : { volumeMounts: volumeMounts.map(admitMount) }),
    ...(restartPolicy === 'Always' ? { restartPolicy } : {}),
    terminationMessagePath: textOr(kept.terminationMessagePath, DEFAULT_MESSAGE_PATH),
    terminationMessagePolicy: textOr(kept.terminationMessagePolicy, 'File'),
    imagePullPolicy: textOr(kept.imagePullPolicy, defaultPullPolicy(image)),
  };
}

type Probes = Pick<ContainerShape, (typeof PROBES)[number]>;

const probesOf = (said: Probes): Partial<Probes> =>
  Object.fromEntries(
    PROBES.flatMap((name) => {
      const probe = said[name];
      return probe === undefined ? [] : [[name, admitProbe(probe)] as const];
    }),
  );

export const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

function admitVariable(shape: EnvShape): EnvVar {
  const { name = '', value, valueFrom } = shape;
  const variable = { name, ...(value === undefined ? {} : { value }) };
  if (valueFrom === undefined) return variable;
  const { fieldRef, resourceFieldRef, secretKeyRef, configMapKeyRef } = valueFrom;
  return {
    ...variable,
    valueFrom: {
      ...(fieldRef === undefined ? {} : { fieldRef: admitField(fieldRef) }),
      ...(resourceFieldRef === undefined ? {} : { resourceFieldRef: admitResource(resourceFieldRef) }),
      ...(secretKeyRef === undefined ? {} : { secretKeyRef: admitKey('SecretKeySelector', secretKeyRef) }),
      ...(configMapKeyRef === undefined ? {} : { configMapKeyRef: admitKey('ConfigMapKeySelector', configMapKeyRef) }),
    },
  };
}

type KeyShape = NonNullable<NonNullable<EnvShape['valueFrom']>['secretKeyRef']>;

const admitKey = (type: 'SecretKeySelector' | 'ConfigMapKeySelector', shape: KeyShape) => ({
  ...keptFields(type, shape),
  name: shape.name ?? '',
  key: shape.key ?? '',
});

const admitPort = (port: NonNullable<ContainerShape['ports']>[number]) => ({
  ...keptFields('ContainerPort', port),
  containerPort: port.containerPort ?? 0,
  protocol: port.protocol === 'UDP' ? ('UDP' as const) : ('TCP' as const),
});

const admitMount = (mount: NonNullable<ContainerShape['volumeMounts']>[number]) => ({
  ...keptFields('VolumeMount', mount),
  name: mount.name ?? '',
  mountPath: mount.mountPath ?? '',
});
