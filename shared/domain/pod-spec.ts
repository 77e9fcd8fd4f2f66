/**
 * A pod template's spec as it was admitted: what its author has written, with Kubernetes' defaults. These types name what
 * Muster goes by, and the defaults; what else an admitted template holds means nothing here (`hostNetwork: false`), and is
 * kept to be shown. An older Muster stored fewer defaults and nothing else.
 */
export type PodSpec = {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly restartPolicy: 'Never' | 'OnFailure';
  readonly terminationGracePeriodSeconds: number;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly serviceAccountName?: string;
  /** One at most: a task definition has one secret an image. */
  readonly imagePullSecrets?: readonly { readonly name: string }[];
  readonly securityContext?: SecurityContext;
  /** The former name of serviceAccountName; the same as that. */
  readonly serviceAccount?: string;
  /** The indexes have DNS names: see host-names.ts. */
  readonly subdomain?: string;
  readonly dnsPolicy?: string;
  readonly schedulerName?: string;
};

/** An `emptyDir`. */
export type Volume = { readonly name: string; readonly emptyDir: { readonly sizeLimit?: string } };

export type Container = {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly env?: readonly EnvVar[];
  readonly ports?: readonly ContainerPort[];
  readonly resources?: { readonly requests?: Resources; readonly limits?: Resources };
  readonly volumeMounts?: readonly VolumeMount[];
  readonly securityContext?: ContainerSecurityContext;
  /** Of an init container: it is a sidecar, which runs beside the others from its turn on. */
  readonly restartPolicy?: 'Always';
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: string;
  readonly imagePullPolicy?: string;
};

/** `value`, which is empty if it is not there, or `valueFrom`. */
export type EnvVar = { readonly name: string; readonly value?: string; readonly valueFrom?: EnvSource };

/** Exactly one of them is there. */
export type EnvSource = {
  readonly fieldRef?: { readonly apiVersion?: string; readonly fieldPath: string };
  readonly resourceFieldRef?: {
    readonly containerName?: string;
    readonly resource: string;
    readonly divisor?: string;
  };
  readonly secretKeyRef?: KeyRef;
  readonly configMapKeyRef?: KeyRef;
};

export type KeyRef = { readonly name: string; readonly key: string };

export type ContainerPort = {
  readonly name?: string;
  readonly containerPort: number;
  readonly protocol?: 'TCP' | 'UDP';
};

export type VolumeMount = { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean };

export type Resources = { readonly cpu?: string; readonly memory?: string; readonly 'ephemeral-storage'?: string };

export type SecurityContext = {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
};

export type ContainerSecurityContext = SecurityContext & {
  readonly readOnlyRootFilesystem?: boolean;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
};
