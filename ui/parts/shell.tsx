import { useEffect, useState } from 'preact/hooks';
import type { ComponentType, JSX } from 'preact';
import { asksWho, wordsOf } from '../api/client.ts';
import type { Place } from '../model/route.ts';
import { pathOf, queryWith } from '../model/route.ts';
import { Finder } from './finder.tsx';
import { Keys } from './keys.tsx';
import { go, place, scope } from './location.ts';
import { MENU } from './menu.ts';
import { SignIn } from './sign-in.tsx';
import { Empty, Fault } from './states.tsx';
import { nextTheme, theme } from './theme.ts';

type ViewName = Place['view'];
type View = ComponentType<{ readonly place: Place }>;

/** Views are loaded when they are looked at. */
const LOADED: Readonly<Record<Exclude<ViewName, 'nowhere'>, () => Promise<{ readonly default: View }>>> = {
  jobs: async () => import('../views/jobs.tsx'),
  job: async () => import('../views/job.tsx'),
  index: async () => import('../views/index-view.tsx'),
  graph: async () => import('../views/graph.tsx'),
  schedules: async () => import('../views/schedules.tsx'),
  worklists: async () => import('../views/worklists.tsx'),
  quotas: async () => import('../views/quotas.tsx'),
  furiko: async () => import('../views/furiko.tsx'),
  doctor: async () => import('../views/doctor.tsx'),
};

/** The whole page: the side, and the view that its address names. */
export function Shell(): JSX.Element {
  const [open, setOpen] = useState<'finder' | 'keys' | null>(null);
  const at = place.value;
  useKeys(setOpen);
  useEffect(() => {
    document.title = `${titleOf(at)} · Muster`;
  }, [at]);
  return (
    <div class="page">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <nav class="side" aria-label="Views">
        <a class="brand" href="/ui/">
          <Mark />
          Muster
        </a>
        <button type="button" class="find" onClick={() => setOpen('finder')}>
          Search <kbd>/</kbd>
        </button>
        <ul>
          {MENU.map(({ view, words }) => (
            <li key={view}>
              <a
                href={`${pathOf({ view })}${queryWith('', { ns: scope.value })}`}
                aria-current={isIn(at, view) ? 'page' : undefined}
              >
                {words}
              </a>
            </li>
          ))}
        </ul>
        <div class="side-end">
          <button type="button" class="quiet small" onClick={nextTheme}>
            Colours: {theme.value}
          </button>
          <button type="button" class="quiet small" onClick={() => setOpen('keys')}>
            Keys <kbd>?</kbd>
          </button>
        </div>
      </nav>
      <main id="main" tabIndex={-1}>
        {asksWho.value ? <SignIn /> : <Loaded key={at.view} at={at} />}
      </main>
      {open === 'finder' ? <Finder onClose={() => setOpen(null)} /> : null}
      {open === 'keys' ? <Keys onClose={() => setOpen(null)} /> : null}
    </div>
  );
}

function Loaded({ at }: { readonly at: Place }): JSX.Element {
  const [view, setView] = useState<{ readonly is: View } | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    if (at.view === 'nowhere') return;
    LOADED[at.view]()
      .then((module) => setView({ is: module.default }))
      .catch((error: unknown) => setFault(wordsOf(error)));
  }, []);
  if (at.view === 'nowhere')
    return (
      <Empty title="There is no such page.">
        <p>
          <a href="/ui/">All Jobs</a>
        </p>
      </Empty>
    );
  if (fault !== null)
    return (
      <Fault
        title="This part of the page cannot be loaded."
        why={`Load the page again: the server may have been updated. ${fault}`}
      />
    );
  return view === null ? <p class="loading">Loading…</p> : <view.is place={at} />;
}

function titleOf(at: Place): string {
  if (at.view === 'job') return at.name;
  if (at.view === 'index') return `${at.name} ${at.index}`;
  return MENU.find(({ view }) => view === at.view)?.words ?? 'Not found';
}

const isIn = (at: Place, view: string): boolean =>
  at.view === view || (view === 'jobs' && (at.view === 'job' || at.view === 'index'));

/** `/` searches, `?` shows keys, `g` and a letter go to a view. */
function useKeys(open: (what: 'finder' | 'keys') => void): void {
  useEffect(() => {
    let isGoing = false;
    const onKey = (event: KeyboardEvent): void => {
      const { target, key } = event;
      const isTyping =
        target instanceof HTMLInputElement ||
        target instanceof HTMLTextAreaElement ||
        target instanceof HTMLSelectElement;
      if (isTyping || event.metaKey || event.ctrlKey || event.altKey || document.querySelector('dialog[open]') !== null)
        return;
      const wasGoing = isGoing;
      isGoing = key === 'g' && !wasGoing;
      const goal = wasGoing ? MENU.find((each) => each.key === key) : undefined;
      if (goal !== undefined) go(`${pathOf({ view: goal.view })}${queryWith('', { ns: scope.value })}`);
      else if (key === '/') open('finder');
      else if (key === '?') open('keys');
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** Indexes in rows, most of them done. */
const Mark = (): JSX.Element => (
  <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true">
    {[0, 1, 2].flatMap((row) =>
      [0, 1, 2].map((column) => (
        <rect
          key={`${row}${column}`}
          x={column * 5.5 + 0.5}
          y={row * 5.5 + 0.5}
          width="4"
          height="4"
          rx="1"
          class={row * 3 + column < 7 ? 'mark-done' : 'mark-left'}
        />
      )),
    )}
  </svg>
);
