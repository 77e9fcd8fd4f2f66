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
  {
    file: 'shared/domain/codecs/board-codec.ts',
    line: 'const w = new Writer(2048);',
    before: '2048',
    after: '2049',
    because: 'a Writer grows as it needs',
  },
  {
    file: 'shared/domain/codecs/board-codec.ts',
    line: 'const runs = new Writer(512);',
    before: '512',
    after: '513',
    because: 'a Writer grows as it needs',
  },
  {
    file: 'shared/domain/codecs/board-codec.ts',
    line: 'const state = states[start] ?? 0;',
    before: '0',
    after: '1',
    because: 'a run starts within the states',
  },
  {
    file: 'shared/domain/codecs/board-codec.ts',
    line: 'if (perByte === 0 || asRuns.length <= Math.ceil(states.length / perByte)) {',
    before: '0',
    after: '1',
    because: 'no base has one digit per byte, and what is divided by 0 is more than any runs take',
  },
  {
    file: 'shared/domain/planner/chunks-needed.ts',
    line: 'const cursor = status.stopRound?.cursor ?? 0;',
    before: '0',
    after: '1',
    because: 'index 1 is in the chunk of index 0',
  },
  {
    file: 'shared/capabilities/doctor/domain/diagnose-job.ts',
    line: 'const ageMs = since === null ? 0 : now - since;',
    before: '0',
    after: '1',
    because: 'no stop is late after a millisecond',
  },
  {
    file: 'shared/control/process/publisher.ts',
    line: 'const later = other === undefined || other.status.version < order.status.version ? order : other;',
    before: '<',
    after: '<=',
    because: 'two orders of one version have the same to publish',
  },
  {
    file: 'shared/control/process/publisher.ts',
    line: 'a !== undefined && (b === undefined || a.revision < b.revision) ? a : b;',
    before: '<',
    after: '<=',
    because: 'of one revision there is one spec',
  },
  {
    file: 'shared/control/process/publisher.ts',
    line: 'const isNewest = own !== undefined && own.version >= (since?.version ?? 0);',
    before: '0',
    after: '1',
    because: 'what was published has a version of 1 at least',
  },
  {
    file: 'shared/control/failures/collect-failures.ts',
    line: 'for (let offset = 0; offset < chunkLength(board.size, no) && found.length <= INDEXES_MAX; offset++) {',
    before: '<',
    after: '<=',
    because: 'nothing beyond the board was ever tried',
  },
  {
    file: 'shared/control/failures/collect-failures.ts',
    line: 'const state = STATES[columns.states[offset] ?? 0];',
    before: '0',
    after: '1',
    because: 'every chunk has all of its states',
  },
];
