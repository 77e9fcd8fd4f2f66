/** A Job as it was admitted: `batch/v1`, every default filled in, nothing in it that we would ignore. Stored whole. */
export type JobManifest = {
  readonly apiVersion: 'batch/v1';
  readonly kind: 'Job';
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly parallelism: number;
    readonly completions?: number;
    readonly completionMode: 'Indexed' | 'NonIndexed';
    readonly backoffLimit: number;
    readonly suspend: boolean;
    readonly manualSelector?: boolean;
    readonly podReplacementPolicy: 'TerminatingOrFailed' | 'Failed';
    readonly selector: { readonly matchLabels: Labels };
    readonly template: PodTemplate;
  };
};

export type Labels = { readonly [name: string]: string };

export type ObjectMeta = {
  readonly name: string;
  readonly namespace: string;
  readonly labels?: Labels;
  readonly annotations?: Labels;
};

export type PodTemplate = {
  readonly metadata: { readonly labels: Labels; readonly annotations?: Labels };
  readonly spec: PodSpec;
};

export type PodSpec = {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly restartPolicy: 'Never';
  readonly terminationGracePeriodSeconds: number;
};

export type Container = {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly resources?: { readonly requests?: Resources; readonly limits?: Resources };
};

export type Resources = { readonly cpu?: string; readonly memory?: string };
