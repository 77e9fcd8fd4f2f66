import { expect, test } from 'vitest';
import { shownUser } from '../../../shared/domain/events/shown-user.ts';

const ARN = `arn:aws:iam::123456789012:role/${'r'.repeat(64)}`;

test.each([
  ['a name', 'kim', 'kim'],
  ['the longest ARN of a role', ARN, ARN],
  ['letters of any script', 'Zoë 田中', 'Zoë 田中'],
  ['ends of lines, which would begin another Event', 'kim\nNormal  Completed', String.raw`kim\u{a}Normal  Completed`],
  ['what a terminal would obey', '\u001B[2Jkim', String.raw`\u{1b}[2Jkim`],
  ['text that turns around', 'kim\u202Enimda', String.raw`kim\u{202e}nimda`],
  ['separators of lines', 'a\u2028b\u2029c', String.raw`a\u{2028}b\u{2029}c`],
  ['half of a character', 'a\uD83D', String.raw`a\u{d83d}`],
  ['128 characters', 'k'.repeat(128), 'k'.repeat(128)],
  ['more of them', 'k'.repeat(129), `${'k'.repeat(128)}…`],
  ['no escape is cut in two', `${'k'.repeat(125)}\u0000`, `${'k'.repeat(125)}…`],
  ['a megabyte', '\u0000'.repeat(1_000_000), `${String.raw`\u{0}`.repeat(25)}…`],
])('%s', (_, name, shown) => {
  expect(shownUser(name)).toBe(shown);
});
