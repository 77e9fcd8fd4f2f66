import { type ApiKind, READ, WRITTEN, grant, statusOf } from '../../../domain/kinds/api-kind.ts';

const CORE = { group: '', version: 'v1' } as const;

/** What limits a namespace. Who owns a namespace must not raise that, so roles only let it be seen. */
export const QUOTA_KINDS = {
  LimitRange: {
    ...CORE,
    ...WRITTEN,
    kind: 'LimitRange',
    plural: 'limitranges',
    shortNames: ['limits'],
    stored: true,
    counted: 'limitRanges',
    grants: [grant('view', READ)],
  },
  ResourceQuota: {
    ...CORE,
    ...WRITTEN,
    kind: 'ResourceQuota',
    plural: 'resourcequotas',
    shortNames: ['quota'],
    subresources: [statusOf('ResourceQuota', ['get'])],
    stored: true,
    showsDeleted: true,
    counted: 'resourceQuotas',
    grants: [grant('view', READ, '', 'status')],
  },
} as const satisfies Readonly<Record<string, ApiKind>>;
