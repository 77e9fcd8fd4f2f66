import { type Command, Option } from 'commander';

/** Receives a command's exit code. */
export type Done = (exitCode: number) => void;

/** The end of a command's help. */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}`;

export const namespaceOption = (): Option => new Option('-n, --namespace <name>', "(default: the kubeconfig's)");

/** The options that most commands take: the namespace and the kubeconfig; null if not given. */
export function common(program: Command, { namespace = null }: { readonly namespace?: string | null }) {
  const { kubeconfig }: { kubeconfig?: string } = program.opts();
  return { namespace, kubeconfig: kubeconfig ?? null };
}
