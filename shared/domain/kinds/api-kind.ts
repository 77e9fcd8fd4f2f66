/** What clients can do with objects of a kind, in Kubernetes' words. */
export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** The facts of one kind of the API. Whatever lists kinds is made of these. */
export type ApiKind = {
  /** '' is the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** As paths, messages, and roles name it. */
  readonly plural: string;
  readonly isNamespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly SubresourceRow[];
  /** Its objects are stored as they are shown, under the name of the row. Omitted: they are stored in another way, or derived. */
  readonly stored?: true;
  /**
   * Its objects make Jobs and own them. `slots`: a Job for each slot of a schedule. `places`: users make Jobs of them, too, which may
   * have to wait for a place. Omitted: they make none.
   */
  readonly ownsJobs?: 'slots' | 'places';
  /** Its objects have the news of their Events in their ledger (`newsIn`). Omitted: they have none there. */
  readonly keepsNews?: true;
  /** The source of the Events about its objects: its controller, as it is called elsewhere. Omitted: Muster. */
  readonly component?: string;
  /** What of a usage quotas count its objects as. Omitted: objects of this kind alone are not counted. */
  readonly counted?: string;
  /**
   * What its objects hold is shown to those only who may get them: they are stored sealed, and no error repeats anything of them.
   * Omitted: it is no secret.
   */
  readonly isConfidential?: true;
  /** How large a request may be that writes its objects, in bytes. Omitted: as large as a manifest. */
  readonly bodyBytesMax?: number;
  /** A delete is answered with the object, as it was. Omitted: with a Status, unless something still holds the object. */
  readonly showsDeleted?: true;
  /** What the roles that always exist allow. Empty: only cluster-admin may do anything with it. */
  readonly grants: readonly Grant[];
};

/** A part of objects that has a path of its own. */
export type SubresourceRow = {
  readonly name: string;
  /** What is read and written there. */
  readonly kind: string;
  readonly verbs: readonly Verb[];
  /** The group of `kind`, if it is another one. */
  readonly group?: string;
};

/** The roles that always exist and speak of kinds: each of the first three may do what the one before may. */
export type GrantingRole = 'view' | 'edit' | 'admin' | 'system:basic-user';

export type Grant = {
  readonly role: GrantingRole;
  /** Also those that only roles know, such as `use`. */
  readonly verbs: readonly string[];
  /** Subresources; '' is the object itself. Some are Muster's own, and discovery does not list them. */
  readonly of: readonly string[];
};

/** `batch/v1` */
export const apiVersionOf = ({ group, version }: Pick<ApiKind, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`;

/** `cronjobs.batch`, `pods`: as messages, quotas, and commands name what is of a group. */
export const ofGroup = (word: string, { group }: Pick<ApiKind, 'group'>): string =>
  group === '' ? word : `${word}.${group}`;

/** `cronjob` */
export const singularOf = ({ kind }: Pick<ApiKind, 'kind'>): string => kind.toLowerCase();

type Place = Pick<ApiKind, 'group' | 'version' | 'plural'>;

/** The path of all objects of a kind, in whatever namespaces: `/apis/batch/v1/cronjobs`. */
export const pathOfAll = (kind: Place): string => `${rootOf(kind)}/${kind.plural}`;

/** The path of those in a namespace: `/apis/batch/v1/namespaces/default/cronjobs`. */
export const pathWithin = (kind: Place, namespace: string): string =>
  `${rootOf(kind)}/namespaces/${namespace}/${kind.plural}`;

const rootOf = (kind: Place): string => (kind.group === '' ? `/api/${kind.version}` : `/apis/${apiVersionOf(kind)}`);

// What rows of kinds are made of.

export const READ = ['get', 'list', 'watch'] as const;
export const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const;
export const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;

/** Users write its objects, in namespaces. */
export const WRITTEN = { isNamespaced: true, verbs: ALL } as const;

export const statusOf = (kind: string, verbs: readonly Verb[] = ['get', 'patch', 'update']): SubresourceRow => ({
  name: 'status',
  kind,
  verbs,
});

/** `of`: subresources; none: the object itself. */
export const grant = (role: GrantingRole, verbs: readonly string[], ...of: readonly string[]): Grant => ({
  role,
  verbs,
  of: of.length === 0 ? [''] : of,
});
