// The lint rules that no plugin has. They are a plugin in ESLint's form, which oxlint loads (see .oxlintrc.json).

/** `new Date()` and `Date()` read the clock, `new Date(ms)` does not. */
const readsTheClock = (node) =>
  node.callee.type === 'Identifier' &&
  node.callee.name === 'Date' &&
  (node.type === 'CallExpression' || node.arguments.length === 0);

/** What Muster says to people is a view of data, and code that decides takes the data. */
const SENTENCE =
  /(?:^(?:because|message|reason|sentence|verdict|why|words)|Because|Message|Reason|Sentence|Verdict|Why|Words)$/;
const ASKS_TEXT = ['startsWith', 'endsWith', 'includes', 'indexOf', 'match', 'matchAll', 'search'];
const ASKS_PATTERN = ['test', 'exec'];

/** Whether it is a name like `reason`, also `ending.reason`, `reason ?? ''`, and `reason!`. */
function isSentence(node) {
  if (node === undefined) return false;
  if (node.type === 'Identifier') return SENTENCE.test(node.name);
  if (node.type === 'MemberExpression') return !node.computed && isSentence(node.property);
  if (node.type === 'LogicalExpression') return isSentence(node.left);
  return 'expression' in node && isSentence(node.expression);
}

function readsSentence({ callee, arguments: [argument] }) {
  if (callee.type !== 'MemberExpression' || callee.computed) return false;
  const { object, property } = callee;
  return (
    (ASKS_TEXT.includes(property.name) && isSentence(object)) ||
    (ASKS_PATTERN.includes(property.name) && isSentence(argument))
  );
}

export default {
  meta: { name: 'muster' },
  rules: {
    'no-hidden-clock': {
      create(context) {
        const look = (node) => {
          if (readsTheClock(node)) context.report({ node, message: 'Take the time as an argument.' });
        };
        return { NewExpression: look, CallExpression: look };
      },
    },
    'no-read-sentence': {
      create(context) {
        return {
          CallExpression(node) {
            if (readsSentence(node)) context.report({ node, message: 'Decide by data, not by what a text says.' });
          },
        };
      },
    },
  },
};
