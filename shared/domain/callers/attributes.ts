/** What a call wants to do, in the words of RBAC. `*` in a question (SelfSubjectAccessReview) stands for all. */
export type Attributes = ResourceAttributes | PathAttributes;

export type ResourceAttributes = {
  readonly kind: 'resource';
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, or another word, as `bind`. */
  readonly verb: string;
  /** '' is the core group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** '': all namespaces, or a resource that has none. */
  readonly namespace: string;
  /** '': a collection, or the name is not known yet. */
  readonly name: string;
};

/** A path outside the resources: discovery, health. The verb is the HTTP method in lower case. */
export type PathAttributes = { readonly kind: 'path'; readonly verb: string; readonly path: string };
