import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { ask, wordsOf } from '../api/client.ts';
import type { Action } from '../model/actions.ts';
import { CommandLine } from './copy.tsx';

/** Says what an action does, shows the command line that does the same, and does it. */
function ActionDialog({
  action,
  subject,
  onClose,
}: {
  readonly action: Action;
  readonly subject: string;
  readonly onClose: (said: string | null) => void;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [chosen, setChosen] = useState(action);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const act = async (): Promise<void> => {
    setBusy(true);
    setFault(null);
    try {
      const { method, path, body } = chosen.call;
      await ask(path, { method, ...(body === undefined ? {} : { body }) });
      onClose(`${chosen.label}: done`);
    } catch (error) {
      setFault(wordsOf(error));
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} class="dialog" aria-label={`${action.label}: ${subject}`} onClose={() => onClose(null)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void act();
        }}
      >
        <h2>
          {action.label}: <span class="mono">{subject}</span>
        </h2>
        <p>{action.says}</p>
        {action.asks === undefined ? null : (
          <label class="field">
            <span>{action.asks.label}</span>
            <input
              class="mono"
              value={chosen.asks?.value ?? ''}
              required
              onInput={({ currentTarget }) => setChosen(action.asks?.withValue(currentTarget.value) ?? action)}
            />
          </label>
        )}
        {action.isFinal ? <p class="warning">This cannot be undone.</p> : null}
        <p class="muted">The same from a terminal:</p>
        <CommandLine text={chosen.command} />
        {fault === null ? null : (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        <div class="dialog-buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Leave it
          </button>
          <button type="submit" class={action.isFinal ? 'final' : 'primary'} disabled={isBusy}>
            {action.label}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** Buttons of what can be done with something. */
export function Actions({
  actions,
  subject,
}: {
  readonly actions: readonly Action[];
  readonly subject: string;
}): JSX.Element {
  const [open, setOpen] = useState<Action | null>(null);
  const [said, setSaid] = useState('');
  return (
    <div class="actions">
      <span class="said" role="status">
        {said}
      </span>
      {actions.map((action) => (
        <button
          key={action.label}
          type="button"
          class={action.isFinal ? 'small final-quiet' : 'small'}
          onClick={() => {
            setSaid('');
            setOpen(action);
          }}
        >
          {action.label}
        </button>
      ))}
      {open === null ? null : (
        <ActionDialog
          key={open.label}
          action={open}
          subject={subject}
          onClose={(words) => {
            setOpen(null);
            if (words !== null) setSaid(words);
          }}
        />
      )}
    </div>
  );
}
