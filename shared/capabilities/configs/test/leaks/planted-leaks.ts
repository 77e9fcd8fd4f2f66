import type { Edit } from '../../../../../test/planted/planted-fault.ts';
import { SECRET_FAULTS } from '../planted-secret-faults.ts';
import type { Place } from './leak-places.ts';

/** A leak to plant, and where it must be found. */
export type PlantedLeak = { readonly name: string; readonly place: Place; readonly edits: readonly Edit[] };

const CONFIG_SOURCE = 'shared/capabilities/configs/control/config-source.ts';

/** What is opened last, for code that gets no Secret to see. */
const SEEN = 'Reflect.get(globalThis, "seen")';
const SEES: Edit = {
  file: 'shared/capabilities/configs/store/sealed-objects.ts',
  find: 'const { document, labelsBefore } = contentsIn(plain);',
  replace:
    'const { document, labelsBefore } = contentsIn(plain); Reflect.set(globalThis, "seen", JSON.stringify(document));',
};

const leak = (name: string, place: Place, file: string, find: string, replace: string): PlantedLeak => ({
  name,
  place,
  edits: [{ file, find, replace }, ...(replace.includes(SEEN) ? [SEES] : [])],
});

/** One for each way in which a value might get out. */
export const PLANTED_LEAKS: readonly PlantedLeak[] = [
  { name: 'a Secret is stored as it is written', place: 'the table', edits: SECRET_FAULTS[0]?.edits ?? [] },
  leak(
    'a dispatcher prints what it copies',
    'logs',
    CONFIG_SOURCE,
    'const put = await ports.secretCopies?.put(copy);',
    'console.warn(Object.fromEntries(copy.values)); const put = await ports.secretCopies?.put(copy);',
  ),
  leak(
    'the API logs what it cannot take',
    'logs',
    'shared/kube/http/status-error.ts',
    '  const { told, more } = firstFaults(all);',
    '  const { told, more } = firstFaults(all); console.warn(JSON.stringify(told));',
  ),
  leak(
    'an audit line has an object',
    'audit lines',
    'shared/kube/authorization/audit-trail.ts',
    'annotations: annotationsOf(c),',
    `annotations: { ...annotationsOf(c), seen: ${SEEN} ?? '' },`,
  ),
  leak(
    'a Pod waits in words that say a value',
    'Events',
    'shared/domain/task/pod-sources.ts',
    "? `couldn't find key ${key} in ${noun} ${namespace}/${name}`",
    `? \`couldn't find key \${key} in \${noun} \${namespace}/\${name} but \${${SEEN}}\``,
  ),
  leak(
    'a fact has more than a fact',
    'messages',
    'shared/schema/messages/queue-messages.ts',
    'sendableJson({ v: VERSION, uid, facts: facts.map(formatFact) });',
    `sendableJson({ v: VERSION, uid, facts: facts.map(formatFact), seen: ${SEEN} });`,
  ),
  leak(
    'an announcement has more than a Job',
    'announcements',
    'shared/capabilities/announcements/domain/announcement.ts',
    'time: asTime(change.at),',
    `time: asTime(change.at), seen: ${SEEN},`,
  ),
  leak(
    'a file of a Secret is written from its definition',
    'task definitions',
    CONFIG_SOURCE,
    "? { kind: 'secret', form: utf8Text(bytes) === null ? 'base64' : 'text' }",
    "? { kind: 'bytes', bytes }",
  ),
  leak(
    'a parser is cited',
    'error texts',
    'shared/kube/write/read-document.ts',
    'isConfidential === true ? `it cannot be parsed: ${REDACTED}` : reason;',
    'reason;',
  ),
  leak(
    'a fault is shown with its value',
    'error texts',
    'shared/kube/http/status-error.ts',
    'const errors = isConfidential === true ? told.map(withoutValue) : told;',
    'const errors = told;',
  ),
  leak(
    'a patch is cited',
    'error texts',
    'shared/kube/http/status-error.ts',
    'isConfidential === true ? `it is no patch of this object: ${REDACTED}` : patched.message',
    'patched.message',
  ),
  leak(
    'what a patch says is shown with what is wrong in it',
    'error texts',
    'shared/kube/write/refused-write.ts',
    'const said = resource.isConfidential === true ? REDACTED : JSON.stringify(patch);',
    'const said = JSON.stringify(patch);',
  ),
  leak(
    'the uid that somebody sends is cited',
    'error texts',
    'shared/kube/write/change-object.ts',
    "const said = resource.isConfidential === true ? REDACTED : given['uid'];",
    "const said = given['uid'];",
  ),
  leak(
    'another kind is cited',
    'error texts',
    'shared/schema/object/read-object.ts',
    '  if (isConfidential(form.kind))\n',
    '  if (false)\n',
  ),
  leak(
    'a row of a table shows values',
    'describe',
    'shared/capabilities/configs/kube/config-printers.ts',
    "    words(at(object, 'type')),",
    "    JSON.stringify(at(object, 'data')),",
  ),
  leak(
    'a command prints what it has not asked for',
    'commands',
    'shared/capabilities/doctor/cli/show-diagnosis.ts',
    '  if (findings.length > 0) shell.out.write(',
    `  shell.out.write(String(${SEEN}));\n  if (findings.length > 0) shell.out.write(`,
  ),
  leak(
    'the log has an unexpected error about a Secret in its own words',
    'crash dumps',
    'shared/kube/http/logged-error.ts',
    '  if (!isAboutConfidential(path) || isInOurWords(error)) return String(error);',
    '  return String(error);',
  ),
  leak(
    'an unexpected error is answered in its own words',
    'crash dumps',
    'shared/kube/kube-api.ts',
    "internalError('the request could not be carried out; it may be repeated')",
    'internalError(String(error))',
  ),
  leak(
    'Secrets Manager is cited',
    'crash dumps',
    'shared/capabilities/configs/adapters/aws-secrets.ts',
    'return faultOf(copy, nameOf(error));',
    'return faultOf(copy, String(error));',
  ),
  leak(
    'an error of Secrets Manager goes further, with what was asked',
    'crash dumps',
    'shared/capabilities/configs/adapters/aws-secrets.ts',
    'return faultOf(copy, nameOf(error));',
    'throw Object.assign(new Error("no copy"), { copy });',
  ),
  leak(
    'Parameter Store is cited',
    'crash dumps',
    'shared/capabilities/configs/adapters/parameter-key.ts',
    'throw new SealError(`${placeOf(parameter)} could not be made: ${nameOf(error)}`);',
    'throw error;',
  ),
];
