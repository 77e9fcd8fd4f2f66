// The one lint rule that no plugin has: `new Date()` and `Date()` read the clock, `new Date(ms)` does not.

const readsTheClock = (node) =>
  node.callee.type === 'Identifier' &&
  node.callee.name === 'Date' &&
  (node.type === 'CallExpression' || node.arguments.length === 0);

/** A plugin of one rule in ESLint's form, which oxlint loads (see .oxlintrc.json). */
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
  },
};
