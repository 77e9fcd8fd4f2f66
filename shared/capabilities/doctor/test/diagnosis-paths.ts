/** Where diagnoses are: of the installation, of all Jobs, of those of a namespace, and of one. */
export const PATHS = [
  '/muster/v1/diagnosis',
  '/muster/v1/jobs/diagnosis',
  '/muster/v1/namespaces/default/jobs/diagnosis',
  '/muster/v1/namespaces/default/jobs/sums/diagnosis',
] as const;
