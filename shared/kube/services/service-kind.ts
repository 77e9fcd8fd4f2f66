import { SERVICE_FORM } from '../../schema/service/service-form.ts';
import { USUAL_FIELDS } from '../list/select-stored.ts';
import { at, words } from '../list/stored-field.ts';
import { defineKind } from '../write/define-kind.ts';
import { plainForm } from '../write/plain-form.ts';
import { SERVICE_PRINTER } from './service-printer.ts';

/** `v1` Services: headless ones, which are stored and have no effect. */
export const SERVICE_KIND = defineKind({
  resource: 'Service',
  form: plainForm(SERVICE_FORM),
  printer: SERVICE_PRINTER,
  fields: {
    ...USUAL_FIELDS,
    'spec.clusterIP': (service) => words(at(service, 'spec', 'clusterIP')),
    'spec.type': (service) => words(at(service, 'spec', 'type')),
  },
  further: [{ path: 'status', answer: null }],
});
