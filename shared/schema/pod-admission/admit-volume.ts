import type { DownwardFile, EnvFrom, KeyFile, Projection, Volume } from '../../domain/manifests/pod-spec.ts';
import { DEFAULT_MODE } from '../../domain/task/volumes/volume-files.ts';
import { type Kept, keptFields } from '../object/kept-fields.ts';
import { admitField, admitResource } from './admit-source.ts';
import type { ContainerShape, VolumeShape } from '../pod/pod-shape.ts';

/**
 * A volume as it is stored: as written, with Kubernetes' defaults. A volume without a source is an emptyDir. Meaningful only if
 * volume-rules.ts finds no fault.
 */
export function admitVolume(shape: VolumeShape): Volume {
  const { configMap, secret, downwardAPI, projected, persistentVolumeClaim, ephemeral, nfs, ...rest } = shape;
  const { emptyDir, hostPath, ...others } = rest;
  const named = { ...keptFields('Volume', others), name: shape.name ?? '' };
  if (configMap !== undefined) return { ...named, configMap: { ...filesOf(configMap), name: configMap.name ?? '' } };
  if (secret !== undefined) return { ...named, secret: { ...filesOf(secret), secretName: secret.secretName ?? '' } };
  if (downwardAPI !== undefined) return { ...named, downwardAPI: filesOfFields(downwardAPI) };
  if (projected !== undefined)
    return {
      ...named,
      projected: {
        sources: (projected.sources ?? []).map(admitProjection),
        defaultMode: projected.defaultMode ?? DEFAULT_MODE,
      },
    };
  if (persistentVolumeClaim !== undefined) {
    const kept = keptFields('PersistentVolumeClaimVolumeSource', persistentVolumeClaim);
    return { ...named, persistentVolumeClaim: { ...kept, claimName: persistentVolumeClaim.claimName ?? '' } };
  }
  if (ephemeral !== undefined) {
    const template = ephemeral.volumeClaimTemplate;
    const kept: Kept<TemplateShape> =
      template === undefined ? {} : keptFields('PersistentVolumeClaimTemplate', template);
    const spec = { volumeMode: 'Filesystem', ...kept.spec };
    return { ...named, ephemeral: { volumeClaimTemplate: { ...kept, spec } } };
  }
  if (nfs !== undefined)
    return { ...named, nfs: { ...keptFields('NFSVolumeSource', nfs), server: nfs.server ?? '', path: nfs.path ?? '' } };
  return hostPath === undefined
    ? { ...named, emptyDir: emptyDir === undefined ? {} : keptFields('EmptyDirVolumeSource', emptyDir) }
    : { ...named, hostPath: { path: hostPath.path ?? '', type: hostPath.type ?? '' } };
}

type TemplateShape = NonNullable<NonNullable<VolumeShape['ephemeral']>['volumeClaimTemplate']>;
type KeysShape = Omit<NonNullable<VolumeShape['configMap']>, 'name'>;
type FieldsShape = NonNullable<VolumeShape['downwardAPI']>;
type ProjectionShape = NonNullable<NonNullable<VolumeShape['projected']>['sources']>[number];

const filesOf = (shape: KeysShape) => ({ ...keysOf(shape), defaultMode: shape.defaultMode ?? DEFAULT_MODE });

const keysOf = ({ items, optional }: Pick<KeysShape, 'items' | 'optional'>) => ({
  ...(items === undefined ? {} : { items: items.map(admitKey) }),
  ...(optional === undefined ? {} : { optional }),
});

const admitKey = (shape: NonNullable<KeysShape['items']>[number]): KeyFile => ({
  ...keptFields('KeyToPath', shape),
  key: shape.key ?? '',
  path: shape.path ?? '',
});

const filesOfFields = ({ items = [], defaultMode = DEFAULT_MODE }: FieldsShape) => ({
  items: items.map(admitFile),
  defaultMode,
});

function admitFile(shape: NonNullable<FieldsShape['items']>[number]): DownwardFile {
  const { path = '', mode, fieldRef, resourceFieldRef } = shape;
  return {
    path,
    ...(mode === undefined ? {} : { mode }),
    ...(fieldRef === undefined ? {} : { fieldRef: admitField(fieldRef) }),
    ...(resourceFieldRef === undefined ? {} : { resourceFieldRef: admitResource(resourceFieldRef) }),
  };
}

function admitProjection({ configMap, secret, downwardAPI, serviceAccountToken }: ProjectionShape): Projection {
  if (configMap !== undefined) return { configMap: { ...keysOf(configMap), name: configMap.name ?? '' } };
  if (secret !== undefined) return { secret: { ...keysOf(secret), name: secret.name ?? '' } };
  if (serviceAccountToken !== undefined) {
    const { audience = '', expirationSeconds = USUAL_LIFE_SEC, path = '' } = serviceAccountToken;
    return { serviceAccountToken: { ...(audience === '' ? {} : { audience }), expirationSeconds, path } };
  }
  return downwardAPI === undefined ? {} : { downwardAPI: { items: (downwardAPI.items ?? []).map(admitFile) } };
}

/** Kubernetes' `SetDefaults_ServiceAccountTokenProjection`. */
const USUAL_LIFE_SEC = 3600;

/** An `envFrom` as it is stored. */
export const admitEnvFrom = (shape: NonNullable<ContainerShape['envFrom']>[number]): EnvFrom => {
  const { prefix, configMapRef, secretRef } = shape;
  return {
    ...(prefix === undefined || prefix === '' ? {} : { prefix }),
    ...(configMapRef === undefined ? {} : { configMapRef: admitRef('ConfigMapEnvSource', configMapRef) }),
    ...(secretRef === undefined ? {} : { secretRef: admitRef('SecretEnvSource', secretRef) }),
  };
};

type RefShape = NonNullable<NonNullable<ContainerShape['envFrom']>[number]['secretRef']>;

const admitRef = (type: 'ConfigMapEnvSource' | 'SecretEnvSource', shape: RefShape) => ({
  ...keptFields(type, shape),
  name: shape.name ?? '',
});
