import { INT64, REQUIRED, STRING, STRINGS, TIME, field, object } from '../../../schema/kinds/field.ts';
import type { KindTable } from '../../../schema/kinds/kind-table.ts';

const AUTHENTICATION = 'io.k8s.api.authentication.v1';

/** A request that is answered with a token, and not stored. */
export const ACCOUNT_TOKEN_SHAPES = {
  TokenRequest: {
    openapi: `${AUTHENTICATION}.TokenRequest`,
    description: 'Asks for a token of a ServiceAccount: kubectl create token.',
    apiVersion: 'authentication.k8s.io/v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'The name and the namespace of the account, or nothing.'),
      spec: field(2, object('TokenRequestSpec'), 'For whom, and for how long.', REQUIRED),
      status: field(3, object('TokenRequestStatus'), 'The token.'),
    },
  },
  TokenRequestSpec: {
    openapi: `${AUTHENTICATION}.TokenRequestSpec`,
    description: 'What a token is asked for.',
    fields: {
      audiences: field(1, STRINGS, 'Who may take it for a sign of its bearer. Empty: this API.'),
      boundObjectRef: field(3, object('BoundObjectReference'), 'The Pod without which it is worth nothing.'),
      expirationSeconds: field(4, INT64, 'How long it holds: from 10 minutes on; an hour by default.'),
    },
  },
  BoundObjectReference: {
    openapi: `${AUTHENTICATION}.BoundObjectReference`,
    description: 'The object that a token is bound to.',
    fields: {
      kind: field(1, STRING, 'Pod.'),
      apiVersion: field(2, STRING, 'v1.'),
      name: field(3, STRING, 'Its name.'),
      uid: field(4, STRING, 'Its uid; if it is given, it must be the one of the object.'),
    },
  },
  TokenRequestStatus: {
    openapi: `${AUTHENTICATION}.TokenRequestStatus`,
    description: 'The answer.',
    fields: {
      token: field(1, STRING, 'The token.', REQUIRED),
      expirationTimestamp: field(2, TIME, 'Until when it holds.', REQUIRED),
    },
  },
} as const satisfies KindTable;
