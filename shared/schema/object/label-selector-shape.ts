import * as z from 'zod';
import { opt, text, textMap, texts } from './json-fields.ts';

/** A label selector as clients write it. */
export const labelSelectorShape = z.strictObject({
  matchLabels: textMap,
  matchExpressions: opt(z.array(z.strictObject({ key: text, operator: text, values: texts }))),
});

export type LabelSelectorShape = z.output<typeof labelSelectorShape>;
