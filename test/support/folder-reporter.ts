import { relative } from 'node:path';
import {
  DefaultReporter,
  type TestCase,
  type TestModule,
  type TestRunEndReason,
  type TestSpecification,
} from 'vitest/node';

type Folder = { left: number; files: number; tests: number; ms: number };

/**
 * Prints a line for each folder of tests once all of it has run, of each file that fails the tests that do, and at the end why,
 * as vitest does, and the tests that passed on a second try only.
 */
export default class FolderReporter extends DefaultReporter {
  readonly #folders = new Map<string, Folder>();
  readonly #unsteady: string[] = [];

  constructor() {
    super({ summary: false });
  }

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications);
    for (const { moduleId } of specifications) this.#folderOf(moduleId).left++;
  }

  override onTestModuleEnd(module: TestModule): void {
    super.onTestModuleEnd(module);
    const folder = this.#folderOf(module.moduleId);
    folder.left--;
    folder.files++;
    folder.ms += module.diagnostic().duration;
    for (const test of module.children.allTests()) {
      folder.tests++;
      if (test.diagnostic()?.flaky === true) this.#unsteady.push(`${this.#nameOf(module.moduleId)} > ${test.fullName}`);
    }
    if (folder.left === 0) this.log(lineOf(this.#folderNameOf(module.moduleId), folder));
  }

  protected override printTestModule(module: TestModule): void {
    if (module.state() === 'failed') super.printTestModule(module);
  }

  protected override printTestCase(state: Parameters<DefaultReporter['printTestCase']>[0], test: TestCase): void {
    if (test.result().state === 'failed') super.printTestCase(state, test);
  }

  override onTestRunEnd(
    modules: readonly TestModule[],
    errors: Parameters<DefaultReporter['onTestRunEnd']>[1],
    reason: TestRunEndReason,
  ): void {
    super.onTestRunEnd(modules, errors, reason);
    if (this.#unsteady.length === 0) return;
    this.log(
      `\nPassed on a second try only (${this.#unsteady.length}):\n${this.#unsteady.map((name) => `  ${name}\n`).join('')}`,
    );
  }

  #folderOf(moduleId: string): Folder {
    const name = this.#folderNameOf(moduleId);
    const known = this.#folders.get(name) ?? { left: 0, files: 0, tests: 0, ms: 0 };
    this.#folders.set(name, known);
    return known;
  }

  #folderNameOf = (moduleId: string): string => this.#nameOf(moduleId).split('/').slice(0, 2).join('/');

  #nameOf = (moduleId: string): string => relative(this.ctx.config.root, moduleId);
}

const lineOf = (name: string, { files, tests, ms }: Folder): string =>
  `${name.padEnd(24)} ${String(files).padStart(4)} files ${String(tests).padStart(6)} tests ${(ms / 1000).toFixed(1).padStart(7)} s`;
