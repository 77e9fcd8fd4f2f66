import ts from 'typescript';

/**
 * The files that a source imports, in the order in which it names them: as it writes them, from where it is. Types and `import()` count,
 * too. What only looks like an import, in a text or a comment, does not.
 */
export function importedFiles(source: string): readonly string[] {
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    const named = namedBy(node);
    if (named !== undefined && ts.isStringLiteralLike(named) && named.text.startsWith('.')) found.push(named.text);
    ts.forEachChild(node, look);
  };
  look(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest));
  return found;
}

/** What an import names, of whatever form it is. */
function namedBy(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal;
  return ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
    ? node.arguments[0]
    : undefined;
}
