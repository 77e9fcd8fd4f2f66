import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SdkClient } from '../../shared/runtime/deps.ts';
import { type Usage, countUsage } from '../support/counting.ts';

/** What SDK clients asked for and consumed: the bill's units, as AWS counts them. */
export type Reading = {
  /** Writes that were refused included: a condition that does not hold is charged, too. */
  readonly writeUnits: number;
  readonly refusedUnits: number;
  readonly readUnits: number;
  /** Requests by service and command, `SQS.ReceiveMessage`. */
  readonly requests: ReadonlyMap<string, number>;
};

type Step = (args: { input: Record<string, unknown> }) => Promise<unknown>;
type Context = { readonly clientName?: string; readonly commandName?: string };
/** The one method of an SDK client's middleware stack that is used here; its own type differs by client. */
type Stack = {
  add(middleware: (next: Step, context: Context) => Step, options: { step: 'initialize'; name: string }): void;
};

const EVENT_SENDS = 'SQS.SendMessage by EventBridge';

/** Looks over the shoulder of every client that it is shown. */
export class Meter {
  readonly #usages: Usage[] = [];
  readonly #requests = new Map<string, number>();

  readonly watch = (client: SdkClient): void => {
    if (client instanceof DynamoDBClient) {
      this.#usages.push(countUsage(client).usage);
      return;
    }
    const stack: unknown = client.middlewareStack;
    (stack as Stack).add((next, context) => (args) => this.#pass(next, context, args), {
      step: 'initialize',
      name: 'meter',
    });
  };

  #pass(next: Step, { clientName = '', commandName = '' }: Context, args: Parameters<Step>[0]) {
    const service = clientName.replace(/Client$/, '');
    const command = commandName.replace(/Command$/, '');
    const { Entries = [] } = args.input as { readonly Entries?: readonly { readonly MessageBody?: string }[] };
    const events = Entries.filter(({ MessageBody = '' }) => MessageBody.includes('"detail-type"')).length;
    // EventBridge sends every event by a request of its own; the embedded one shares them.
    if (events > 0) this.#count(EVENT_SENDS, events);
    else this.#count(`${service}.${command}`, 1);
    return next(args);
  }

  #count(key: string, more: number): void {
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + more);
  }

  read(): Reading {
    const requests = new Map(this.#requests);
    for (const usage of this.#usages)
      for (const [command, count] of usage.requests) requests.set(`DynamoDB.${command}`, count);
    const sum = (pick: (usage: Usage) => number): number =>
      this.#usages.reduce((total, usage) => total + pick(usage), 0);
    return {
      writeUnits: sum((u) => u.writeUnits),
      refusedUnits: sum((u) => u.refusedUnits),
      readUnits: sum((u) => u.readUnits),
      requests,
    };
  }
}

/** What was consumed between two readings. */
export function difference(before: Reading, after: Reading): Reading {
  const requests = new Map<string, number>();
  for (const [key, count] of after.requests) {
    const more = count - (before.requests.get(key) ?? 0);
    if (more > 0) requests.set(key, more);
  }
  return {
    writeUnits: after.writeUnits - before.writeUnits,
    refusedUnits: after.refusedUnits - before.refusedUnits,
    readUnits: after.readUnits - before.readUnits,
    requests,
  };
}
