import type { SdkClient } from '../../shared/runtime/sdk-client.ts';
import { type NeededRight, neededRights } from './needed-rights.ts';
import { LOCAL_PLACE } from './template-statements.ts';

/** Calls `look` with the rights that a call of `client` needs, before all else that the client does. */
export function onAskedRights(client: SdkClient, look: (rights: readonly NeededRight[]) => Promise<void> | void): void {
  // The clients' stacks differ in their types only.
  const stack = client.middlewareStack as unknown as Stack;
  stack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        await look(neededRights(commandName, args.input, LOCAL_PLACE));
        return next(args);
      },
    { step: 'initialize', name: 'rightsCheck', priority: 'high' },
  );
}

type Stack = {
  add(
    middleware: (
      next: (args: { readonly input: unknown }) => Promise<unknown>,
      context: { readonly commandName?: string },
    ) => (args: { readonly input: unknown }) => Promise<unknown>,
    options: { readonly step: 'initialize'; readonly name: string; readonly priority: 'high' },
  ): void;
};
