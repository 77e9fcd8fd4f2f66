/** How an object is printed whole. */
export const OBJECT_FORMS = ['json', 'yaml'] as const;
export type ObjectForm = (typeof OBJECT_FORMS)[number];
