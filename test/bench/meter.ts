import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Handlers } from '../../local/handlers.ts';
import type { SdkClient } from '../../shared/runtime/create-runtime.ts';
import { type Usage, countUsage } from '../support/counting.ts';

/** What SDK clients asked for and consumed: the bill's units, as AWS counts them. */
export type Reading = {
  /** Writes that were refused included: a condition that does not hold is charged, too. */
  readonly writeUnits: number;
  readonly refusedUnits: number;
  readonly readUnits: number;
  /** Requests by service and command, `SQS.ReceiveMessage`. */
  readonly requests: Readonly<Record<string, number>>;
  /** Bytes of message bodies that were sent; each 64 KB of a request is a request to SQS's bill. */
  readonly messageBytes: number;
  /** Calls of the Lambda functions, by name. */
  readonly invocations: Readonly<Record<string, number>>;
};

type Entry = { readonly MessageBody?: string };
type Step = (args: {
  input: { readonly Entries?: readonly Entry[]; readonly MessageBody?: string };
}) => Promise<unknown>;
type Context = { readonly clientName?: string; readonly commandName?: string };
/** The one method of an SDK client's middleware stack that is used here; its own type differs by client. */
type Stack = {
  add(middleware: (next: Step, context: Context) => Step, options: { step: 'initialize'; name: string }): void;
};

const EVENT_SENDS = 'SQS.SendMessage by EventBridge';
const BILLED_BYTES = 65_536;

/** Looks over the shoulder of every client and every function that it is shown. */
export class Meter {
  readonly #usages: Usage[] = [];
  readonly #requests = new Map<string, number>();
  readonly #invocations = new Map<string, number>();
  #messageBytes = 0;

  readonly watch = (client: SdkClient): void => {
    // Not instanceof: with --vs the client may be another checkout's.
    if (client.config.serviceId === 'DynamoDB') {
      this.#usages.push(countUsage(client as DynamoDBClient).usage);
      return;
    }
    const stack: unknown = client.middlewareStack;
    (stack as Stack).add((next, context) => (args) => this.#pass(next, context, args), {
      step: 'initialize',
      name: 'meter',
    });
  };

  /** The same handlers, counted. */
  watchHandlers(handlers: Handlers): Handlers {
    const counted = <A extends readonly unknown[], R>(name: string, handler: (...args: A) => R) => {
      return (...args: A): R => {
        this.#invocations.set(name, (this.#invocations.get(name) ?? 0) + 1);
        return handler(...args);
      };
    };
    return {
      reconcile: counted('reconcile', handlers.reconcile),
      dispatch: counted('dispatch', handlers.dispatch),
      submit: counted('submit', handlers.submit),
      sweep: counted('sweep', handlers.sweep),
    };
  }

  #pass(next: Step, { clientName = '', commandName = '' }: Context, args: Parameters<Step>[0]) {
    const service = clientName.replace(/Client$/, '');
    const command = commandName.replace(/Command$/, '');
    const { Entries = [], MessageBody } = args.input;
    const bodies = [
      ...Entries.map((entry) => entry.MessageBody ?? ''),
      ...(MessageBody === undefined ? [] : [MessageBody]),
    ];
    const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
    this.#messageBytes += bytes;
    const events = bodies.filter((body) => body.includes('"detail-type"')).length;
    // EventBridge sends every event by a request of its own; the embedded one shares them.
    if (events > 0) this.#count(EVENT_SENDS, events);
    else this.#count(`${service}.${command}`, Math.max(1, Math.ceil(bytes / BILLED_BYTES)));
    return next(args);
  }

  #count(key: string, more: number): void {
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + more);
  }

  read(): Reading {
    const requests = Object.fromEntries(this.#requests);
    for (const usage of this.#usages)
      for (const [command, count] of usage.requests)
        requests[`DynamoDB.${command}`] = (requests[`DynamoDB.${command}`] ?? 0) + count;
    const sum = (pick: (usage: Usage) => number): number =>
      this.#usages.reduce((total, usage) => total + pick(usage), 0);
    return {
      writeUnits: sum((u) => u.writeUnits),
      refusedUnits: sum((u) => u.refusedUnits),
      readUnits: sum((u) => u.readUnits),
      requests,
      messageBytes: this.#messageBytes,
      invocations: Object.fromEntries(this.#invocations),
    };
  }
}

/** What was consumed between two readings. */
export function difference(before: Reading, after: Reading): Reading {
  return {
    writeUnits: after.writeUnits - before.writeUnits,
    refusedUnits: after.refusedUnits - before.refusedUnits,
    readUnits: after.readUnits - before.readUnits,
    requests: minus(after.requests, before.requests),
    messageBytes: after.messageBytes - before.messageBytes,
    invocations: minus(after.invocations, before.invocations),
  };
}

const minus = (after: Readonly<Record<string, number>>, before: Readonly<Record<string, number>>) =>
  Object.fromEntries(
    Object.entries(after)
      .map(([key, count]) => [key, count - (before[key] ?? 0)] as const)
      .filter(([, count]) => count > 0)
      .sort(([a], [b]) => a.localeCompare(b)),
  );

/** Requests of one service in all. */
export const requestsOf = ({ requests }: Pick<Reading, 'requests'>, service: string): number =>
  Object.entries(requests).reduce((sum, [key, count]) => sum + (key.startsWith(`${service}.`) ? count : 0), 0);
