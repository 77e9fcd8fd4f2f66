import { KINDS } from '../../schema/kinds/kinds.ts';
import type { FieldType } from '../../schema/kinds/kind-table.ts';
import type { ParsedDocument } from '../../schema/text/document.ts';
import { readJsonText } from '../../schema/text/json-text.ts';
import { type Problem, type Undecodable, unreadable } from '../../schema/object/read-object.ts';
import {
  type Known,
  type Strays,
  ANYTHING,
  NO_STRAYS,
  strayText,
  unknownFields,
} from '../../schema/object/stray-fields.ts';
import { UNDECLARED, typedErrors } from '../apply/type-errors.ts';
import type { DocumentText } from '../http/request-body.ts';
import { fieldNamed, typeNamed } from '../patch/kind-fields.ts';
import { isObject, without } from '../patch/json-value.ts';
import type { FoundObject, WritableKind } from './writable-kind.ts';

/** A kind, as far as its documents are read. */
export type WrittenKind = Pick<WritableKind<FoundObject, unknown>, 'type' | 'resource' | 'apiVersion'>;

/** What strict decoding finds, in Kubernetes' order. */
export type StrictFaults = {
  /** Duplicate keys of YAML, in the words of Go's decoder: `line 5: key "name" already set in map`. */
  readonly lines: readonly string[];
  readonly problems: readonly Problem[];
  /** How many there are beside. */
  readonly more: number;
};

type ReadableDocument = Exclude<ParsedDocument, { readonly kind: 'unreadable' }>;

/**
 * What strict decoding finds in a whole object. JSON: duplicate and unknown fields in the order of the text; but a custom
 * resource is decoded without its type first, so all duplicates come before what is unknown. YAML: duplicate keys, then unknown
 * fields by name, because Go makes JSON of it.
 *
 * @param text null: protobuf, which has neither
 */
export function faultsOfObject(type: string, document: ReadableDocument, text: DocumentText | null): StrictFaults {
  const known = knownOfKind(type);
  const unknown = unknownFields(known, document.value);
  if (text === null || (document.kind === 'parsed' && unknown.told.length === 0)) return fieldFaults(unknown);
  if (text.format === 'yaml') return both(faultsOfConfiguration(document), fieldFaults(unknown));
  if (typeNamed(KINDS, type)?.jsonOnly === true) return both(fieldFaults(twiceIn(document)), fieldFaults(unknown));
  return fieldFaults(readJsonText(text.text, known).strays);
}

/** Duplicate keys of a configuration to apply, which is YAML. */
export function faultsOfConfiguration(document: ReadableDocument): StrictFaults {
  const { told, more } = twiceIn(document);
  const lines = told.map(({ key, line }) => `line ${line}: key ${JSON.stringify(key)} already set in map`);
  return { lines, problems: [], more };
}

/** What is wrong with a patch itself. The operations of a JSON patch have a type; the contents of the others have none. */
export const faultsOfPatch = (isJsonPatch: boolean, document: ReadableDocument, text: string): StrictFaults =>
  isJsonPatch ? fieldFaults(readJsonText(text, OPERATIONS).strays, 'json patch ') : fieldFaults(twiceIn(document));

/** What is wrong with a patch, and then what is unknown in the object that it makes. */
export const withUnknownOf = (type: string, patched: unknown, ofPatch: StrictFaults): StrictFaults =>
  both(ofPatch, fieldFaults(unknownFields(knownOfKind(type), patched)));

export const hasFaults = ({ lines, problems }: StrictFaults): boolean => lines.length + problems.length > 0;

/** One warning for each fault. */
export const warningsOf = ({ lines, problems }: StrictFaults): readonly string[] => [
  ...lines,
  ...problems.map(({ message }) => message),
];

/** The refusal of an object, or of what a patch makes of it. */
export function refusedStrictly(written: WrittenKind, { lines, problems, more }: StrictFaults): Undecodable {
  const { apiVersion, resource } = written;
  const ofYaml = lines.length === 0 ? '' : inYaml(lines) + (problems.length === 0 ? '' : ', ');
  return unreadable({ apiVersion, kind: resource.kind }, problems, `strict decoding error: ${ofYaml}`, more);
}

/** The refusal of a configuration to apply. */
export const refusedConfiguration = ({ lines, more }: StrictFaults): string =>
  `error strict decoding YAML: error converting YAML to JSON: ${inYaml(lines)}${more === 0 ? '' : `, and ${more} more`}`;

/** Whether a value has a wrong type somewhere. Kubernetes names that, and not what it does not know. */
export const isMistyped = (type: string, value: unknown): boolean =>
  typedErrors(KINDS, { is: 'object', of: type }, isObject(value) ? without(value, TYPE_FIELDS) : value).some(
    (fieldError) => fieldError.includes('expected ') && !fieldError.endsWith(UNDECLARED),
  );

const inYaml = (lines: readonly string[]): string => ['yaml: unmarshal errors:', ...lines].join('\n  ');

const twiceIn = (document: ReadableDocument): Strays => (document.kind === 'duplicates' ? document.twice : NO_STRAYS);

const fieldFaults = ({ told, more }: Strays, prefix = ''): StrictFaults => ({
  lines: [],
  problems: told.map((stray) => ({ path: stray.path, message: prefix + strayText(stray) })),
  more,
});

const both = (one: StrictFaults, other: StrictFaults): StrictFaults => ({
  lines: [...one.lines, ...other.lines],
  problems: [...one.problems, ...other.problems],
  more: one.more + other.more,
});

const TYPE_FIELDS: readonly string[] = ['apiVersion', 'kind'];

/** The fields of a kind's objects; those of a type that is not in the table are any. */
function knownOfKind(type: string): Known {
  const known = knownOf({ is: 'object', of: type }) ?? ANYTHING;
  return { field: (name) => (TYPE_FIELDS.includes(name) ? null : known.field(name)), item: null };
}

function knownOf(type: FieldType): Known | null {
  if (type.is === 'list') return { field: () => null, item: knownOf(type.of) };
  if (type.is === 'map') return { field: () => knownOf(type.of), item: null };
  if (type.is !== 'object') return null;
  const of = typeNamed(KINDS, type.of);
  if (of === null) return ANYTHING;
  return {
    field: (name) => {
      const field = fieldNamed(KINDS, of, name);
      return field === null ? 'unknown' : knownOf(field.type);
    },
    item: null,
  };
}

/** A JSON patch: an operation has four fields, of which one has any value. */
const OPERATIONS: Known = {
  field: () => null,
  item: {
    field: (name) => (name === 'value' ? ANYTHING : ['op', 'from', 'path'].includes(name) ? null : 'unknown'),
    item: null,
  },
};
