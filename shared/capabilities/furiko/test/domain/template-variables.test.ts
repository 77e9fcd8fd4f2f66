import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandVariables } from '../../../../domain/base/variable-expansion.ts';
import { replaceInImage, replaceInWord } from '../../domain/template-variables.ts';

const variables = {
  values: new Map([
    ['job.name', 'job-1'],
    ['option.who', 'Eve'],
    ['option.task', '${task.name}'],
    ['option.secret', '$(SECRET) ${job.name} $$ $'],
    ['custom', 'own'],
  ]),
  ofTask: new Map([
    ['task.name', 'MUSTER_POD_NAME'],
    ['task.index_key', 'index_key'],
  ]),
};
/** What the container gets. */
const TASK = new Map([
  ['MUSTER_POD_NAME', 'job-1-0'],
  ['index_key', 'a'],
  ['SECRET', 's3cret'],
  ['HOME', '/root'],
]);
const word = (text: string): string => replaceInWord(text, variables);
const seen = (text: string): string => expandVariables(word(text), TASK);

describe('a word', () => {
  it.each([
    ['no variables', 'no variables'],
    ['Hello ${option.who}, I am ${job.name}!', 'Hello Eve, I am job-1!'],
    ['${custom}', 'own'],
    ['${task.name}/${task.index_key}', 'job-1-0/a'],
    ['[${job.unknown}${jobconfig.name}${task.nothing}${option.none}]', '[]'],
    ['${SHELL} ${job} ${job.} ${HOME:-/tmp}', '${SHELL} ${job} ${job.} ${HOME:-/tmp}'],
    ['${OUT:-${job.name}}', '${OUT:-job-1}'],
    ['$(HOME)/${job.name}', '/root/job-1'],
    ['$$(HOME) ${job.name}', '$(HOME) job-1'],
  ])('%s is seen as %s', (written, expected) => {
    expect(seen(written)).toBe(expected);
  });

  it.each([
    ['$${task.index_key}', '$a'],
    ['$$${task.index_key}', '$a'],
    ['$$$${task.index_key}', '$$a'],
    ['$$$$${task.index_key}', '$$a'],
    ['$${job.name}', '$job-1'],
    ['cost: 5$', 'cost: 5$'],
  ])('%s has the dollar signs that Kubernetes would leave: %s', (written, expected) => {
    expect(seen(written)).toBe(expected);
  });

  it('is not injected into by a value', () => {
    expect(seen('${option.task}')).toBe('${task.name}');
    expect(seen('${option.secret}')).toBe('$(SECRET) ${job.name} $$ $');
  });

  it('is not injected into by a value that completes what the author began', () => {
    const name = { ...variables, values: new Map([['option.name', 'SECRET']]) };
    expect(expandVariables(replaceInWord('$(${option.name})', name), TASK)).toBe('$(SECRET)');
    const rest = { ...variables, values: new Map([['option.name', '(SECRET)']]) };
    expect(expandVariables(replaceInWord('$${option.name}', rest), TASK)).toBe('$(SECRET)');
    expect(expandVariables(replaceInWord('$(A${option.name}$(SECRET)', name), TASK)).toBe('$(ASECRETs3cret');
  });

  it('shows every value as it is, whatever is around it', () => {
    const texts = fc.string({ unit: fc.constantFrom('$', '(', ')', '{', '}', 'SECRET', 'x') });
    fc.assert(
      fc.property(texts, texts, (value, before) => {
        const given = { values: new Map([['v', value]]), ofTask: new Map<string, string>() };
        // What stands before a value means the same as alone, closed by something that begins no reference.
        const alone = expandVariables(
          replaceInWord(`${before.replaceAll(/[{}]/g, '')}\${v}`, { ...given, values: new Map([['v', '']]) }),
          TASK,
        );
        const whole = expandVariables(replaceInWord(`${before.replaceAll(/[{}]/g, '')}\${v}`, given), TASK);
        expect(whole).toBe(alone + value);
      }),
    );
  });
});

describe('an image', () => {
  it('gets values as they are', () => {
    expect(replaceInImage('alpine:${option.who}', variables)).toEqual({ kind: 'fixed', image: 'alpine:Eve' });
    expect(replaceInImage('a:${option.secret}', variables)).toEqual({
      kind: 'fixed',
      image: 'a:$(SECRET) ${job.name} $$ $',
    });
  });

  it('names the variables of the task, and keeps everything else from being one', () => {
    expect(replaceInImage('$(HOME):${option.task}-${task.index_key}', variables)).toEqual({
      kind: 'late',
      image: '$$(HOME):$${task.name}-$(index_key)',
      variables: ['task.index_key'],
    });
  });
});
