import type { NamespaceLimit } from '../../../schema/namespace/namespace-limit.ts';
import { admitPlain } from '../../../schema/object/plain-admission.ts';
import { LIMIT_RANGE_FORM } from './limit-range-form.ts';
import { QUOTA_FORM } from './quota-form.ts';

export const LIMIT_RANGE_LIMIT: NamespaceLimit = {
  name: 'LimitRange',
  admit: (document, context) => admitPlain(LIMIT_RANGE_FORM, document, context),
};

export const QUOTA_LIMIT: NamespaceLimit = {
  name: 'ResourceQuota',
  admit: (document, context) => admitPlain(QUOTA_FORM, document, context),
};
