/** Where OpenAPI has the types of Furiko. */
export const FURIKO = 'io.furiko.execution.v1alpha1';
