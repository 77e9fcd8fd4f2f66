import { gunzipSync } from 'node:zlib';

/** Below this a text is found by chance. */
const BYTES_MIN = 12;

/**
 * Finds a secret value in whatever may carry it: as it is, escaped for JSON (once or twice) or for a URL, in hex, in base64 at each
 * of its three offsets, in base64 of base64 (a manifest in an annotation that is encoded), and all of that in what is compressed.
 *
 * @param values by the name that a finding says, instead of the value
 */
export function secretTraces(
  values: Readonly<Record<string, string | Uint8Array>>,
): (text: string) => readonly string[] {
  const marks = Object.entries(values).flatMap(([name, value]) => {
    const bytes = Buffer.from(value);
    if (bytes.length < BYTES_MIN) throw new Error(`the value ${name} is too short to be recognised`);
    return marksOf(bytes).map(([form, mark]) => ({ says: `${name}, ${form}`, mark }));
  });
  return (text) => {
    const all = [text, ...unzipped(text)];
    return marks.filter(({ mark }) => all.some((each) => each.includes(mark))).map(({ says }) => says);
  };
}

type Mark = readonly [form: string, mark: string];

function marksOf(bytes: Buffer): readonly Mark[] {
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text).equals(bytes);
  const quoted = JSON.stringify(text).slice(1, -1);
  const base64 = bytes.toString('base64');
  return [
    ...(isText
      ? ([
          ['as it is', text],
          ['in JSON', quoted],
          ['in JSON in JSON', JSON.stringify(quoted).slice(1, -1)],
          ['in a URL', encodeURIComponent(text)],
          ['joined by commas', [...bytes].join(',')],
        ] as const)
      : ([['as bytes', [...bytes].join(',')]] as const)),
    ['in hex', bytes.toString('hex')],
    ...base64Marks(bytes, 'in base64'),
    ...base64Marks(Buffer.from(base64), 'in base64 of base64'),
    ...(isText ? base64Marks(Buffer.from(quoted), 'in base64 of JSON') : []),
  ];
}

/** What is the same in base64 of any text that has these bytes, wherever in it they are. */
const base64Marks = (bytes: Buffer, form: string): readonly Mark[] =>
  [0, 1, 2].map((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]);
    const whole = shifted.subarray(0, shifted.length - (shifted.length % 3)).toString('base64');
    return [form, whole.slice(offset === 0 ? 0 : 4)];
  });

/** What gzip begins with, in base64. */
const ZIPPED = /H4sI[A-Za-z0-9+/]{16,}={0,2}/g;

function unzipped(text: string): readonly string[] {
  return (text.match(ZIPPED) ?? []).flatMap((found) => {
    try {
      const plain = gunzipSync(Buffer.from(found, 'base64')).toString('utf8');
      return [plain, ...unzipped(plain)];
    } catch {
      return [];
    }
  });
}
