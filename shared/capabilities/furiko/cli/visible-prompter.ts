import { visible } from '../../../../cli/text/visible.ts';
import type { Prompter } from '../../../../cli/shell/prompter.ts';

/**
 * The same prompter for texts that others wrote: what is shown cannot control the terminal, and answers are what was meant.
 *
 * @param prompter shows what it is given as it is
 */
export const visiblePrompter = (prompter: Prompter): Prompter => ({
  confirm: async (message, first) => prompter.confirm(visible(message), first),
  async input(message, first, check) {
    const meant = meaningOf([first]);
    return meant(await prompter.input(visible(message), visible(first), (answer) => check(meant(answer))));
  },
  select: async (message, values, first) =>
    meaningOf(values)(
      await prompter.select(visible(message), values.map(visible), first === null ? null : visible(first)),
    ),
  selectSome: async (message, values, first) =>
    (await prompter.selectSome(visible(message), values.map(visible), first.map(visible))).map(meaningOf(values)),
});

/** What an answer means that was shown as one of `values`. */
const meaningOf =
  (values: readonly string[]) =>
  (answer: string): string =>
    values.find((value) => visible(value) === answer) ?? answer;
