import { useState } from 'preact/hooks';
import type { JSX } from 'preact';

/** A command line, and a button that copies it. */
export function CommandLine({ text }: { readonly text: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <span class="command">
      <code>{text}</code>
      <button type="button" class="quiet small" title="Copy the command line" onClick={() => void copy()}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </span>
  );
}
