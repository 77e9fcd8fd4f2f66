import { type Column, wide } from './printer.ts';

/** What `-o wide` shows for everything that creates Pods. */
export const CONTAINER_COLUMNS: readonly Column[] = [
  wide('Containers', 'Names of the containers of its Pods.'),
  wide('Images', 'Images of these containers.'),
  wide('Selector', 'Labels by which its Pods are found.'),
];

type Container = { readonly name: string; readonly image?: string | undefined };

export const containerCells = (containers: readonly Container[], selector: Selector | undefined) => [
  containers.map(({ name }) => name).join(','),
  containers.map(({ image = '' }) => image).join(','),
  selectorText(selector),
];

type Expression = {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
};
export type Selector = {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?: readonly Expression[] | undefined;
};

/** A selector as a user would type it after `-l`, by key; an empty one is `<none>`. */
function selectorText({ matchLabels = {}, matchExpressions = [] }: Selector = {}): string {
  const equal = Object.entries(matchLabels).map(([key, value]) => ({ key, text: `${key}=${value}` }));
  const others = matchExpressions.map((expression) => ({ key: expression.key, text: expressionText(expression) }));
  const all = [...equal, ...others].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return all.length === 0 ? '<none>' : all.map(({ text }) => text).join(',');
}

function expressionText({ key, operator, values = [] }: Expression): string {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  return `${key} ${operator.toLowerCase()} (${values.toSorted().join(',')})`;
}
