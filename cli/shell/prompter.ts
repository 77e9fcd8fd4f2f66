import type * as prompts from '@inquirer/prompts';
import { EXIT, Failure } from './failure.ts';

/** Asks the person at the terminal. Every method throws a Failure at Ctrl-C. */
export type Prompter = {
  readonly confirm: (message: string, first: boolean) => Promise<boolean>;
  /** `check`: what is wrong with an answer; null: nothing. */
  readonly input: (message: string, first: string, check: (answer: string) => string | null) => Promise<string>;
  readonly select: (message: string, values: readonly string[], first: string | null) => Promise<string>;
  readonly selectSome: (message: string, values: readonly string[], first: readonly string[]) => Promise<string[]>;
};

/** The prompts of this process's terminal. Questions go to standard error: standard output is the command's. */
export function terminalPrompter(): Prompter {
  const context = { output: process.stderr };
  return {
    confirm: async (message, first) => asking(async ({ confirm }) => confirm({ message, default: first }, context)),
    input: async (message, first, check) =>
      asking(async ({ input }) =>
        input(
          { message, ...(first === '' ? {} : { default: first }), validate: (answer) => check(answer) ?? true },
          context,
        ),
      ),
    select: async (message, values, first) =>
      asking(async ({ select }) =>
        select({ message, choices: [...values], ...(first === null ? {} : { default: first }) }, context),
      ),
    selectSome: async (message, values, first) =>
      asking(async ({ checkbox }) =>
        checkbox({ message, choices: values.map((value) => ({ value, checked: first.includes(value) })) }, context),
      ),
  };
}

type Prompts = typeof prompts;

async function asking<T>(ask: (prompts: Prompts) => Promise<T>): Promise<T> {
  try {
    return await ask(await import('@inquirer/prompts'));
  } catch (error) {
    if (error instanceof Error && error.name === 'ExitPromptError')
      throw new Failure('nothing was created', EXIT.interrupted);
    throw error;
  }
}
