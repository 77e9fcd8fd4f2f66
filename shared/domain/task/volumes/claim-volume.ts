/** What a claim of storage stands for when a task is to be launched with it. */
export type ClaimVolume =
  /** A file system of EFS, or a folder of it. */
  | {
      readonly kind: 'efs';
      /** `fs-0123456789abcdef0` */
      readonly fileSystemId: string;
      /** `/` where there is an access point, which has a root of its own. */
      readonly rootDirectory: string;
      readonly accessPointId: string | null;
      readonly transitEncryption: boolean;
      /** The task's role decides what it may do there. */
      readonly iam: boolean;
      readonly readOnly: boolean;
    }
  /** A file system of S3 Files: its ARN is that of the task's account and Region. */
  | {
      readonly kind: 's3files';
      readonly fileSystemId: string;
      readonly rootDirectory: string;
      readonly accessPointId: string | null;
      readonly readOnly: boolean;
    }
  /** A folder of this machine. */
  | { readonly kind: 'folder'; readonly path: string; readonly readOnly: boolean }
  /** The Pod waits; the reason in the words of Kubernetes' scheduler. */
  | { readonly kind: 'unbound'; readonly reason: string };
