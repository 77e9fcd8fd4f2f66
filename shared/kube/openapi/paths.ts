import { unreachable } from '../../domain/base/invariant.ts';
import type { Verb } from '../../domain/kinds/api-kind.ts';
import { typeOf } from '../../schema/kinds/json-fields-of.ts';
import type { KindTable } from '../../schema/kinds/kind-table.ts';
import type { ServedResource } from '../discovery/served-resources.ts';
import { type Schema, groupVersionKind, listName, schemaRef } from './schemas.ts';

/**
 * The paths of a group's resources. Before it sends an object, kubectl reads its PATCH: the parameter `fieldValidation` means
 * that the server validates by itself, `dryRun` that it supports dry runs.
 */
export const pathsOf = (
  kinds: KindTable,
  root: string,
  resources: readonly ServedResource[],
): Readonly<Record<string, Schema>> =>
  Object.fromEntries(resources.flatMap((resource) => resourcePaths(kinds, root, resource)));

function resourcePaths(
  kinds: KindTable,
  root: string,
  resource: ServedResource,
): readonly (readonly [string, Schema])[] {
  const { plural, type, namespaced, verbs, subresources } = resource;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const one = `${collection}/{name}`;
  const inNamespace = namespaced ? [NAMESPACE] : [];
  const operations = (wanted: readonly Verb[], of: readonly Verb[], scope: string, name = type): Schema => {
    const methods: Record<string, Schema> = {};
    for (const verb of wanted)
      if (of.includes(verb)) methods[METHODS[verb]] = operation(kinds, name, resource, verb, scope);
    return methods;
  };
  const entries: (readonly [string, Schema, readonly Schema[]])[] = [
    [collection, operations(['list', 'create', 'deletecollection'], verbs, ''), inNamespace],
    [one, operations(['get', 'update', 'patch', 'delete'], verbs, ''), [...inNamespace, NAME]],
    ...subresources.map(
      (sub) =>
        [
          `${one}/${sub.name}`,
          operations(['get', 'create', 'update', 'patch'], sub.verbs, sub.name, sub.type),
          [...inNamespace, NAME],
        ] as const,
    ),
    ...(namespaced ? [[`${root}/${plural}`, operations(['list'], verbs, 'all'), []] as const] : []),
  ];
  return entries.flatMap(([path, methods, parameters]) =>
    Object.keys(methods).length === 0
      ? []
      : [[path, { ...methods, ...(parameters.length === 0 ? {} : { parameters }) }] as const],
  );
}

const METHODS: Readonly<Record<Verb, string>> = {
  list: 'get',
  watch: 'get',
  get: 'get',
  create: 'post',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'delete',
};

/** Kubernetes' word for an operation, if it is not the verb itself. */
const ACTIONS: Readonly<Partial<Record<Verb, string>>> = { create: 'post', update: 'put' };

/** `type`: its name in the table. `scope`: a subresource's name, `all` for the list over all namespaces, or empty. */
function operation(kinds: KindTable, type: string, resource: ServedResource, verb: Verb, scope: string): Schema {
  const { plural, showsDeleted } = resource;
  const { openapi, apiVersion = 'v1', kind = type } = typeOf(kinds, type);
  const { group, version } = groupVersionKind(apiVersion, kind);
  const sentence = SENTENCES[verb]?.(kind, scope) ?? verb;
  const text = scope === 'log';
  return {
    description: sentence,
    operationId: [verb, group === '' ? 'core' : group?.split('.')[0], version, plural, scope]
      .map((word) => (word === '' || word === undefined ? '' : `${word[0]?.toUpperCase()}${word.slice(1)}`))
      .join('')
      .replace(/^./, (letter) => letter.toLowerCase()),
    tags: [`${group === '' ? 'core' : group}_${version}`],
    parameters: (PARAMETERS[verb] ?? []).map((name) => query(name)),
    ...requestBody(kinds, verb, openapi),
    responses: {
      [verb === 'create' ? '201' : '200']: {
        description: 'Done',
        content: text
          ? { 'text/plain': { schema: { type: 'string' } } }
          : { 'application/json': { schema: schemaRef(answerOf(kinds, verb, type, showsDeleted === true)) } },
      },
    },
    'x-kubernetes-action': ACTIONS[verb] ?? verb,
    'x-kubernetes-group-version-kind': groupVersionKind(apiVersion, kind),
  };
}

const SENTENCES: Readonly<Partial<Record<Verb, (kind: string, scope: string) => string>>> = {
  list: (kind, scope) =>
    `Objects of the kind ${kind}${scope === 'all' ? ' in all namespaces' : ''}; with watch, what becomes of them.`,
  create: (kind) => `Creates a ${kind}.`,
  get: (kind, scope) => (scope === '' ? `A ${kind} by its name.` : `The ${scope} of a ${kind}.`),
  update: (kind, scope) => `Replaces ${scope === '' ? '' : `the ${scope} of `}a ${kind}.`,
  patch: (kind, scope) =>
    scope === '' ? `Changes a part of a ${kind}, or applies one.` : `Changes or applies the ${scope} of a ${kind}.`,
  delete: (kind) => `Deletes a ${kind}.`,
  deletecollection: (kind) => `Deletes all objects of the kind ${kind} that the selectors pick.`,
};

const answerOf = (kinds: KindTable, verb: Verb, kind: string, showsDeleted: boolean): string => {
  if (verb === 'list') return listName(kinds, kind);
  const isStatus = verb === 'deletecollection' || (verb === 'delete' && !showsDeleted);
  return typeOf(kinds, isStatus ? 'Status' : kind).openapi;
};

function requestBody(kinds: KindTable, verb: Verb, openapi: string): Schema {
  const body = (types: readonly string[], schema: Schema) => ({
    requestBody: { required: true, content: Object.fromEntries(types.map((type) => [type, { schema }])) },
  });
  switch (verb) {
    case 'create':
    case 'update':
      return body(BODIES, schemaRef(openapi));
    case 'patch':
      return body(PATCHES, { type: 'object' });
    case 'delete':
    case 'deletecollection': {
      const { requestBody: deleteOptions } = body(BODIES, schemaRef(typeOf(kinds, 'DeleteOptions').openapi));
      return { requestBody: { ...deleteOptions, required: false } };
    }
    case 'get':
    case 'list':
    case 'watch':
      return {};
    default:
      return unreachable(verb);
  }
}

const BODIES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const PATCHES = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];

const WRITING = ['dryRun', 'fieldManager', 'fieldValidation'];
const CHOOSING = ['continue', 'fieldSelector', 'labelSelector', 'limit', 'resourceVersion', 'resourceVersionMatch'];
const DELETING = ['dryRun', 'gracePeriodSeconds', 'propagationPolicy'];
const PARAMETERS: Readonly<Partial<Record<Verb, readonly string[]>>> = {
  list: [...CHOOSING, 'allowWatchBookmarks', 'sendInitialEvents', 'timeoutSeconds', 'watch'],
  create: WRITING,
  update: WRITING,
  patch: [...WRITING, 'force'],
  delete: DELETING,
  deletecollection: [...DELETING, ...CHOOSING],
};

const QUERY_TYPES: Readonly<Record<string, string>> = {
  allowWatchBookmarks: 'boolean',
  force: 'boolean',
  gracePeriodSeconds: 'integer',
  limit: 'integer',
  sendInitialEvents: 'boolean',
  timeoutSeconds: 'integer',
  watch: 'boolean',
};
const query = (name: string): Schema => ({
  name,
  in: 'query',
  description: QUERY_WORDS[name] ?? '',
  schema: { type: QUERY_TYPES[name] ?? 'string', uniqueItems: true },
});
const QUERY_WORDS: Readonly<Record<string, string>> = {
  allowWatchBookmarks: 'Now and then the watch says how far it is.',
  continue: 'The next page: what the last one said.',
  dryRun: 'All: everything is checked, nothing is stored.',
  fieldManager: 'Who changes the fields; needed to apply.',
  fieldSelector: 'Which objects, by their fields.',
  fieldValidation: 'What an unknown field is: Strict an error, Warn (the default) a warning, Ignore nothing.',
  force: 'Take fields over from others that have applied them.',
  gracePeriodSeconds: 'Seconds that a Pod has for its end.',
  labelSelector: 'Which objects, by their labels.',
  limit: 'How many objects a page has.',
  propagationPolicy: 'Background, Foreground or Orphan.',
  resourceVersion: 'From where a watch goes on.',
  resourceVersionMatch: 'NotOlderThan or Exact.',
  sendInitialEvents: 'The watch begins with what is there.',
  timeoutSeconds: 'Seconds after which the watch ends.',
  watch: 'Stay, and tell what becomes of the objects.',
};

const inPath = (name: string): Schema => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', uniqueItems: true },
});
const NAMESPACE = inPath('namespace');
const NAME = inPath('name');
