import ts from 'typescript';

/** One small change of behavior. */
export type Mutation = {
  readonly file: string;
  readonly from: number;
  readonly to: number;
  /** What stands there, and what is put in its place. */
  readonly before: string;
  readonly after: string;
  /** From 1. */
  readonly line: number;
};

const SWAPS: ReadonlyMap<ts.SyntaxKind, readonly string[]> = new Map([
  [ts.SyntaxKind.LessThanToken, ['<=', '>']],
  [ts.SyntaxKind.LessThanEqualsToken, ['<', '>']],
  [ts.SyntaxKind.GreaterThanToken, ['>=', '<']],
  [ts.SyntaxKind.GreaterThanEqualsToken, ['>', '<']],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, ['!==']],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, ['===']],
  [ts.SyntaxKind.AmpersandAmpersandToken, ['||']],
  [ts.SyntaxKind.BarBarToken, ['&&']],
  [ts.SyntaxKind.PlusToken, ['-']],
  [ts.SyntaxKind.MinusToken, ['+']],
  [ts.SyntaxKind.AsteriskToken, ['/']],
  [ts.SyntaxKind.SlashToken, ['*']],
  [ts.SyntaxKind.PercentToken, ['*']],
]);

const METHODS: ReadonlyMap<string, string> = new Map([
  ['min', 'max'],
  ['max', 'min'],
  ['some', 'every'],
  ['every', 'some'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
  ['later', 'soonest'],
]);

/**
 * All small changes of behavior that can be made in a source file: comparisons, conditions, sums, whole numbers and truth values
 * that are another, a call or an assignment that is left out. What is only said (messages, types) and what only guards against our own bugs is left
 * alone.
 */
export function mutationsOf(file: string, text: string): readonly Mutation[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Mutation[] = [];
  const add = (node: ts.Node, after: string): void => {
    const from = node.getStart(source);
    const line = source.getLineAndCharacterOfPosition(from).line + 1;
    found.push({ file, from, to: node.getEnd(), before: text.slice(from, node.getEnd()), after, line });
  };
  const visit = (node: ts.Node): void => {
    if (isSaidOnly(node, source)) return;
    for (const after of changesOf(node, source)) add(node, after);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return found;
}

function changesOf(node: ts.Node, source: ts.SourceFile): readonly string[] {
  if (ts.isBinaryExpression(node.parent) && node === node.parent.operatorToken) {
    return isText(node.parent) ? [] : (SWAPS.get(node.kind) ?? []);
  }
  if (ts.isNumericLiteral(node)) return [String(Number(node.text.replaceAll('_', '')) + 1)];
  if (node.kind === ts.SyntaxKind.TrueKeyword) return ['false'];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return ['true'];
  if (isCondition(node)) return [`!(${node.getText(source)})`];
  if (ts.isIdentifier(node) && ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) {
    const other = ts.isCallExpression(node.parent.parent) ? METHODS.get(node.text) : undefined;
    return other === undefined || other === 'soonest' ? [] : [other];
  }
  if (ts.isExpressionStatement(node) && isDeed(node.expression))
    return isSaidOnly(node.expression, source) ? [] : [';'];
  return [];
}

const isCondition = (node: ts.Node): boolean => {
  const { parent } = node;
  if (ts.isIfStatement(parent) || ts.isWhileStatement(parent)) return parent.expression === node;
  return ts.isConditionalExpression(parent) && parent.condition === node;
};

/** It does something: a call, an assignment, a count. */
const isDeed = (node: ts.Expression): boolean => {
  if (ts.isAwaitExpression(node) || ts.isVoidExpression(node)) return isDeed(node.expression);
  if (ts.isCallExpression(node)) return node.expression.kind !== ts.SyntaxKind.SuperKeyword;
  if (ts.isPostfixUnaryExpression(node) || ts.isPrefixUnaryExpression(node)) return true;
  return ts.isBinaryExpression(node) && node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment;
};

/** `+` between texts. */
const isText = ({ left, right }: ts.BinaryExpression): boolean =>
  [left, right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side));

/** Types, imports, and what is only said: sentences, and the guards against our own bugs. */
function isSaidOnly(node: ts.Node, source: ts.SourceFile): boolean {
  if (ts.isTypeNode(node) || ts.isTypeAliasDeclaration(node) || ts.isImportDeclaration(node)) return true;
  if (ts.isTemplateExpression(node) || ts.isThrowStatement(node) || ts.isExportDeclaration(node)) return true;
  if (!ts.isCallExpression(node)) return false;
  const called = node.expression.getText(source);
  return called === 'invariant' || called === 'unreachable' || called.includes('telemetry.');
}
