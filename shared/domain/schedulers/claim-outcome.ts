/** What came of an attempt to create the Job of a slot. */
export type ClaimOutcome =
  | { readonly kind: 'created' }
  /** The API would refuse the Job, or another Job has the name. */
  | { readonly kind: 'refused' | 'taken'; readonly message: string };
