import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NOTHING, NO_LIMIT, Places, type Room, type Size, counts, lacking, nextIn } from '../../../local/ecs/room.ts';

const cpus = (count: number): Size => ({ milliCpu: count * 1000, memoryMib: 0 });
const TWO: Room = { milliCpu: 2000, memoryMib: 4096 };

describe('what starts next', () => {
  test.each<[string, readonly Size[], Size, number]>([
    ['all that fit', [cpus(1), cpus(1)], NOTHING, 2],
    ['no more than fit', [cpus(1), cpus(1), cpus(1)], NOTHING, 2],
    ['nobody overtakes an earlier one that needs more', [cpus(2), cpus(1)], cpus(1), 0],
    ['what is full', [cpus(1)], cpus(2), 0],
    [
      'memory counts, too',
      [
        { milliCpu: 0, memoryMib: 4096 },
        { milliCpu: 0, memoryMib: 1 },
      ],
      NOTHING,
      1,
    ],
    ['who requests no memory does not wait for any', [cpus(1)], { milliCpu: 0, memoryMib: 9999 }, 1],
  ])('%s', (_, queue, used, starts) => {
    expect(nextIn(queue.entries(), used, TWO)).toEqual(queue.map((_size, n) => n).slice(0, starts));
  });

  test('without a limit, nothing counts', () => {
    expect(counts(cpus(64), NO_LIMIT)).toBe(false);
    expect(counts(NOTHING, TWO)).toBe(false);
    expect(lacking(cpus(64), cpus(64), { milliCpu: null, memoryMib: 1 })).toEqual([]);
  });
});

const sizes = fc.record({ milliCpu: fc.nat(2000), memoryMib: fc.nat(4096) }).filter((size) => counts(size, TWO));
const steps = fc.array(fc.oneof(sizes, fc.nat(20)), { maxLength: 60 });

test('never more than the room is in use, all start in the order in which they came, and none starves', () => {
  fc.assert(
    fc.property(steps, (story) => {
      const places = new Places(TWO);
      const came: string[] = [];
      const gone = new Set<string>();
      const started: string[] = [];
      const known = new Map<string, Size>();
      const admit = (): void => {
        started.push(...places.admit());
        const running = started.filter((id) => !gone.has(id)).map((id) => known.get(id) ?? NOTHING);
        const used = { milliCpu: 0, memoryMib: 0 };
        for (const { milliCpu, memoryMib } of running) {
          used.milliCpu += milliCpu;
          used.memoryMib += memoryMib;
        }
        expect(places.used).toEqual(used);
        expect(used.milliCpu).toBeLessThanOrEqual(2000);
        expect(used.memoryMib).toBeLessThanOrEqual(4096);
      };
      for (const step of story) {
        if (typeof step === 'number') {
          // one that waits or runs is over
          const left = came.filter((id) => !gone.has(id));
          const id = left[step % Math.max(1, left.length)];
          if (id === undefined) continue;
          gone.add(id);
          places.leave(id);
        } else {
          const id = `t${came.length}`;
          came.push(id);
          known.set(id, step);
          places.queue(id, step);
        }
        admit();
        const waiting = came.filter((each) => !gone.has(each) && !started.includes(each));
        expect(waiting.map((each) => places.waitOf(each)?.ahead)).toEqual(waiting.map((_each, n) => n));
        // the first of them waits for something
        const lacks = waiting.slice(0, 1).map((each) => lacking(known.get(each) ?? NOTHING, places.used, TWO));
        expect(lacks.filter(({ length }) => length === 0)).toEqual([]);
      }
      for (let id = started.find((each) => !gone.has(each)); id !== undefined; ) {
        gone.add(id);
        places.leave(id);
        admit();
        id = started.find((each) => !gone.has(each));
      }
      expect(started).toEqual(came.filter((id) => started.includes(id)));
      expect(came.filter((id) => !started.includes(id) && !gone.has(id))).toEqual([]);
      expect(places.used).toEqual(NOTHING);
    }),
  );
});

test('who runs already has room, even where there is none left', () => {
  const places = new Places(TWO);
  places.take('a', cpus(2));
  places.take('b', cpus(2));
  places.queue('c', cpus(1));
  expect(places.used).toEqual(cpus(4));
  expect(places.admit()).toEqual([]);
  places.leave('a');
  expect(places.admit()).toEqual([]);
  places.leave('b');
  expect(places.admit()).toEqual(['c']);
});
