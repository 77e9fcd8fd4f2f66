import type { ComponentChildren, JSX } from 'preact';
import { asksWho } from '../api/client.ts';
import type { WatchState } from '../api/watch.ts';

/** Nothing is here, and what would bring something. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** What went wrong, and what to do. */
export function Fault({ title, why }: { readonly title: string; readonly why: string }): JSX.Element {
  return (
    <div class="fault" role="alert">
      <strong>{title}</strong>
      <span>{why}</span>
    </div>
  );
}

/** What a list shows while it is not there: that it comes, that it is refused, that the connection is gone. */
export function WatchFault({ state, what }: { readonly state: WatchState; readonly what: string }): JSX.Element | null {
  if (state.kind === 'loading' && !asksWho.value) return <p class="loading">Reading {what}…</p>;
  if (state.kind === 'refused')
    return (
      <Fault title={state.code === 403 ? `You may not see ${what}.` : `The server shows no ${what}.`} why={state.why} />
    );
  if (state.kind === 'lost')
    return <Fault title="The connection to the server is gone." why={`It is tried again. ${state.why}`} />;
  return null;
}
