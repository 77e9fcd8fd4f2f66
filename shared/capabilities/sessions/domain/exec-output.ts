/** What a command in a container has done, as its shell tells it (`exec-script.ts`). */
export type Told =
  | { readonly kind: 'begins' }
  | { readonly kind: 'missing'; readonly program: string }
  | { readonly kind: 'stdout'; readonly bytes: Uint8Array }
  | { readonly kind: 'stderr'; readonly bytes: Uint8Array }
  | { readonly kind: 'ended'; readonly exitCode: number };

/** Takes what comes from a terminal, piece by piece. */
export type OutputReader = { read(bytes: Uint8Array): readonly Told[] };

const MARK = { begin: 30, end: 31 } as const;
/** A mark is short; what is longer is output that looks like one. */
const DIGITS_MAX = 3;

/** Of a command with a terminal: all is output, up to the mark with the exit code. */
export function terminalReader(mark: string): OutputReader {
  const expected = Uint8Array.of(MARK.begin, ...new TextEncoder().encode(mark));
  /** What may be the beginning of the mark. */
  let held: number[] = [];
  let isOver = false;
  return {
    read(bytes) {
      const out: number[] = [];
      for (const byte of bytes) {
        if (isOver) break;
        const code = exitCodeIn(held, byte, expected.length);
        if (code !== null) {
          isOver = true;
          return [...printed(out), { kind: 'ended', exitCode: code }];
        }
        if (continues(held, byte, expected)) held.push(byte);
        else {
          out.push(...held);
          held = byte === MARK.begin ? [byte] : [];
          if (byte !== MARK.begin) out.push(byte);
        }
      }
      return printed(out);
    },
  };
}

const printed = (out: readonly number[]): readonly Told[] =>
  out.length === 0 ? [] : [{ kind: 'stdout', bytes: Uint8Array.from(out) }];

const isDigit = (byte: number): boolean => byte >= 48 && byte <= 57;

function continues(held: readonly number[], byte: number, expected: Uint8Array): boolean {
  const nth = held.length;
  return nth < expected.length ? byte === expected[nth] : isDigit(byte) && nth < expected.length + DIGITS_MAX;
}

function exitCodeIn(held: readonly number[], byte: number, markLength: number): number | null {
  if (byte !== MARK.end || held.length <= markLength) return null;
  return Number(String.fromCharCode(...held.slice(markLength)));
}

const CONTROLS = { stderr: 2, over: 3, exit: 4, exited: 5, begins: 6, missing: 7 } as const;

/** Of a command without one: output in base64, and the rest between control characters. */
export function pipedReader(): OutputReader {
  const stdout = new Base64Reader();
  let stderr = new Base64Reader();
  let within: 'stdout' | 'stderr' | 'exit' | 'missing' = 'stdout';
  let text = '';
  let hasBegun = false;
  return {
    read(bytes) {
      const told: Told[] = [];
      const flush = (kind: 'stdout' | 'stderr', from: Base64Reader): void => {
        const taken = from.take();
        if (taken.length > 0) told.push({ kind, bytes: taken });
      };
      for (const byte of bytes) {
        if (byte === CONTROLS.begins) {
          hasBegun = true;
          told.push({ kind: 'begins' });
        } else if (byte === CONTROLS.stderr) within = 'stderr';
        else if (byte === CONTROLS.exit || byte === CONTROLS.missing) {
          within = byte === CONTROLS.exit ? 'exit' : 'missing';
          text = '';
        } else if (byte === CONTROLS.exited) {
          flush('stdout', stdout);
          told.push({ kind: 'ended', exitCode: Number(text) });
          within = 'stdout';
        } else if (byte === CONTROLS.over) {
          if (within === 'missing') told.push({ kind: 'missing', program: text });
          else {
            flush('stdout', stdout);
            flush('stderr', stderr);
            stderr = new Base64Reader();
          }
          within = 'stdout';
        } else if (within === 'exit' || within === 'missing') text += String.fromCharCode(byte);
        // What comes before is what a shell says by itself.
        else if (hasBegun) (within === 'stdout' ? stdout : stderr).add(byte);
      }
      flush('stdout', stdout);
      return told;
    },
  };
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES: ReadonlyMap<number, number> = new Map(
  Array.from(ALPHABET, (char, value) => [char.charCodeAt(0), value] as const),
);
const PADDING = 61;

/** Texts in base64, one after the other, each with its padding; other characters are passed over. */
class Base64Reader {
  #bits = 0;
  #count = 0;
  #bytes: number[] = [];

  add(char: number): void {
    if (char === PADDING) {
      this.#count = 0;
      return;
    }
    const value = VALUES.get(char);
    if (value === undefined) return;
    this.#bits = ((this.#bits << 6) | value) & 0xff_ff;
    this.#count += 6;
    if (this.#count < 8) return;
    this.#count -= 8;
    this.#bytes.push((this.#bits >> this.#count) & 0xff);
  }

  take(): Uint8Array {
    const bytes = Uint8Array.from(this.#bytes);
    this.#bytes = [];
    return bytes;
  }
}

/** The lines in which a command gets its input. The last one, `.`, ends it. */
export const INPUT_END = '.\n';
