import type { AskedOption } from '../client/api-objects-of-furiko.ts';
import type { OptionAnswer, OptionAnswers } from './option-answers.ts';
import type { Prompter } from '../../../../cli/shell/prompter.ts';
import { visiblePrompter } from './visible-prompter.ts';

/** Asks for every option that has no answer yet, in the order of the JobConfig; the first answer offered is its default. */
export async function askOptions(
  options: readonly AskedOption[],
  given: OptionAnswers,
  prompter: Prompter,
): Promise<OptionAnswers> {
  const answers: Record<string, OptionAnswer> = { ...given };
  const asking = visiblePrompter(prompter);
  for (const option of options) {
    if (Object.hasOwn(given, option.name)) continue;
    const answer = await ask(option, asking);
    if (answer !== null) answers[option.name] = answer;
  }
  return answers;
}

/** null: it was left empty, which is the same as not given. */
async function ask(option: AskedOption, prompter: Prompter): Promise<OptionAnswer | null> {
  const { name, label = '', type, required = false } = option;
  const message = `${label === '' || label === name ? name : `${label} (${name})`}:`;
  switch (type) {
    case 'Bool':
      return prompter.confirm(message, option.bool?.default ?? false);
    case 'Select':
      return askSelect(option, message, prompter);
    case 'Multi': {
      const { values = [], default: first = [] } = option.multi ?? {};
      const chosen = await prompter.selectSome(message, values, first);
      return chosen.length === 0 && !required ? null : chosen;
    }
    case 'Date':
      return orNothing(
        await prompter.input(`${message} (RFC 3339, such as 2026-01-01T00:00:00Z)`, '', needed(required, isDate)),
      );
    case 'String': {
      const first = option.string?.default ?? '';
      const answer = await prompter.input(
        message,
        first,
        needed(required, () => null),
      );
      return answer === first ? orNothing(answer) : answer;
    }
  }
}

const OTHER = '(another value)';
const NONE = '(none)';

async function askSelect(option: AskedOption, message: string, prompter: Prompter): Promise<string | null> {
  const { values = [], default: first = null, allowCustom = false } = option.select ?? {};
  const isOptional = option.required !== true && first === null;
  const choices = [...(isOptional ? [NONE] : []), ...values, ...(allowCustom ? [OTHER] : [])];
  const chosen = await prompter.select(message, choices, first);
  if (chosen === NONE && isOptional) return null;
  return chosen === OTHER && allowCustom
    ? prompter.input(
        message,
        '',
        needed(true, () => null),
      )
    : chosen;
}

const orNothing = (answer: string): string | null => (answer === '' ? null : answer);

const needed =
  (required: boolean, check: (answer: string) => string | null) =>
  (answer: string): string | null =>
    answer === '' ? (required ? 'It needs a value.' : null) : check(answer);

const isDate = (answer: string): string | null =>
  /^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:\d{2})$/i.test(answer) && !Number.isNaN(Date.parse(answer))
    ? null
    : 'It must be a time such as 2026-01-01T00:00:00Z.';
