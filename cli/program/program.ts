import { Command, CommanderError, Option } from 'commander';
import { CAPABILITY_COMMANDS } from '../../shared/capabilities/lists/cli/commands.ts';
import { VERSION } from '../../shared/names/version.ts';
import { addKubeconfig, addProxy, addToken } from './access-commands.ts';
import { withCommandWord } from '../text/command-word.ts';
import { type Done, common, examples, namespaceOption } from '../shell/command-parts.ts';
import { addCompletion } from './completion-command.ts';
import type { GetFlags, Wanted } from '../commands/get.ts';
import { addKill } from './kill-command.ts';
import { EXIT, Failure, usageFailure } from '../shell/failure.ts';
import { addIndexControl } from './index-commands.ts';
import { addDelete, addResume, addScale, addSuspend, addWait, addWatch } from './job-commands.ts';
import { JOBS_WORDS, jobName } from '../shell/job-names.ts';
import { addLocal, addStop } from './local-commands.ts';
import { addGraph } from './graph-command.ts';
import { addFailures, addJoblog, addLogs } from './outcome-commands.ts';
import { OBJECT_FORMS, type ObjectForm } from '../render/object-forms.ts';
import { addPrune } from './prune-command.ts';
import { addRerun } from './rerun-command.ts';
import { addRun } from './run-command.ts';
import { addSubmit } from './submit-command.ts';
import type { Shell } from '../shell/shell.ts';

// Each command's code is loaded when it runs: `muster --help` needs none of it, and only `local` needs the whole runtime.

/**
 * Runs one command line (without the interpreter and the program's name).
 *
 * @returns the exit code
 */
export async function runCommandLine(args: readonly string[], shell: Shell): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = createProgram(shell, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has already printed its message.
    if (error instanceof CommanderError) {
      const hint = error.code === 'commander.unknownOption' ? await runHint(args, error.message) : null;
      if (hint !== null) shell.err.write(`${hint}\n`);
      return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    }
    if (!(error instanceof Failure)) throw error;
    shell.err.write(`${withCommandWord(error.message, shell.env)}\n`);
    return error.exitCode;
  }
}

/** What does the same as an option of GNU parallel or sbatch, which `run` resembles; null: nothing. */
async function runHint(args: readonly string[], message: string): Promise<string | null> {
  if (!args.includes('run')) return null;
  const { insteadOf } = await import('../run-line/parallel-options.ts');
  return insteadOf(message);
}

function createProgram(shell: Shell, done: Done): Command {
  const program = new Command('muster')
    .description('Runs Kubernetes Jobs without Kubernetes.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .option('--kubeconfig <file>', 'the server to talk to (default: KUBECONFIG, else .muster/kubeconfig)')
    .configureOutput({ writeOut: shell.out.write, writeErr: shell.err.write })
    .showHelpAfterError('(see --help)')
    .exitOverride()
    .addHelpText('after', `${EXAMPLES.program}${EXIT_CODES}`);
  for (const add of [
    addRun,
    addRerun,
    addWatch,
    addWait,
    addGraph,
    addGet,
    addLogs,
    addFailures,
    addJoblog,
    addSuspend,
    addResume,
    addKill,
    addScale,
    addIndexControl,
    addDelete,
    addPrune,
    addSubmit,
    ...CAPABILITY_COMMANDS,
    addLocal,
    addStop,
    addKubeconfig,
    addToken,
    addProxy,
    addVersion,
    addCompletion,
  ])
    add(program, shell, done);
  return program;
}

const EXAMPLES = {
  program: examples(
    'muster local                           # the embedded Muster, on 127.0.0.1',
    'muster run -f job.yaml --wait          # run a Job and watch it',
    'muster run zip --image debian:12-slim -- gzip -k {} ::: a.txt b.txt   # a command for each item',
    'muster get',
    'muster watch frames                    # back to the live view',
    'muster logs frames --index 7',
  ),
  get: examples(
    'muster get                             # Jobs',
    'muster get frames -o yaml',
    'muster get jobs -A -o wide',
    'muster get -l campaign=spring',
    'muster get pods frames                 # its attempts, with their exit codes',
    'muster get pods frames --failed -o wide',
    'muster get waits frames                # what does not run, why, and for about how long',
  ),
  version: examples('muster version', 'muster version -o json'),
} as const;

const EXIT_CODES = `
Exit codes:
  0 success    1 the server refused it, or the Job failed    2 invalid command line
  run --wait, watch, wait also:  3 the Job was deleted   124 timed out   130 Ctrl-C (the Job continues)
`;

type GetOptions = {
  readonly namespace?: string;
  readonly allNamespaces?: true;
  readonly selector?: string;
  readonly failed?: true;
  readonly output?: Exclude<GetFlags['output'], 'table'>;
};

function addGet(program: Command, shell: Shell, done: Done): void {
  program
    .command('get')
    .summary('list Jobs, or the Pods of a Job')
    .description('Lists Jobs (all, or those named), Pods (all, or those of one Job), or why a Job waits.')
    .argument('[what...]', 'jobs [NAME...], pods [JOB], waits JOB, or names of Jobs', [])
    .addOption(namespaceOption())
    .option('-A, --all-namespaces', 'in all namespaces')
    .option('-l, --selector <labels>', 'objects with these labels, such as app=x,tier!=test')
    .option('--failed', 'with pods: only failed Pods; of one Job, a table has those that are gone, too')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['wide', 'json', 'yaml', 'name']))
    .addHelpText('after', EXAMPLES.get)
    .action(async (what: string[], flags: GetOptions) => {
      const wanted = wantedOf(what, flags.failed === true);
      if (flags.failed === true && wanted.kind !== 'pods') throw usageFailure('--failed is for get pods');
      const { allNamespaces = false, selector = null, output = 'table' } = flags;
      if (allNamespaces && flags.namespace !== undefined) throw usageFailure('-A and -n cannot be combined');
      if (allNamespaces && what.length > 1) throw usageFailure('a name is in one namespace: use -n instead of -A');
      if (selector !== null && (wanted.kind === 'waits' || (wanted.kind === 'jobs' && wanted.names.length > 0)))
        throw usageFailure('names and -l cannot be combined');
      const { get } = await import('../commands/get.ts');
      done(await get(wanted, { allNamespaces, selector, output, ...common(program, flags) }, shell));
    });
}

const PODS_WORDS: readonly string[] = ['pod', 'pods', 'po'];

function wantedOf([first = 'jobs', ...names]: readonly string[], failed: boolean): Wanted {
  if (PODS_WORDS.includes(first)) {
    if (names.length > 1) throw usageFailure('get pods takes one Job');
    return { kind: 'pods', job: names[0] === undefined ? null : jobName(names[0]), failed };
  }
  if (first === 'waits') {
    const [job] = names;
    if (job === undefined || names.length > 1) throw usageFailure('get waits takes one Job');
    return { kind: 'waits', job: jobName(job) };
  }
  return { kind: 'jobs', names: (JOBS_WORDS.includes(first) ? names : [first, ...names]).map(jobName) };
}

type VersionOptions = { readonly output?: ObjectForm; readonly client?: true };

function addVersion(program: Command, shell: Shell, done: Done): void {
  program
    .command('version')
    .summary('the version of this program and of the server')
    .description('Prints the version of this program, and that of the server, if there is one.')
    .option('--client', 'only the version of this program')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(OBJECT_FORMS))
    .addHelpText('after', EXAMPLES.version)
    .action(async (flags: VersionOptions) => {
      const { output = null, client = false } = flags;
      const { printVersion } = await import('../commands/version.ts');
      done(await printVersion({ output, client, kubeconfig: common(program, {}).kubeconfig }, shell));
    });
}
