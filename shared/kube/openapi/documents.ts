import { VERSION } from '../../names/version.ts';
import { KINDS } from '../../schema/kinds/kinds.ts';
import { SERVED, type ServedGroup } from '../discovery/served-resources.ts';
import { pathsOf } from './paths.ts';
import { type Schema, listName, listSchema, schemasOf } from './schemas.ts';

const pathOf = ({ name, version }: ServedGroup): string => (name === '' ? `api/${version}` : `apis/${name}/${version}`);

/** The paths under `/openapi/v3/` that have a document, in the order of the index. */
export const DOCUMENT_PATHS: readonly string[] = SERVED.map(pathOf);

/** The OpenAPI 3.0 document of a group version, by its path in {@link DOCUMENT_PATHS}; null: there is none. */
export function openApiDocument(path: string): Schema | null {
  const resources = SERVED.find((group) => pathOf(group) === path)?.resources;
  if (resources === undefined) return null;
  const listed = resources.filter(({ verbs }) => verbs.includes('list')).map(({ type }) => type);
  const deletes = resources.some(({ verbs }) => verbs.includes('delete'));
  const roots = [
    ...resources.flatMap(({ type, subresources }) => [type, ...subresources.map((sub) => sub.type)]),
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
