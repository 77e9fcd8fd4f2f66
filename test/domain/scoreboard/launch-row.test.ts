import { describe, expect, test } from 'vitest';
import type { EpochMs } from '../../../shared/domain/base/time.ts';
import { asTaskArn } from '../../../shared/domain/base/ids.ts';
import type { AttemptId } from '../../../shared/domain/base/fact.ts';
import {
  type LaunchRow,
  type LaunchSlot,
  type Run,
  type SlotOrders,
  type SlotWork,
  launchRowOf,
  recordOutcomes,
  workOn,
} from '../../../shared/domain/scoreboard/launch-row.ts';
import { at } from '../../support/a-board.ts';

// The effect of a dispatch message on a launch row. All slots and messages are of index 3; `2.1` is its second attempt
// with nonce 1.

type Known = 'no slot' | `${'launching' | 'launched' | 'cancelled' | 'refused'} ${number}.${number}`;

const id = (text: string): AttemptId => {
  const [attempt, nonce] = text.split('.').map(Number);
  return { index: 3, attempt: attempt ?? 0, nonce: nonce ?? 0 };
};
const ARN = asTaskArn('task');

function rowOf(known: Known, sinceSec = 0): LaunchRow {
  const [state, numbers = ''] = known.split(' ');
  const own = id(numbers);
  const since = at(sinceSec);
  const slots: readonly LaunchSlot[] =
    state === 'launching'
      ? [{ ...own, state, since }]
      : state === 'launched'
        ? [{ ...own, state, since, taskArn: ARN }]
        : state === 'cancelled'
          ? [{ ...own, state }]
          : state === 'refused'
            ? [{ ...own, state: 'cancelled', refusedAt: since }]
            : [];
  return { row: 0, version: 7, slots };
}

const slotWords = ({ slots }: LaunchRow): string =>
  slots.map((slot) => `${wordOf(slot)} ${slot.attempt}.${slot.nonce}`).join(' ') || 'no slot';
const wordOf = (slot: LaunchSlot): string =>
  slot.state === 'cancelled' && slot.refusedAt !== undefined ? 'refused' : slot.state;
const idWords = ({ attempt, nonce }: AttemptId): string => `${attempt}.${nonce}`;

const WHY = { kind: 'later', reason: 'no names are left' } as const;
const ordersOf = (kind: string | undefined, own: AttemptId): SlotOrders => ({
  launch: kind === 'launch' ? [own] : [],
  await: kind === 'await' ? [own] : [],
  stop: kind === 'stop' ? [own] : [],
  withdraw: kind === 'withdraw' ? [{ id: own, why: WHY }] : [],
});

const workWords = ({ run, awaited, find, doubted, stop, underWay, ...told }: SlotWork): string =>
  [
    ...run.map((one) => `run ${idWords(one.id)}`),
    ...awaited.map((one) => `wait ${idWords(one)}`),
    ...underWay.map((one) => `look again ${idWords(one)}`),
    ...find.map((one) => `find ${idWords(one.id)}`),
    ...doubted.map((one) => `doubt ${idWords(one.id)}`),
    ...stop.map((one) => `stop ${idWords(one.id)}`),
    ...told.launched.map((one) => `tell launched ${idWords(one.id)}`),
    ...told.cancelled.map((one) => `tell cancelled ${idWords(one)}`),
    ...told.withdrawn.map((one) => `tell ${one.why.reason} ${idWords(one.id)}`),
  ].join(', ') || 'nothing';

type Row = readonly [known: Known, message: string, sec: number, work: string, after: Known, because: string];

const MINUTES = 60;

describe('launch', () => {
  table([
    ['no slot', 'launch 1.0', 0, 'run 1.0', 'launching 1.0', 'stored before it is called'],
    ['launching 1.0', 'launch 1.0', 5, 'run 1.0', 'launching 1.0', 'the call is repeated under the same token'],
    ['launching 1.0', 'launch 1.0', 45 * MINUTES - 1, 'run 1.0', 'launching 1.0', 'as long as the token is alive'],
    [
      'launching 1.0',
      'launch 1.0',
      45 * MINUTES,
      'find 1.0',
      'launching 1.0',
      'it may be dead: a call might start a second',
    ],
    ['launched 1.0', 'launch 1.0', 5, 'tell launched 1.0', 'launched 1.0', 'the answer was lost'],
    ['cancelled 1.0', 'launch 1.0', 5, 'tell cancelled 1.0', 'cancelled 1.0', 'a cancelled one cannot launch'],
    ['refused 1.0', 'launch 1.0', 5, 'doubt 1.0', 'refused 1.0', 'ECS may have started it all the same'],
    ['refused 1.0', 'launch 1.1', 5, 'run 1.1', 'launching 1.1', 'as a rule the next nonce is what is asked for'],
    ['launched 1.0', 'launch 1.1', 5, 'run 1.1', 'launching 1.1', 'the next nonce takes the slot'],
    ['cancelled 1.0', 'launch 2.0', 5, 'run 2.0', 'launching 2.0', 'so does the next attempt'],
    ['launching 2.0', 'launch 1.0', 5, 'nothing', 'launching 2.0', 'a message that comes late'],
    ['launched 1.1', 'launch 1.0', 5, 'nothing', 'launched 1.1', 'an old nonce'],
    ['cancelled 2.0', 'launch 1.9', 5, 'nothing', 'cancelled 2.0', 'the attempt counts before the nonce'],
  ]);
});

describe('stop', () => {
  table([
    ['no slot', 'stop 1.0', 0, 'tell cancelled 1.0', 'cancelled 1.0', 'cancelled before it was launched'],
    ['cancelled 1.0', 'stop 1.0', 5, 'tell cancelled 1.0', 'cancelled 1.0', 'the answer was lost'],
    ['refused 1.0', 'stop 1.0', 5, 'doubt 1.0', 'refused 1.0', 'what the board knows to run is not there for nothing'],
    ['launched 1.0', 'stop 1.0', 5, 'stop 1.0, tell launched 1.0', 'launched 1.0', 'its task is stopped'],
    ['launching 1.0', 'stop 1.0', 29, 'look again 1.0', 'launching 1.0', 'soon it is known what there is to stop'],
    ['launching 1.0', 'stop 1.0', 30, 'run 1.0', 'launching 1.0', 'then the call is repeated, to learn its task'],
    ['launching 1.0', 'stop 1.0', 45 * MINUTES, 'find 1.0', 'launching 1.0', 'or it is looked for'],
    [
      'launched 1.0',
      'stop 2.0',
      5,
      'tell cancelled 2.0',
      'cancelled 2.0',
      'the next attempt is cancelled before it launches',
    ],
    ['launched 2.0', 'stop 1.0', 5, 'nothing', 'launched 2.0', 'a message that comes late stops no later attempt'],
    ['launching 1.1', 'stop 1.0', 99, 'nothing', 'launching 1.1', 'nor a later nonce'],
  ]);
});

describe('await: its right has not come', () => {
  table([
    ['no slot', 'await 1.0', 0, 'wait 1.0', 'no slot', 'nothing is claimed: a stop cancels it'],
    ['cancelled 1.0', 'await 2.0', 5, 'wait 2.0', 'cancelled 1.0', 'nor for the next attempt'],
    ['launched 1.0', 'await 1.1', 5, 'wait 1.1', 'launched 1.0', 'or nonce'],
    ['launching 1.0', 'await 1.0', 5, 'wait 1.0', 'launching 1.0', 'to call again takes a right, too'],
    ['launching 1.0', 'await 1.0', 45 * MINUTES, 'find 1.0', 'launching 1.0', 'to look for its task takes none'],
    ['launched 1.0', 'await 1.0', 5, 'tell launched 1.0', 'launched 1.0', 'the answer was lost'],
    ['cancelled 1.0', 'await 1.0', 5, 'tell cancelled 1.0', 'cancelled 1.0', 'it was stopped meanwhile'],
    ['refused 1.0', 'await 1.0', 5, 'doubt 1.0', 'refused 1.0', 'ECS may have started it all the same'],
    ['launching 2.0', 'await 1.0', 5, 'nothing', 'launching 2.0', 'a message that comes late'],
  ]);
});

describe('a claimed slot whose launch was not called', () => {
  const orders = { launch: [id('2.0')], stop: [] };
  const claimed = (known: Known) => {
    const { row, run } = workOn(rowOf(known), orders, at(5));
    const [{ claim }] = run as [Run];
    return { row: { ...row, version: row.version + 1 }, uncalled: { id: id('2.0'), kind: 'uncalled', claim } as const };
  };

  test.each<Known>(['no slot', 'launched 1.0', 'cancelled 1.9'])('is %s again, as before', (known) => {
    const { row, uncalled } = claimed(known);
    expect(slotWords(row)).toBe('launching 2.0');
    expect(recordOutcomes(row, [uncalled], at(6)).slots).toEqual(rowOf(known).slots);
  });

  test('stays where another repeats the launch, who may have called', () => {
    const { row, uncalled } = claimed('no slot');
    const other = workOn(row, orders, at(6));
    expect(slotWords(recordOutcomes(other.row, [uncalled], at(6)))).toBe('launching 2.0');
    // What is asked then is when it may have been called last.
    expect(other.run).toMatchObject([{ doubtedSince: at(5) }]);
    expect(workOn(other.row, orders, at(7)).run).toMatchObject([{ doubtedSince: at(6) }]);
    const stop = { launch: [], stop: [id('2.0')] };
    expect(workWords(workOn(other.row, stop, at(35)))).toBe('look again 2.0');
    expect(workWords(workOn(other.row, stop, at(36)))).toBe('run 2.0');
  });

  test('is again what the first has made of it where the repeated call started nothing', () => {
    const { row, uncalled } = claimed('no slot');
    const other = workOn(row, orders, at(6));
    const [{ claim }] = other.run as [Run];
    const settled = recordOutcomes(other.row, [{ ...uncalled, claim }], at(7));
    expect(settled.slots).toEqual(row.slots);
    expect(recordOutcomes(settled, [uncalled], at(7)).slots).toEqual([]);
  });

  test('stays where another has claimed it since, even in the same moment', () => {
    const { row, uncalled } = claimed('no slot');
    const free = recordOutcomes(row, [uncalled], at(5));
    const other = workOn({ ...free, version: row.version + 1 }, orders, at(5));
    expect(slotWords(recordOutcomes(other.row, [uncalled], at(5)))).toBe('launching 2.0');
  });

  test('stays where its task is known', () => {
    const { row, uncalled } = claimed('no slot');
    const launched = { id: id('2.0'), kind: 'launched', taskArn: ARN, createdAt: null } as const;
    expect(slotWords(recordOutcomes(recordOutcomes(row, [launched], at(6)), [uncalled], at(6)))).toBe('launched 2.0');
  });
});

describe('withdraw: a launch cannot get its hostname', () => {
  table([
    ['no slot', 'withdraw 1.0', 0, 'tell no names are left 1.0', 'cancelled 1.0', 'cancelled, with its reason'],
    ['cancelled 1.0', 'withdraw 1.0', 5, 'tell no names are left 1.0', 'cancelled 1.0', 'the answer was lost'],
    ['refused 1.0', 'withdraw 1.0', 5, 'doubt 1.0', 'refused 1.0', 'ECS may have started it all the same'],
    ['launched 1.0', 'withdraw 1.0', 5, 'tell launched 1.0', 'launched 1.0', 'a task that runs is not stopped'],
    ['launching 1.0', 'withdraw 1.0', 29, 'nothing', 'launching 1.0', 'a launch under way is left alone'],
    ['launching 1.0', 'withdraw 1.0', 30, 'run 1.0', 'launching 1.0', 'then the call is repeated, to learn its task'],
    ['launching 1.0', 'withdraw 1.0', 45 * MINUTES, 'find 1.0', 'launching 1.0', 'or its task is searched for'],
    ['launched 1.0', 'withdraw 1.1', 5, 'tell no names are left 1.1', 'cancelled 1.1', 'the next nonce takes the slot'],
    ['launched 2.0', 'withdraw 1.0', 5, 'nothing', 'launched 2.0', 'a late message does not touch a later attempt'],
  ]);
});

function table(rows: readonly Row[]): void {
  test.each(rows)('%s, %s after %i s → %s, then %s: %s', (known, message, sec, expected, after) => {
    const [kind, numbers = ''] = message.split(' ');
    const row = rowOf(known);
    const work = workOn(row, ordersOf(kind, id(numbers)), at(sec));
    expect(workWords(work)).toBe(expected);
    expect(slotWords(work.row)).toBe(after);
    const isRepeated = work.run.length > 0 && known === after;
    expect(work.changed).toBe(known !== after || isRepeated);
    expect(row).toEqual(rowOf(known));
    expect(work.row.version).toBe(7);
  });
}

test('a stop and a launch in one message: the stop excludes the launch', () => {
  const work = workOn(rowOf('no slot'), { launch: [id('1.0')], stop: [id('1.0')] }, at(0));
  expect(work.run).toEqual([]);
  expect(slotWords(work.row)).toBe('cancelled 1.0');
});

test('the slots of a row are independent', () => {
  const row: LaunchRow = {
    ...rowOf('launched 1.0'),
    slots: [...rowOf('launched 1.0').slots, { ...id('1.0'), index: 4, state: 'cancelled' }],
  };
  const work = workOn(
    row,
    { launch: [{ index: 5, attempt: 1, nonce: 0 }], stop: [{ index: 6, attempt: 2, nonce: 0 }] },
    at(9),
  );
  expect(work.row.slots.map(({ index, state }) => `${index} ${state}`)).toEqual([
    '3 launched',
    '4 cancelled',
    '6 cancelled',
    '5 launching',
  ]);
});

describe('after RunTask has answered', () => {
  test.each<
    readonly [known: Known, outcome: 'launched' | 'closed' | 'refused', of: string, after: Known, because: string]
  >([
    ['launching 1.0', 'launched', '1.0', 'launched 1.0', 'its task is known'],
    ['launching 1.0', 'closed', '1.0', 'cancelled 1.0', 'nothing runs, and nothing must'],
    ['launched 1.0', 'closed', '1.0', 'launched 1.0', 'what was launched stays so'],
    ['cancelled 1.0', 'launched', '1.0', 'cancelled 1.0', 'what was cancelled stays so'],
    ['launching 1.0', 'refused', '1.0', 'refused 1.0', 'nothing ought to run'],
    ['refused 1.0', 'launched', '1.0', 'launched 1.0', 'it was found running all the same'],
    ['refused 1.0', 'closed', '1.0', 'refused 1.0', 'what was refused stays so'],
    ['launching 1.1', 'launched', '1.0', 'launching 1.1', 'a late answer to an old nonce'],
    ['launching 2.0', 'closed', '1.0', 'launching 2.0', 'or to an old attempt'],
    ['no slot', 'launched', '1.0', 'no slot', 'a row that is gone'],
  ])('%s, %s %s → %s: %s', (known, kind, numbers, after) => {
    const outcome = kind === 'launched' ? ({ kind, taskArn: ARN, createdAt: null } as const) : ({ kind } as const);
    const settled = recordOutcomes(rowOf(known), [{ id: id(numbers), ...outcome }], at(60));
    expect(slotWords(settled)).toBe(after);
  });
});

test.each<[EpochMs | null, number, string]>([
  [at(57), 57, 'which ECS has told'],
  [null, 60, 'which is now where ECS has not told it'],
])('a known task is kept with its time: %s → %i s, %s', (createdAt, sec) => {
  const launched = { id: id('1.0'), kind: 'launched', taskArn: ARN, createdAt } as const;
  const { slots } = recordOutcomes(rowOf('launching 1.0'), [launched], at(60));
  expect(slots).toEqual([{ ...id('1.0'), state: 'launched', taskArn: ARN, since: at(sec) }]);
});

test.each([
  [0, 0],
  [9, 0],
  [10, 1],
  [999_999, 99_999],
])('index %i is in row %i', (index, row) => {
  expect(launchRowOf(index)).toBe(row);
});

test('the traits of a launch, and its template, are frozen with it: a repeated call is identical', () => {
  const id = { index: 3, attempt: 2, nonce: 0 };
  const traits = { onDemand: true, failures: 1, ignored: 2, restarts: 3 };
  const first = workOn(
    { row: 0, version: 0, slots: [] },
    { launch: [id], stop: [], traits: new Map([[3, traits]]), template: 1 },
    at(0),
  );
  expect(first.run).toEqual([{ id, traits, template: 1, doubtedSince: null, claim: { version: 1, was: null } }]);
  const again = { id, traits, template: 1, doubtedSince: at(0) };
  const other = new Map([[3, { onDemand: false, failures: 9, ignored: 0, restarts: 4 }]]);
  expect(workOn(first.row, { launch: [id], stop: [], traits: other, template: 2 }, at(5)).run).toMatchObject([again]);
  expect(workOn(first.row, { launch: [], stop: [id] }, at(60)).run).toMatchObject([again]); // to find the task that must stop
});
