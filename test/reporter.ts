import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestCase, TestModule, TestSpecification, Vitest } from 'vitest/node';

const SLOWEST = 10;
/** Node itself crashed, because JavaScript cannot cause the listed signals. */
const CRASH = /^Worker exited unexpectedly with signal (SIGSEGV|SIGBUS|SIGILL)/;
const FINISHED: ReadonlySet<string> = new Set(['passed', 'failed', 'skipped']);

/**
 * Prints the slowest files, so that a new slow file is noticed, and the failed tests. The very last line has the counts
 * in a format for machines, "N passed, N failed" and, if any, ", N skipped". A file that does not load and an error
 * outside of any test count as one failure each, and a run without a test is a failure. If Node itself crashes in a
 * worker, the files that the worker had not finished go to AGAIN_FILE (scripts/run-tests.mjs) instead of the counts,
 * because these files run once more.
 */
// vitest loads reporters by their default export.
export default class TallyReporter implements Reporter {
  private filter: readonly string[] | undefined;
  private files: string[] = [];

  onInit({ config }: Vitest): void {
    this.filter = config.tagsFilter;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.files = specifications.map(({ moduleId, project }) => path.relative(project.config.root, moduleId));
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    if (modules.length > SLOWEST) console.log(slowest(modules));
    const tally = { passed: 0, failed: 0, skipped: 0 };
    const lines: string[] = [];
    const signals = unhandledErrors.flatMap(signalOfCrash);
    const again = unhandledErrors.length === signals.length ? this.runAgain(modules) : [];
    if (again.length === 0) tally.failed = unhandledErrors.length;
    else lines.push(`Ended by ${signals.join(', ')}, so it ran once more: ${again.join(', ')}`);
    for (const module of modules) {
      if (again.includes(module.relativeModuleId)) continue;
      let failedTests = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') tally.passed += 1;
        else if (state === 'failed') failedTests += 1;
        else if (!this.isOfAnotherRun(test)) tally.skipped += 1;
      }
      if (module.state() === 'failed') lines.push(...namesOfFailed(module).map((name) => `Failed: ${name}`));
      tally.failed += failedTests || (module.state() === 'failed' ? 1 : 0);
    }
    if (tally.passed + tally.failed + again.length === 0) tally.failed = 1;
    if (tally.failed > 0) process.exitCode = 1;
    const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : '';
    lines.push(`${tally.passed} passed, ${tally.failed} failed${skipped}`);
    const text = lines.map((line) => `${line}\n`).join('');
    // scripts/tally.mjs prints the line after this process ends. Without TALLY_FILE, the line comes after the default
    // reporter's summary.
    if (process.env.TALLY_FILE) appendFileSync(process.env.TALLY_FILE, text);
    else process.once('exit', () => process.stdout.write(text));
  }

  /** Returns the files that a crashed worker did not finish, if they run once more. */
  private runAgain(modules: readonly TestModule[]): string[] {
    const list = process.env.AGAIN_FILE;
    if (!list) return [];
    const again = this.files.filter((file) => !isFinished(modules, file));
    writeFileSync(list, again.map((file) => `${file}\n`).join(''));
    return again;
  }

  /** The long tests have their own run, which contains no other tests. */
  private isOfAnotherRun({ tags }: TestCase): boolean {
    const isLong = tags.includes('long');
    return this.filter?.includes(isLong ? '!long' : 'long') ?? false;
  }
}

const failedTestsOf = (module: TestModule): TestCase[] =>
  [...module.children.allTests()].filter((test) => test.result().state === 'failed');

function namesOfFailed(module: TestModule): string[] {
  const names = failedTestsOf(module).map(
    ({ fullName }) => `${module.relativeModuleId} > ${fullName.replaceAll('\n', ' ')}`,
  );
  // A failed hook or import may leave no failed test.
  return names.length > 0 ? names : [`${module.relativeModuleId}, outside of its tests`];
}

/** Returns the signal that ended the process of a worker, if this is what the error reports. */
function signalOfCrash(error: unknown): string[] {
  const { cause } = error as Error;
  const message = (cause as Error | undefined)?.message ?? '';
  return CRASH.exec(message)?.slice(1) ?? [];
}

const isFinished = (modules: readonly TestModule[], file: string): boolean =>
  modules.some((module) => module.relativeModuleId === file && FINISHED.has(module.state()));

/** Lists how long each file used a worker, including its imports. */
function slowest(modules: readonly TestModule[]): string {
  const lines = modules
    .map((module) => {
      const { collectDuration, duration } = module.diagnostic();
      return { file: module.relativeModuleId, seconds: (collectDuration + duration) / 1_000 };
    })
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST)
    .map(({ file, seconds }) => `  ${seconds.toFixed(1).padStart(6)} s  ${file}`);
  return ['The slowest files:', ...lines].join('\n');
}
