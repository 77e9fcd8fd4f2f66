import type { CapabilityCommands } from '../../ports/extra-commands.ts';
import type { Deps } from './deps.ts';

/** Each of {@link CapabilityCommands}, made of what a process has. */
export type CommandMakers = { readonly [K in keyof CapabilityCommands]: (deps: Deps) => CapabilityCommands[K] };

export const makeCommands = (makers: CommandMakers, deps: Deps): CapabilityCommands =>
  Object.fromEntries(
    Object.entries<(of: Deps) => unknown>(makers).map(([name, make]) => [name, make(deps)]),
  ) as unknown as CapabilityCommands;
