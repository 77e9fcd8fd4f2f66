import { computed, signal } from '@preact/signals';
import { type Place, placeOf, queryWith } from '../model/route.ts';

const here = signal({ path: location.pathname, query: location.search });

/** Where the page is. */
export const place = computed<Place>(() => placeOf(here.value.path));

/** What is asked for there: filter, sort, state, time. */
export const query = computed(() => new URLSearchParams(here.value.query));

/** The namespace that is looked at; null: all. */
export const scope = computed(() => query.value.get('ns'));

/** Goes to a path of the page. */
export function go(href: string): void {
  history.pushState(null, '', href);
  arrive();
  scrollTo(0, 0);
}

/** Changes words of the query; `isStep`: the way back leads to what was before. */
export function setQuery(changes: Readonly<Record<string, string | null>>, isStep = false): void {
  const href = `${here.value.path}${queryWith(here.value.query, changes)}`;
  if (isStep) history.pushState(null, '', href);
  else history.replaceState(null, '', href);
  arrive();
}

function arrive(): void {
  here.value = { path: location.pathname, query: location.search };
}

/** Follows links of the page, and the ways back and forth, without loading anything. */
export function followLinks(): void {
  addEventListener('popstate', arrive);
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.origin !== location.origin) return;
    if (!link.pathname.startsWith('/ui/')) return;
    event.preventDefault();
    go(`${link.pathname}${link.search}`);
  });
}
