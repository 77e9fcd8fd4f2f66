import { describe, expect, test } from 'vitest';
import { statusOf } from '../../../local/store/take-over/old-status.ts';
import { DecodeError } from '../../../shared/domain/base/bytes.ts';
import { NewerFormatError } from '../../../shared/domain/base/newer-format.ts';
import type { Status } from '../../../shared/domain/scoreboard/status.ts';
import { decodeStatus, encodeStatus } from '../../../shared/domain/codecs/status-codec.ts';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import { EVERYTHING, at } from '../../domain/scoreboard/a-full-status.ts';

// STATUS as earlier releases have written it: the bytes were recorded then, and stay.

const [first, ...others] = EVERYTHING.chunks;
const chunks = (part: object): Status['chunks'] => [{ ...first!, ...part }, ...others];
const LONG_AGO = EVERYTHING.replacedTasks.map((each) => ({ ...each, since: asEpochMs(0) }));
const undecided = { kind: 'failed', reason: 'BackoffLimitExceeded', message: 'too many', decidedBy: null } as const;
const FORMAT_1: Status = {
  ...EVERYTHING,
  phase: { kind: 'draining', since: at(-2), verdict: undecided },
  endedSuspendedSince: null,
  chunks: chunks({ waiting: 0 }),
  restarts: 0,
  ruleHits: [],
  replacedTasks: [],
  events: [],
  relabelled: null,
  journal: {
    ...EVERYTHING.journal,
    entries: EVERYTHING.journal.entries.filter(({ seq }) => seq < 997 || seq === 999),
  },
};
const complete = { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null } as const;
const ended = { kind: 'finished', verdict: complete, since: at(-2), at: at(-1) } as const;
const own = {
  kind: 'complete',
  reason: 'SuccessPolicy',
  message: 'enough',
  decidedBy: 7,
  ownReason: 'R',
} as const;

const RECORDED: readonly (readonly [what: string, bytes: string, status: Status])[] = [
  [
    '1, without restarts, success policy, and replaced attempts',
    '0180f086c2ee65e8078827ac020202030108746f6f206d616e79c0a907000702020611c901d804020ac0a907010571756f74610228e70702ff0103145ae807e807d00f06a09c010100020650c0a9070900050514405000040068030ea19c01850669021200',
    FORMAT_1,
  ],
  [
    '2, without events and labels',
    '0280f086c2ee65e8078827ac020202030108746f6f206d616e7913c0a907000e070c02030002080100001861726e3a6177733a6563733a7461736b2f6a6f62732f616109020117016202020611c901d804020ac0a907010571756f74610228e70702ff0703145ae807e807d00f06a09c0101020400020650c0a9070900050714405000040068030ea19c018506500ac1b8024d0ca19c010a491200',
    { ...EVERYTHING, replacedTasks: LONG_AGO, events: [], relabelled: null },
  ],
  [
    '3, without times of replacements',
    '0380f086c2ee65e8078827ac020202030108746f6f206d616e7913c0a907000e070c02030002080100001861726e3a6177733a6563733a7461736b2f6a6f62732f616109020117016202020611c901d804020ac0a907010571756f746102000953757370656e6465640d4a6f622073757370656e646564c8010f0102010158000000000101040203617070016105782e792f7a000228e70702ff0703145ae807e807d00f06a09c0101020400020650c0a9070900050714405000040068030ea19c018506500ac1b8024d0ca19c010a491200',
    { ...EVERYTHING, replacedTasks: LONG_AGO },
  ],
  [
    '4, without Pods that were being deleted when they ended',
    '0480f086c2ee65e8078827ac020202030108746f6f206d616e7913c0a907000e070c02030002080100001861726e3a6177733a6563733a7461736b2f6a6f62732f6161cf8c010902011701620702020611c901d804020ac0a907010571756f746102000953757370656e6465640d4a6f622073757370656e646564c8010f0102010158000000000101040203617070016105782e792f7a000228e70702ff0703145ae807e807d00f06a09c0101020400020650c0a9070900050714405000040068030ea19c018506500ac1b8024d0ca19c010a491200',
    EVERYTHING,
  ],
  [
    '5, the usual one',
    '0580f086c2ee65e8078827ac020202030108746f6f206d616e7913c0a907000e070c02030002080100001861726e3a6177733a6563733a7461736b2f6a6f62732f6161cf8c010902011701620702020611c901d804020ac0a907010571756f746102000953757370656e6465640d4a6f622073757370656e646564c8010f0102010158000000000101040203617070016105782e792f7a000228e70702ff0703145ae807e807d00f06a09c0101020400020650c0a9070900050714405000040068030ea19c018506500ac1b8024d0ca19c010a491200',
    EVERYTHING,
  ],
  [
    '5, of a Job that runs',
    '0580f086c2ee65e8078827ac020200c0a907000e070c02030002080100001861726e3a6177733a6563733a7461736b2f6a6f62732f6161cf8c010902011701620702020611c901d804020ac0a907010571756f746102000953757370656e6465640d4a6f622073757370656e646564c8010f0102010158000000000101040203617070016105782e792f7a000228e70702ff0703145ae807e807d00f06a09c0101020400020650c0a9070900050714405000040068030ea19c018506500ac1b8024d0ca19c010a491200',
    { ...EVERYTHING, phase: { kind: 'running' } },
  ],
  [
    '5, of a Job that ended and was deleted',
    '0580f086c2ee65e8078827ac0202070303010000000400c0a907000e070c02030002080100001861726e3a6177733a6563733a7461736b2f6a6f62732f6161cf8c010902011701620702020611c901d804020ac0a907010571756f746102000953757370656e6465640d4a6f622073757370656e646564c8010f0102010158000000000101040203617070016105782e792f7a000228e70702ff0703145ae807e807d00f06a09c0101020400020650c0a9070900050714405000040068030ea19c018506500ac1b8024d0ca19c010a491200',
    { ...EVERYTHING, phase: { kind: 'purging', since: at(0), ended } },
  ],
  [
    '6, with excluded indexes',
    '0680f086c2ee65e8078827ac020202030108746f6f206d616e7913c0a907000e070c02030002080100001861726e3a6177733a6563733a7461736b2f6a6f62732f6161cf8c010902011701620702020611c901d804020ac0a907010571756f746102000953757370656e6465640d4a6f622073757370656e646564c8010f0102010158000000000101040203617070016105782e792f7a000228e70702ff0f03145ae807e807d00f06a09c010102071200020650c0a9070900050714405000040068030ea19c018506500ac1b8024d0ca19c010a491200',
    { ...EVERYTHING, chunks: chunks({ excluded: 7 }) },
  ],
  [
    '7, with a change to announce',
    '0780f086c2ee65e8078827ac020202030108746f6f206d616e7913c0a907000e070c02030002080100001861726e3a6177733a6563733a7461736b2f6a6f62732f6161cf8c010902011701620702020611c901d804020ac0a907010571756f746102000953757370656e6465640d4a6f622073757370656e646564c8010f0102010158000000000101040203617070016105782e792f7a000228e707010402ef2ec0a90702ff0703145ae807e807d00f06a09c0101020400020650c0a9070900050714405000040068030ea19c018506500ac1b8024d0ca19c010a491200',
    {
      ...EVERYTHING,
      unannounced: { changes: [{ version: 298, state: 'Resumed', at: at(-3_000) }], dueAt: at(60_000) },
    },
  ],
  [
    '8, with Pods that have to start in time',
    '0880f086c2ee65e8078827ac020202030108746f6f206d616e7913c0a907000e070c02030002080100001861726e3a6177733a6563733a7461736b2f6a6f62732f6161cf8c010902011701620702020611c901d804020ac0a907010571756f746102000953757370656e6465640d4a6f622073757370656e646564c8010f0102010158000000000101040203617070016105782e792f7a000228e7070002ff1703145ae807e807d00f06a09c010102cf0f0400020650c0a9070900050714405000040068030ea19c018506500ac1b8024d0ca19c010a491200',
    { ...EVERYTHING, chunks: chunks({ startingSince: 1_749_999_000 }) },
  ],
  [
    '9, with what few Jobs have',
    '0980f086c2ee65e8078827ac02020600010303010b06656e6f7567680f0152c0a907000e070c02030002080100001861726e3a6177733a6563733a7461736b2f6a6f62732f6161cf8c010902011701620702020611c901d804020ac0a907010571756f746102000953757370656e6465640d4a6f622073757370656e646564c8010f0102010158000000000101040203617070016105782e792f7a000228e70714070802ff0703145ae807e807d00f06a09c0101020400020650c0a9070900050714405000040068030ea19c018506500ac1b8024d0ca19c010a491200',
    {
      ...EVERYTHING,
      phase: {
        kind: 'terminating',
        since: at(0),
        ended: { kind: 'finished', verdict: own, since: at(-2), at: at(-1) },
      },
      isAwaited: true,
      gang: { restarts: 3, since: at(-4), isReady: true },
    },
  ],
];

describe('STATUS of format', () => {
  test.each(RECORDED)('%s', (_, recorded, status) => {
    const bytes = statusOf(Buffer.from(recorded, 'hex'));
    expect(decodeStatus(bytes)).toEqual(status);
    expect(Buffer.from(bytes)).toEqual(Buffer.from(encodeStatus(status)));
  });

  test.each(RECORDED)('%s: none of it that is cut off, or longer', (_, recorded) => {
    const whole = Buffer.from(recorded, 'hex');
    for (let length = 0; length < whole.length; length++)
      expect(() => statusOf(whole.subarray(0, length))).toThrow(DecodeError);
    expect(() => statusOf(Buffer.concat([whole, Buffer.of(0)]))).toThrow(DecodeError);
  });

  test('0 never was, and 10 is of a later release', () => {
    expect(() => statusOf(Buffer.of(0, 0))).toThrow(DecodeError);
    expect(() => statusOf(Buffer.of(10, 0))).toThrow(new NewerFormatError('a STATUS', 10, 9));
  });

  test('any bytes are a STATUS or an error of decoding, soon', () => {
    const huge = Buffer.from('09' + '00'.repeat(8) + 'ffffffffffffff7f'.repeat(40), 'hex');
    expect(() => statusOf(huge)).toThrow(DecodeError);
  });
});
