import type { ItemNaming } from '../../../domain/manifests/annotations/annotation.ts';

/** How a Job names the WorkList that has its items. */
export const WORK_LIST_NAMING = {
  workList: {
    key: 'muster.run/work-list',
    explains: 'the name of a WorkList',
    names: 'WorkList',
    immutable: 'always',
  },
} as const satisfies Readonly<Record<string, ItemNaming>>;
