import { type ApiKind, READ, WRITE, WRITTEN, grant } from '../../../domain/kinds/api-kind.ts';

/** WorkLists, whose items Jobs work on. */
export const WORK_LIST_ROWS = {
  WorkList: {
    group: 'muster.run',
    version: 'v1',
    ...WRITTEN,
    kind: 'WorkList',
    plural: 'worklists',
    shortNames: ['wl'],
    stored: true,
    counted: 'workLists',
    grants: [grant('view', READ, '', 'parts'), grant('edit', WRITE), grant('edit', ['create'], 'parts', 'seal')],
  },
} as const satisfies Readonly<Record<string, ApiKind>>;
