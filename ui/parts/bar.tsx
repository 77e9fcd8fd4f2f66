import type { JSX } from 'preact';

export type Part = { readonly colour: string; readonly count: number; readonly words: string };

/** How a whole is divided. A part that is there is at least a pixel wide. */
export function Bar({ parts, total }: { readonly parts: readonly Part[]; readonly total: number }): JSX.Element {
  const shown = parts.filter(({ count }) => count > 0);
  const words = shown.map(({ count, words: each }) => `${count} ${each}`).join(', ');
  return (
    <span class="bar" role="img" aria-label={`${words === '' ? 'nothing yet' : words} of ${total}`} title={words}>
      {shown.map(({ colour, count }) => (
        <span key={colour} class="bar-part" style={{ flexGrow: String(count), background: `var(--cell-${colour})` }} />
      ))}
      <span
        class="bar-rest"
        style={{ flexGrow: String(Math.max(total - shown.reduce((sum, { count }) => sum + count, 0), 0)) }}
      />
    </span>
  );
}
