import * as z from 'zod';
import { flag, int32, int64, int64s, known, opt, quantities, text, textMap, texts } from '../object/json-fields.ts';
import { metadataShape } from '../object/metadata-shape.ts';
import { probeShape } from './probe-shape.ts';
import { affinityShape, spreadShape, tolerationShape } from './placement-shape.ts';

/**
 * A pod template as clients write it, with every field of Kubernetes 1.34's PodTemplateSpec. Fields that are refused as
 * a whole may have any content. pod-fields.ts says how Muster treats each field.
 */

const quantity = opt(z.union([z.string(), z.number()]).transform(String));

const fieldRef = z.strictObject({ apiVersion: text, fieldPath: text });
const resourceFieldRef = z.strictObject({ containerName: text, resource: text, divisor: quantity });
const keyRef = z.strictObject({ name: text, key: text, optional: flag });
const valueFrom = z.strictObject({
  fieldRef: opt(fieldRef),
  resourceFieldRef: opt(resourceFieldRef),
  secretKeyRef: opt(keyRef),
  configMapKeyRef: opt(keyRef),
  ...known('fileKeyRef'),
});
const env = z.strictObject({ name: text, value: text, valueFrom: opt(valueFrom) });

const port = z.strictObject({ name: text, containerPort: int32, protocol: text, hostPort: int32, hostIP: text });

const volumeMount = z.strictObject({
  name: text,
  mountPath: text,
  readOnly: flag,
  subPath: text,
  subPathExpr: text,
  ...known('recursiveReadOnly', 'mountPropagation'),
});

const objectRef = z.strictObject({ name: text, optional: flag });
const envFrom = z.strictObject({ prefix: text, configMapRef: opt(objectRef), secretRef: opt(objectRef) });

const capabilities = z.strictObject({ add: texts, drop: texts });
const containerSecurity = z.strictObject({
  runAsUser: int64,
  runAsGroup: int64,
  runAsNonRoot: flag,
  readOnlyRootFilesystem: flag,
  capabilities: opt(capabilities),
  allowPrivilegeEscalation: flag,
  ...known('privileged', 'seLinuxOptions', 'windowsOptions', 'procMount', 'seccompProfile', 'appArmorProfile'),
});
const podSecurity = z.strictObject({
  runAsUser: int64,
  runAsGroup: int64,
  runAsNonRoot: flag,
  fsGroup: int64,
  supplementalGroups: int64s,
  ...known('seLinuxOptions', 'windowsOptions', 'supplementalGroupsPolicy', 'sysctls'),
  ...known('fsGroupChangePolicy', 'seccompProfile', 'appArmorProfile', 'seLinuxChangePolicy'),
});

const resources = z.strictObject({ requests: quantities, limits: quantities, ...known('claims') });

const container = z.strictObject({
  name: text,
  image: text,
  command: texts,
  args: texts,
  workingDir: text,
  env: opt(z.array(env)),
  resources: opt(resources),
  ports: opt(z.array(port)),
  restartPolicy: text,
  terminationMessagePolicy: text,
  volumeMounts: opt(z.array(volumeMount)),
  securityContext: opt(containerSecurity),
  envFrom: opt(z.array(envFrom)),
  resizePolicy: opt(z.array(z.strictObject({ resourceName: text, restartPolicy: text }))),
  livenessProbe: opt(probeShape),
  readinessProbe: opt(probeShape),
  startupProbe: opt(probeShape),
  imagePullPolicy: text,
  terminationMessagePath: text,
  stdin: flag,
  stdinOnce: flag,
  tty: flag,
  ...known('restartPolicyRules', 'volumeDevices', 'lifecycle'),
});

const emptyDir = z.strictObject({ sizeLimit: quantity, medium: text });
const hostPath = z.strictObject({ path: text, type: text });
const keyFile = z.strictObject({ key: text, path: text, mode: int32 });
const keyFiles = opt(z.array(keyFile));
const configMapVolume = z.strictObject({ name: text, items: keyFiles, defaultMode: int32, optional: flag });
const secretVolume = z.strictObject({ secretName: text, items: keyFiles, defaultMode: int32, optional: flag });
const downwardFile = z.strictObject({
  path: text,
  mode: int32,
  fieldRef: opt(fieldRef),
  resourceFieldRef: opt(resourceFieldRef),
});
const downwardFiles = opt(z.array(downwardFile));
const downwardVolume = z.strictObject({ items: downwardFiles, defaultMode: int32 });
const keyProjection = z.strictObject({ name: text, items: keyFiles, optional: flag });
const downwardProjection = z.strictObject({ items: downwardFiles });
const tokenProjection = z.strictObject({ audience: text, expirationSeconds: int64, path: text });
const projection = z.strictObject({
  configMap: opt(keyProjection),
  secret: opt(keyProjection),
  downwardAPI: opt(downwardProjection),
  serviceAccountToken: opt(tokenProjection),
  ...known('clusterTrustBundle', 'podCertificate'),
});
const projectedVolume = z.strictObject({ sources: opt(z.array(projection)), defaultMode: int32 });
const claimVolume = z.strictObject({ claimName: text, readOnly: flag });
const nfsVolume = z.strictObject({ server: text, path: text, readOnly: flag });
const claimSpec = z.strictObject({
  accessModes: texts,
  resources: opt(z.strictObject({ requests: quantities, limits: quantities })),
  storageClassName: text,
  volumeMode: text,
  ...known('selector', 'volumeName', 'dataSource', 'dataSourceRef', 'volumeAttributesClassName'),
});
const claimTemplate = z.strictObject({ metadata: opt(metadataShape), spec: opt(claimSpec) });
const ephemeralVolume = z.strictObject({ volumeClaimTemplate: opt(claimTemplate) });
const volume = z.strictObject({
  name: text,
  emptyDir: opt(emptyDir),
  hostPath: opt(hostPath),
  configMap: opt(configMapVolume),
  secret: opt(secretVolume),
  downwardAPI: opt(downwardVolume),
  projected: opt(projectedVolume),
  persistentVolumeClaim: opt(claimVolume),
  ephemeral: opt(ephemeralVolume),
  nfs: opt(nfsVolume),
  ...known('csi', 'image', 'awsElasticBlockStore', 'azureDisk', 'azureFile', 'cephfs', 'cinder', 'fc'),
  ...known('flexVolume', 'flocker', 'gcePersistentDisk', 'gitRepo', 'glusterfs', 'iscsi', 'photonPersistentDisk'),
  ...known('portworxVolume', 'quobyte', 'rbd', 'scaleIO', 'storageos', 'vsphereVolume'),
});

const podSpec = z.strictObject({
  containers: opt(z.array(container)),
  initContainers: opt(z.array(container)),
  volumes: opt(z.array(volume)),
  restartPolicy: text,
  terminationGracePeriodSeconds: int64,
  activeDeadlineSeconds: int64,
  nodeSelector: textMap,
  affinity: opt(affinityShape),
  tolerations: opt(z.array(tolerationShape)),
  topologySpreadConstraints: opt(z.array(spreadShape)),
  priorityClassName: text,
  serviceAccountName: text,
  serviceAccount: text,
  imagePullSecrets: opt(z.array(z.strictObject({ name: text }))),
  securityContext: opt(podSecurity),
  subdomain: text,
  schedulerName: text,
  priority: int32,
  dnsConfig: opt(
    z.strictObject({
      nameservers: texts,
      searches: texts,
      options: opt(z.array(z.strictObject({ name: text, value: text }))),
    }),
  ),
  readinessGates: opt(z.array(z.strictObject({ conditionType: text }))),
  automountServiceAccountToken: flag,
  ...known('ephemeralContainers', 'dnsPolicy', 'nodeName'),
  ...known('hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostname'),
  ...known('hostAliases', 'runtimeClassName', 'enableServiceLinks', 'preemptionPolicy', 'overhead'),
  ...known('setHostnameAsFQDN', 'os', 'hostUsers', 'schedulingGates'),
  ...known('resourceClaims', 'resources', 'hostnameOverride'),
});

export const templateShape = z.strictObject({ metadata: opt(metadataShape), spec: opt(podSpec) });

/** The objects of the template whose fields are checked, by their names in pod-fields.ts. */
export const POD_SHAPES = {
  metadata: metadataShape,
  spec: podSpec,
  podSecurity,
  volume,
  emptyDir,
  hostPath,
  configMap: configMapVolume,
  secret: secretVolume,
  keyFile,
  downwardAPI: downwardVolume,
  downwardFile,
  projected: projectedVolume,
  projection,
  tokenProjection,
  claim: claimVolume,
  ephemeral: ephemeralVolume,
  claimTemplate,
  claimSpec,
  nfs: nfsVolume,
  container,
  env,
  valueFrom,
  fieldRef,
  resourceFieldRef,
  secretKeyRef: keyRef,
  configMapKeyRef: keyRef,
  envFrom,
  configMapRef: objectRef,
  secretRef: objectRef,
  resources,
  port,
  volumeMount,
  containerSecurity,
  capabilities,
} as const;

export type TemplateShape = z.output<typeof templateShape>;
export type PodSpecShape = z.output<typeof podSpec>;
export type ContainerShape = z.output<typeof container>;
export type EnvShape = z.output<typeof env>;
export type VolumeShape = z.output<typeof volume>;
