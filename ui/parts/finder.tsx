import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { askJson } from '../api/client.ts';
import { LISTS } from '../api/paths.ts';
import { type Findable, found } from '../model/found.ts';
import type { KubeObject } from '../model/objects.ts';
import { pathOf } from '../model/route.ts';
import { go, scope } from './location.ts';
import { MENU } from './menu.ts';

const LISTED_MAX = 500;

const viewHref = (view: 'schedules' | 'worklists' | 'furiko' | 'quotas') => (object: KubeObject) =>
  `${pathOf({ view })}?q=${encodeURIComponent(object.metadata.name)}`;

const SOURCES = [
  {
    kind: 'Job',
    list: LISTS.jobs,
    href: ({ metadata }: KubeObject) =>
      pathOf({ view: 'job', namespace: metadata.namespace ?? '', name: metadata.name }),
  },
  { kind: 'Schedule', list: LISTS.cronJobs, href: viewHref('schedules') },
  { kind: 'Work list', list: LISTS.workLists, href: viewHref('worklists') },
  { kind: 'JobConfig', list: LISTS.jobConfigs, href: viewHref('furiko') },
  { kind: 'Quota', list: LISTS.quotas, href: viewHref('quotas') },
] as const;

/** Everything that has a name, by its name. */
export function Finder({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [things, setThings] = useState<readonly Findable[]>(
    MENU.map(({ view, words }) => ({ kind: 'View', title: words, href: pathOf({ view }) })),
  );
  const [chosen, setChosen] = useState(0);
  useEffect(() => {
    dialog.current?.showModal();
    for (const { kind, list, href } of SOURCES)
      askJson<{ readonly items: readonly KubeObject[] }>(`${list(scope.value)}?limit=${LISTED_MAX}`)
        .then(({ items }) =>
          setThings((before) => [
            ...before,
            ...items.map((item) => ({
              kind,
              title: `${item.metadata.namespace}/${item.metadata.name}`,
              href: href(item),
            })),
          ]),
        )
        .catch(() => undefined); // what a user may not list is not found
  }, []);
  const hits = found(things, text);
  const open = (thing: Findable | undefined): void => {
    if (thing === undefined) return;
    dialog.current?.close();
    go(thing.href);
  };
  return (
    <dialog ref={dialog} class="dialog finder" aria-label="Search" onClose={onClose}>
      <input
        type="text"
        placeholder="A Job, frames 17, a schedule, a list…"
        aria-label="Search"
        aria-controls="found"
        aria-autocomplete="list"
        aria-activedescendant={`found-${chosen}`}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setChosen(Math.min(chosen + 1, hits.length - 1));
          else if (event.key === 'ArrowUp') setChosen(Math.max(chosen - 1, 0));
          else if (event.key === 'Enter') open(hits[chosen]);
          else return;
          event.preventDefault();
        }}
      />
      <div id="found" role="listbox" aria-label="Found" class="found">
        {hits.map((thing, nth) => (
          <div
            key={`${thing.kind}${thing.href}`}
            id={`found-${nth}`}
            role="option"
            aria-selected={nth === chosen}
            onMouseMove={() => setChosen(nth)}
            onClick={() => open(thing)}
          >
            <span>{thing.title}</span>
            <span class="muted">{thing.kind}</span>
          </div>
        ))}
      </div>
      {hits.length === 0 ? <p class="muted found-none">Nothing has this name.</p> : null}
    </dialog>
  );
}
