import type { LabelRequirement } from './label-requirement.ts';

/**
 * A pod template's spec as it was admitted: what its author wrote, with Kubernetes' defaults. These types name the fields that
 * Muster uses, and the defaults. Anything else in an admitted template has no effect here (`hostNetwork: false`) and is stored
 * to be shown. Older versions of Muster stored fewer defaults and nothing else.
 */
export type PodSpec = {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly restartPolicy: 'Never' | 'OnFailure';
  readonly terminationGracePeriodSeconds: number;
  /** How long a Pod may run, from the start of its first task. */
  readonly activeDeadlineSeconds?: number;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: Affinity;
  /** They have no effect. */
  readonly tolerations?: readonly object[];
  readonly serviceAccountName?: string;
  /** Omitted: as the ServiceAccount says; if that says nothing, true. */
  readonly automountServiceAccountToken?: boolean;
  /** At most one: a task definition has one secret per image. */
  readonly imagePullSecrets?: readonly { readonly name: string }[];
  readonly securityContext?: PodSecurityContext;
  /** The former name of serviceAccountName, with the same value. */
  readonly serviceAccount?: string;
  /** The indexes have DNS names: see host-names.ts. */
  readonly subdomain?: string;
  readonly dnsPolicy?: string;
  readonly schedulerName?: string;
};

/** Only the required node affinity has an effect: see task-place.ts. */
export type Affinity = {
  readonly nodeAffinity?:
    | {
        readonly requiredDuringSchedulingIgnoredDuringExecution?:
          | { readonly nodeSelectorTerms?: readonly NodeAffinityTerm[] | undefined }
          | undefined;
      }
    | undefined;
};

/** All of its requirements must be met; it is enough to meet one term. */
export type NodeAffinityTerm = {
  readonly matchExpressions?: readonly LabelRequirement[] | undefined;
  readonly matchFields?: readonly LabelRequirement[] | undefined;
};

/** Exactly one source is set. */
export type Volume = {
  readonly name: string;
  readonly emptyDir?: EmptyDir;
  readonly hostPath?: HostPath;
  readonly configMap?: ConfigVolume & { readonly name: string };
  readonly secret?: ConfigVolume & { readonly secretName: string };
  readonly downwardAPI?: { readonly items?: readonly DownwardFile[]; readonly defaultMode?: number };
  readonly projected?: { readonly sources?: readonly Projection[]; readonly defaultMode?: number };
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean };
  /** Its claim lives as long as the Pod: it asks for disk of the task, or for an EBS volume by its class. */
  readonly ephemeral?: { readonly volumeClaimTemplate: { readonly spec: EphemeralClaim } };
  readonly nfs?: { readonly server: string; readonly path: string; readonly readOnly?: boolean };
};

/** Files of a ConfigMap or a Secret: those of `items`, or one for each key. Modes are numbers: 0644 is 420. */
export type ConfigVolume = {
  readonly items?: readonly KeyFile[];
  readonly defaultMode?: number;
  readonly optional?: boolean;
};

/** A key, and the file of the volume that it becomes. */
export type KeyFile = { readonly key: string; readonly path: string; readonly mode?: number };

/** A field of the Pod, and the file of the volume that it becomes. Exactly one of the two is set. */
export type DownwardFile = {
  readonly path: string;
  readonly mode?: number;
  readonly fieldRef?: FieldRef;
  readonly resourceFieldRef?: ResourceFieldRef;
};

/** Exactly one of them is set. Files that two of them give are those of the later one. */
export type Projection = {
  readonly configMap?: Omit<ConfigVolume, 'defaultMode'> & { readonly name: string };
  readonly secret?: Omit<ConfigVolume, 'defaultMode'> & { readonly name: string };
  readonly downwardAPI?: { readonly items?: readonly DownwardFile[] };
  readonly serviceAccountToken?: TokenFile;
};

/** A token of the Pod's ServiceAccount, as a file that is renewed while the Pod runs. */
export type TokenFile = {
  /** Who may take it for a sign of its bearer. Omitted: this API. */
  readonly audience?: string;
  readonly expirationSeconds: number;
  readonly path: string;
};

/** What the claim of an ephemeral volume asks for. */
export type EphemeralClaim = {
  readonly storageClassName?: string;
  readonly resources?: { readonly requests?: { readonly storage?: string } };
};

/** `medium`: `Memory`, or omitted for the task's disk. */
export type EmptyDir = { readonly medium?: string; readonly sizeLimit?: string };

/** What is at a path of the machine that tasks run on; `type` says what has to be there. */
export type HostPath = { readonly path: string; readonly type: string };

export type Container = {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFrom[];
  readonly ports?: readonly ContainerPort[];
  readonly resources?: { readonly requests?: Resources; readonly limits?: Resources };
  readonly volumeMounts?: readonly VolumeMount[];
  readonly securityContext?: ContainerSecurityContext;
  /** Set on an init container: it is a sidecar, which runs next to the others once it has started. */
  readonly restartPolicy?: 'Always';
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: string;
  readonly imagePullPolicy?: string;
  /** Its input stays open for those who attach; `stdinOnce`: until the first of them leaves. Omitted: it has none. */
  readonly stdin?: boolean;
  readonly stdinOnce?: boolean;
  /** Its program has a terminal. */
  readonly tty?: boolean;
};

/** `value`, which is empty if omitted, or `valueFrom`. */
export type EnvVar = { readonly name: string; readonly value?: string; readonly valueFrom?: EnvSource };

/** Fields of the downward API that hold the task's address, which is given after launch. */
export const ADDRESS_FIELDS: ReadonlySet<string> = new Set([
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);

/** Exactly one of them is set. */
export type EnvSource = {
  readonly fieldRef?: FieldRef;
  readonly resourceFieldRef?: ResourceFieldRef;
  readonly secretKeyRef?: KeyRef;
  readonly configMapKeyRef?: KeyRef;
};

export type FieldRef = { readonly apiVersion?: string; readonly fieldPath: string };

export type ResourceFieldRef = {
  readonly containerName?: string;
  readonly resource: string;
  readonly divisor?: string;
};

/** `optional`: without the key, there is no variable. */
export type KeyRef = { readonly name: string; readonly key: string; readonly optional?: boolean };

/** A variable for each key, under its name with the prefix before it. Exactly one of the two is set. */
export type EnvFrom = {
  readonly prefix?: string;
  readonly configMapRef?: ObjectRef;
  readonly secretRef?: ObjectRef;
};

export type ObjectRef = { readonly name: string; readonly optional?: boolean };

export type ContainerPort = {
  readonly name?: string;
  readonly containerPort: number;
  readonly protocol?: 'TCP' | 'UDP';
};

/** `subPath`, or `subPathExpr` with variables: what of the volume is mounted; neither: all of it. */
export type VolumeMount = {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
  readonly subPath?: string;
  readonly subPathExpr?: string;
};

export type Resources = { readonly cpu?: string; readonly memory?: string; readonly 'ephemeral-storage'?: string };

export type SecurityContext = {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
};

export type PodSecurityContext = SecurityContext & {
  /** The group of the Pod's own volumes, in which its programs are, too. */
  readonly fsGroup?: number;
  /** Further groups of its programs. */
  readonly supplementalGroups?: readonly number[];
};

export type ContainerSecurityContext = SecurityContext & {
  readonly readOnlyRootFilesystem?: boolean;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
};
