import { availableParallelism } from 'node:os';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { defineConfig } from 'vitest/config';

/** What takes longest comes first, so that at the end no worker waits for the last long file of another one. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    return [...bySize.filter(isLong), ...bySize.filter((file) => !isLong(file))];
  }
}
const LONG = /\/journeys\/|\/journeys?\.test|\/second-factor\.test|\/protocol\.model\.test|-embedded-/;
const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId);

export default defineConfig({
  test: {
    include: ['{src,contract,cli,scripts,sdk,test}/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/journeys/.*/**', 'test/faults/trials/**'],
    tags: [
      {
        name: 'long',
        description: 'Walks through everything, rare variants, and trials that kill: `npm run test:faults` runs them.',
      },
    ],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/cheap-passwords.ts', 'test/citus/record-statements.ts'],
    reporters: ['default', './test/reporter.ts'],
    // Processes, since tests start servers, set signals and kill children. A process takes one file after another and
    // reads the program's modules once: they hold no state of their own, and reading them costs seconds.
    pool: 'forks',
    isolate: false,
    // What a test file replaced is put back before the next one.
    restoreMocks: true,
    unstubEnvs: true,
    // Files wait for sockets, browsers and the database. With more workers, single tests exceed their time limits.
    maxWorkers: Math.min(12, 2 * availableParallelism()),
    sequence: { sequencer: LongestFirst },
    // Only for what never ends: promises about time are asserted by the tests themselves.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    // What is waited for comes at once, or late on a busy machine. A wait that is to fail early names its own time.
    expect: { poll: { timeout: 15_000 } },
    // The server's own sources run as they are; nothing here is for a browser.
    environment: 'node',
  },
});
