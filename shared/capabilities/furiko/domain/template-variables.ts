/**
 * The variables of a Job's Pod template, `${job.name}`. All are replaced in one pass over the text as its author wrote it, so what
 * a value contains is never a variable: a user who chooses an option cannot name a secret.
 */
export type TemplateVariables = {
  /** What is known when the Job is created, by name. */
  readonly values: ReadonlyMap<string, string>;
  /** What each task fills in at its launch: the name of the variable of its environment that has it. */
  readonly ofTask: ReadonlyMap<string, string>;
};

/** A piece of a text: as written, a value, or a variable of the task. */
type Piece =
  | { readonly kind: 'written'; readonly text: string }
  | { readonly kind: 'value'; readonly text: string }
  | { readonly kind: 'task'; readonly variable: string; readonly name: string };

const REFERENCE = /\$\{([^{}]+)\}/g;
const OURS = /^(?:jobconfig|job|task|option)\../s;

/** Names beginning like ours mean nothing else, so one without a value is empty; any other `${X}` is the shell's. */
function piecesOf(text: string, { values, ofTask }: TemplateVariables): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: whole, 1: name = '', index } of text.matchAll(REFERENCE)) {
    const piece = pieceOf(name, values.get(name), ofTask.get(name));
    if (piece === null) continue;
    pieces.push({ kind: 'written', text: text.slice(from, index) }, piece);
    from = index + whole.length;
  }
  return [...pieces, { kind: 'written', text: text.slice(from) }];
}

function pieceOf(name: string, value: string | undefined, variable: string | undefined): Piece | null {
  if (value !== undefined) return { kind: 'value', text: value };
  if (variable !== undefined) return { kind: 'task', variable, name };
  return OURS.test(name) ? { kind: 'value', text: '' } : null;
}

/**
 * A word of a command or the value of a variable. Kubernetes will read `$(NAME)` and `$$` in it; it must find those that the
 * author wrote, those of the task, and no others.
 */
export const replaceInWord = (text: string, variables: TemplateVariables): string =>
  piecesOf(text, variables)
    .map((piece, nth, all) => {
      if (piece.kind === 'task') return `$(${piece.variable})`;
      if (piece.kind === 'value') return piece.text.replaceAll('$', '$$$$');
      return nth === all.length - 1 ? piece.text : closed(piece.text);
    })
    .join('');

/**
 * A written text that is followed by something else: a dollar sign that would begin a reference there, or a reference that has no
 * end here, is a dollar sign.
 */
const closed = (text: string): string =>
  text.replaceAll(/\$\$|\$\([^)]*\)|\$(?=\(|$)/g, (found) => (found === '$' ? '$$' : found));

export type ReplacedImage =
  /** The same for all tasks. */
  | { readonly kind: 'fixed'; readonly image: string }
  /** With `$(NAME)` for variables of the task, and `$$` for a dollar sign. */
  | { readonly kind: 'late'; readonly image: string; readonly variables: readonly string[] };

/** An image, in which Kubernetes reads no references. */
export function replaceInImage(text: string, variables: TemplateVariables): ReplacedImage {
  const pieces = piecesOf(text, variables);
  const names = pieces.flatMap((piece) => (piece.kind === 'task' ? [piece.name] : []));
  const late = names.length > 0;
  const image = pieces
    .map((piece) => {
      if (piece.kind === 'task') return `$(${piece.variable})`;
      return late ? piece.text.replaceAll('$', '$$$$') : piece.text;
    })
    .join('');
  return late ? { kind: 'late', image, variables: names } : { kind: 'fixed', image };
}
