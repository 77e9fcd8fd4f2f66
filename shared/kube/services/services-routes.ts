import type { Hono } from 'hono';
import { SERVICE_FORM } from '../../schema/service/service-form.ts';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { at, words } from '../list/stored-field.ts';
import { plainKind } from '../write/plain-kind.ts';
import { plainRoutes } from '../write/plain-routes.ts';
import { SERVICE_PRINTER } from './service-printer.ts';

const PLAIN = { stored: 'Service', resource: API_KINDS.Service, form: SERVICE_FORM } as const;

/** `v1` Services: headless ones, which are stored and have no effect. */
export const servicesRoutes = (deps: ApiDeps, options: ApiOptions): Hono =>
  plainRoutes(
    {
      ...PLAIN,
      kind: plainKind(PLAIN, deps),
      printer: SERVICE_PRINTER,
      fields: {
        'spec.clusterIP': (service) => words(at(service, 'spec', 'clusterIP')),
        'spec.type': (service) => words(at(service, 'spec', 'type')),
      },
      status: 'refused',
    },
    deps,
    options,
  );
