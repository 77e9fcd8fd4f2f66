import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { asksWho } from '../api/client.ts';
import type { WatchState } from '../api/watch.ts';
import { scope, setQuery } from './location.ts';

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
  if (state.kind === 'refused' && state.code === 403 && scope.value === null) return <AskNamespace what={what} />;
  if (state.kind === 'refused')
    return (
      <Fault title={state.code === 403 ? `You may not see ${what}.` : `The server shows no ${what}.`} why={state.why} />
    );
  if (state.kind === 'lost')
    return <Fault title="The connection to the server is gone." why={`It is tried again. ${state.why}`} />;
  return null;
}

/** Who may not see all namespaces names one. */
function AskNamespace({ what }: { readonly what: string }): JSX.Element {
  const [name, setName] = useState('');
  return (
    <form
      class="sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        setQuery({ ns: name.trim() }, true);
      }}
    >
      <h2>You may not see {what} of all namespaces.</h2>
      <label class="field">
        <span>A namespace in which you may</span>
        <input required value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
      </label>
      <button type="submit" class="primary">
        Look there
      </button>
    </form>
  );
}
