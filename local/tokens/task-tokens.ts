/** Whose task it is, as ECS has it. */
export type TaskOfPod = { readonly startedBy: string | null; readonly group: string };

/** Signs tokens of ServiceAccounts for tasks, which have them in files. */
export type TaskTokens = {
  /** New tokens of a task. `refused`: it can have none, as a sentence for its user. */
  sign(task: TaskOfPod): Promise<Signed>;
};

export type Signed =
  | {
      readonly kind: 'signed';
      /** Those that its volumes have, by `<volume>/<path>`. */
      readonly files: ReadonlyMap<string, string>;
      /** How its containers get to the API; null: they are not meant to. */
      readonly access: ApiAccess | null;
      /** When all of them are to be signed anew. */
      readonly renewAtMs: number;
    }
  | { readonly kind: 'refused'; readonly why: string };

/** What a program in a container needs to call the API, where all clients look for it. */
export type ApiAccess = {
  /** Of the folder {@link ACCESS_FOLDER}, by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string>>;
};

/** Where a kubelet mounts it (https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/). */
export const ACCESS_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
