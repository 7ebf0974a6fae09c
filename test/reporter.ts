import { appendFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

const SLOWEST = 10;

/**
 * Prints the slowest files, so that a new slow one is noticed; what failed, and what passed only at the second try; and
 * as the very last line the tally, in the format for machines: "N passed, N failed" and, if any, ", N skipped". A file that does not load and an error outside of any test
 * count as one failure each; a run without a test is a failure.
 */
// vitest loads reporters by their default export.
export default class TallyReporter implements Reporter {
  private filter: readonly string[] | undefined;

  onInit({ config }: Vitest): void {
    this.filter = config.tagsFilter;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    if (modules.length > SLOWEST) console.log(slowest(modules));
    const tally = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    const lines: string[] = [];
    for (const module of modules) {
      let failedTests = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        const name = `${module.relativeModuleId} > ${test.fullName.replaceAll('\n', ' ')}`;
        if (state === 'passed') tally.passed += 1;
        else if (state === 'failed') failedTests += 1;
        else if (!this.isOfAnotherRun(test)) tally.skipped += 1;
        if (state === 'failed') lines.push(`Failed: ${name}`);
        if (test.diagnostic()?.flaky) lines.push(`Failed once, then passed: ${name}`);
      }
      // A hook or an import that fails may leave no failed test.
      if (failedTests === 0 && module.state() === 'failed')
        lines.push(`Failed outside of its tests: ${module.relativeModuleId}`);
      tally.failed += failedTests || (module.state() === 'failed' ? 1 : 0);
    }
    if (tally.passed + tally.failed === 0) tally.failed = 1;
    if (tally.failed > 0) process.exitCode = 1;
    const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : '';
    lines.push(`${tally.passed} passed, ${tally.failed} failed${skipped}`);
    const text = lines.map((line) => `${line}\n`).join('');
    // scripts/tally.mjs prints it after our exit; without it, it comes after the default reporter's summary.
    if (process.env.TALLY_FILE) appendFileSync(process.env.TALLY_FILE, text);
    else process.once('exit', () => process.stdout.write(text));
  }

  /** The long tests have a run of their own, which takes no others. */
  private isOfAnotherRun({ tags }: TestCase): boolean {
    const isLong = tags.includes('long');
    return this.filter?.includes(isLong ? '!long' : 'long') ?? false;
  }
}

/** How long each of them used a worker, including its imports. */
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
