import type { Annotation } from './annotation.ts';

/** On a Pod: what Muster knows of its task. */
export const POD_ANNOTATIONS = {
  item: { key: 'muster.run/item', explains: 'its item, as a line', setBy: 'server' },
  taskArn: { key: 'muster.run/task-arn', explains: 'its task, to look it up in ECS', setBy: 'server' },
  cause: { key: 'muster.run/cause', explains: 'how its task ended', setBy: 'server' },
  verdict: { key: 'muster.run/verdict', explains: 'what that counted as, and by which rule', setBy: 'server' },
} as const satisfies Readonly<Record<string, Annotation>>;
