import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { keyIn, unpacked } from '../../../shared/adapters/rows/dynamo-item.ts';
import { decodeStatus } from '../../../shared/domain/codecs/status-codec.ts';
import { GROUP_PREFIX } from '../../../shared/names/env.ts';
import type { SdkClient } from '../../../shared/runtime/create-runtime.ts';
// As a namespace: a checkout of another time may not have the name, and then it has no lag.
import * as queueMessages from '../../../shared/schema/messages/queue-messages.ts';

type Row = Record<string, AttributeValue>;
type Update = {
  readonly Key?: Row;
  readonly ExpressionAttributeValues?: Row;
};
type Sent = {
  readonly input: Update & {
    readonly Entries?: readonly { readonly MessageBody?: string }[];
    readonly TransactItems?: readonly { readonly Update?: Update }[];
    readonly startedBy?: string;
  };
};
type Next = (args: Sent) => Promise<unknown>;
type Stack = {
  add(
    middleware: (next: Next, context: { readonly commandName?: string }) => Next,
    options: { step: 'initialize'; name: string },
  ): void;
};

/**
 * Sees moments go by: a STOPPED event leaves ECS, a commit counts an index or ends a Job, RunTask is called. All in
 * milliseconds of this process's clock; indexes as `uid/index`.
 */
export class Spy {
  readonly stoppedAt = new Map<string, number>();
  readonly countedAt = new Map<string, number>();
  readonly finishedAt = new Map<string, number>();
  readonly firstRunAt = new Map<string, number>();
  readonly #seen = new Map<string, number>();

  readonly watch = (client: SdkClient): void => {
    const stack: unknown = client.middlewareStack;
    (stack as Stack).add(
      (next, { commandName = '' }) =>
        async (args) => {
          this.#before(commandName, args);
          const answered = await next(args);
          this.#after(args);
          return answered;
        },
      { step: 'initialize', name: 'spy' },
    );
  };

  #before(commandName: string, { input }: Sent): void {
    const now = performance.now();
    if (commandName === 'RunTaskCommand' && input.startedBy !== undefined && !this.firstRunAt.has(input.startedBy))
      this.firstRunAt.set(input.startedBy, now);
    for (const { MessageBody = '' } of input.Entries ?? []) {
      if (!MessageBody.includes('"detail-type"')) continue;
      const look = queueMessages.parseReconcileRequest(MessageBody, GROUP_PREFIX);
      if (look.uid === null) continue;
      for (const { kind, index } of look.facts) {
        const key = `${look.uid}/${index}`;
        if (kind === 'stopped' && !this.stoppedAt.has(key)) this.stoppedAt.set(key, now);
      }
    }
  }

  /** A write that was not refused. */
  #after({ input }: Sent): void {
    for (const update of [input, ...(input.TransactItems ?? []).map(({ Update }) => Update)]) {
      if (update?.Key?.['sk']?.S === 'STATUS') this.#committed(update);
    }
  }

  #committed({ Key = {}, ExpressionAttributeValues = {} }: Update): void {
    const body = ExpressionAttributeValues[':body']?.B;
    if (body === undefined) return;
    const now = performance.now();
    const key = keyIn(Key);
    const uid = key.partition.replace('JOB#', '');
    const { journal, phase } = decodeStatus(unpacked(key, body));
    const from = this.#seen.get(uid) ?? 0;
    this.#seen.set(uid, journal.nextSeq);
    for (const { seq, transition } of journal.entries) {
      if (seq >= from && transition.op === 'succeeded') this.countedAt.set(`${uid}/${transition.index}`, now);
    }
    if (phase.kind === 'finished' && !this.finishedAt.has(uid)) this.finishedAt.set(uid, now);
  }

  /** Resolves with the moment at which the Job was over. Throws after `withinSec`. */
  async finished(uid: string, withinSec: number): Promise<number> {
    const endsAt = performance.now() + withinSec * 1_000;
    for (;;) {
      const at = this.finishedAt.get(uid);
      if (at !== undefined) return at;
      if (performance.now() > endsAt) throw new Error(`Job ${uid} was not over within ${withinSec} s`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** From a STOPPED event to the commit that counts it, of all indexes seen so far, in milliseconds. */
  lagsMs(): readonly number[] {
    return [...this.countedAt].flatMap(([key, at]) => {
      const stopped = this.stoppedAt.get(key);
      return stopped === undefined ? [] : [at - stopped];
    });
  }
}
