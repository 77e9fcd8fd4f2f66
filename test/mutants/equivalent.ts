/** A change that changes nothing anybody could see, and why. `line` is the text of the line, without blanks around it. */
export type Equivalent = {
  readonly file: string;
  readonly line: string;
  readonly before: string;
  readonly after: string;
  readonly because: string;
};

export const EQUIVALENT: readonly Equivalent[] = [
  {
    file: 'shared/domain/base/time.ts',
    line: 'export const later = (a: EpochMs, b: EpochMs): EpochMs => (a > b ? a : b);',
    before: '>',
    after: '>=',
    because: 'of two equal moments either is the later',
  },
];
