import type { JobAnnotation } from './annotation.ts';

/** Step Functions' own limit is 2,048 characters; whatever they are, they are visible ones. */
export const isTaskToken = (text: string): boolean => /^[!-~]{1,2048}$/.test(text);

/** Who waits for a Job's end. */
export const OF_TASK_TOKENS = {
  taskToken: {
    key: 'muster.run/task-token',
    explains: 'of Step Functions, answered when the Job ends',
    parse: (text: string) => (isTaskToken(text) ? text : null),
    rule: 'must be a task token of Step Functions: 1 to 2048 visible characters',
    isSecret: true,
    immutable: 'never',
    leftOutOf: ['rerun', 'submission'],
  },
} as const satisfies Readonly<Record<string, JobAnnotation>>;
