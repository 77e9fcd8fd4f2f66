import { useEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';

const KEYS = [
  ['/', 'search everything'],
  ['?', 'these keys'],
  ['g j', 'Jobs'],
  ['g g', 'graph'],
  ['g s', 'schedules'],
  ['g w', 'work lists'],
  ['g q', 'quotas'],
  ['g f', 'Furiko'],
  ['g d', 'doctor'],
  ['arrows, Home, End', 'move among the cells of a Job'],
  ['Enter', 'open the cell'],
  ['+ −', 'larger or smaller cells'],
  ['Esc', 'close, leave'],
] as const;

/** The keys of the page. */
export function Keys({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="dialog" aria-label="Keys" onClose={onClose}>
      <h2>Keys</h2>
      <table class="plain">
        <tbody>
          {KEYS.map(([key, words]) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{words}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="dialog-buttons">
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}
