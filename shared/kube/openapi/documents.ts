import { VERSION } from '../../names/version.ts';
import { KINDS } from '../../schema/kinds/kinds.ts';
import { type PathResource, type Verb, pathsOf } from './paths.ts';
import { type Schema, listName, listSchema, schemasOf } from './schemas.ts';

const EVERY_VERB: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const withStatus = (plural: string, kind: string): PathResource => ({
  plural,
  kind,
  namespaced: true,
  verbs: EVERY_VERB,
  subresources: [{ name: 'status', verbs: ['get'] }],
});
const review = (plural: string, kind: string): PathResource => ({
  plural,
  kind,
  namespaced: false,
  verbs: ['create'],
  subresources: [],
});

/** The resources of each group version, by its path under `/openapi/v3/`. */
const GROUP_VERSIONS: Readonly<Record<string, readonly PathResource[]>> = {
  'api/v1': [
    {
      plural: 'namespaces',
      kind: 'Namespace',
      namespaced: false,
      verbs: ['create', 'delete', 'get', 'list', 'watch'],
      subresources: [],
    },
    {
      plural: 'pods',
      kind: 'Pod',
      namespaced: true,
      verbs: ['delete', 'deletecollection', 'get', 'list', 'watch'],
      subresources: [{ name: 'log', verbs: ['get'] }],
    },
    { plural: 'events', kind: 'Event', namespaced: true, verbs: ['get', 'list', 'watch'], subresources: [] },
    { plural: 'services', kind: 'Service', namespaced: true, verbs: ['list'], subresources: [] },
  ],
  'apis/batch/v1': [withStatus('jobs', 'Job'), withStatus('cronjobs', 'CronJob')],
  'apis/authentication.k8s.io/v1': [review('selfsubjectreviews', 'SelfSubjectReview')],
  'apis/authorization.k8s.io/v1': [
    review('selfsubjectaccessreviews', 'SelfSubjectAccessReview'),
    review('selfsubjectrulesreviews', 'SelfSubjectRulesReview'),
  ],
};

/** The paths under `/openapi/v3/` at which there is a document, in the order of the index. */
export const DOCUMENT_PATHS: readonly string[] = Object.keys(GROUP_VERSIONS);

/** The OpenAPI 3.0 document of a group version, its path given as in {@link DOCUMENT_PATHS}; null: there is none. */
export function openApiDocument(path: string): Schema | null {
  const resources = Object.hasOwn(GROUP_VERSIONS, path) ? GROUP_VERSIONS[path] : undefined;
  if (resources === undefined) return null;
  const listed = resources.filter(({ verbs }) => verbs.includes('list')).map(({ kind }) => kind);
  const deletes = resources.some(({ verbs }) => verbs.includes('delete'));
  const roots = [
    ...resources.map(({ kind }) => kind),
    ...(listed.length > 0 ? ['ListMeta'] : []),
    ...(deletes ? ['DeleteOptions', 'Status'] : []),
  ];
  const lists = Object.fromEntries(listed.map((kind) => [listName(KINDS, kind), listSchema(KINDS, kind)]));
  return {
    openapi: '3.0.0',
    info: { title: 'Muster', version: VERSION },
    paths: pathsOf(KINDS, `/${path}`, resources),
    components: { schemas: { ...schemasOf(KINDS, roots), ...lists } },
  };
}
