/** Keys of the tags of tasks and, as far as they fit, of what the stack makes: bills can be split by them. */
export const TAGS = {
  namespace: 'muster:namespace',
  job: 'muster:job',
  /** the stack's name: all that an installation makes has it */
  installation: 'muster:installation',
  /** embedded only: what the Pod requests, which the size of its task is rounded up from */
  requests: 'muster:requests',
} as const;
