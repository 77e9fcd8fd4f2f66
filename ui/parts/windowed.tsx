import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren, JSX, RefObject } from 'preact';

const MORE = 12;

/** Which of many rows of one height are near the screen. */
export function useWindow<E extends HTMLElement>(
  count: number,
  rowPx: number,
  isPage: boolean,
): { readonly ref: RefObject<E | null>; readonly from: number; readonly to: number } {
  const ref = useRef<E>(null);
  const [seen, setSeen] = useState({ from: 0, to: 60 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const from: EventTarget = isPage ? document : element;
    const look = (): void => {
      const topPx = isPage ? -element.getBoundingClientRect().top : element.scrollTop;
      const heightPx = isPage ? innerHeight : element.clientHeight;
      const first = Math.max(Math.floor(topPx / rowPx) - MORE, 0);
      const last = Math.ceil((topPx + heightPx) / rowPx) + MORE;
      setSeen((before) => (before.from === first && before.to === last ? before : { from: first, to: last }));
    };
    look();
    from.addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      from.removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [count, rowPx, isPage]);
  const from = Math.min(seen.from, Math.max(count - 1, 0));
  return { ref, from, to: Math.min(Math.max(seen.to, from), count) };
}

/** Room for rows that are not drawn. */
export function Spacer({
  heightPx,
  columns,
}: {
  readonly heightPx: number;
  readonly columns: number;
}): JSX.Element | null {
  if (heightPx <= 0) return null;
  return (
    <tr aria-hidden="true">
      <td class="spacer" colSpan={columns} style={{ height: `${heightPx}px` }} />
    </tr>
  );
}

/** A part of a view, with its heading. */
export function Section({
  title,
  aside,
  children,
  seen,
}: {
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
  /** Is told when it is on the screen. */
  readonly seen?: RefObject<HTMLElement | null>;
}): JSX.Element {
  return (
    <section class="section" aria-label={title} {...(seen === undefined ? {} : { ref: seen })}>
      <header class="section-head">
        <h2>{title}</h2>
        {aside === undefined ? null : <div class="section-aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}
