import { availableParallelism } from 'node:os';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { defineConfig } from 'vitest/config';

/** The longest files run first, so that no worker waits at the end for a long file of another worker. */
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
    include: ['{src,contract,cli,dashboard/src,scripts,sdk,test}/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/journeys/.*/**', 'test/faults/trials/**'],
    tags: [
      {
        name: 'long',
        description: 'Walks through everything, rare variants, and trials that kill: `npm run test:faults` runs them.',
      },
    ],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/cheap-passwords.ts', 'test/citus/record-statements.ts', 'test/cells.ts'],
    reporters: ['default', './test/reporter.ts'],
    // The tests run in processes instead of threads, since tests start servers, set signals and kill children. A
    // process runs one file after another and loads the program's modules once, because they have no state and loading
    // them takes seconds.
    pool: 'forks',
    isolate: false,
    // The space of new objects starts with the size that a test file needs, so that fewer collections copy them.
    execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=64'],
    // Values that a test file replaced are restored before the next file.
    restoreMocks: true,
    unstubEnvs: true,
    // One file uses more than one core, because its browser and database also work. With two workers for each core, the
    // same files used 37 % more processor time, took 20 % longer, and single tests took three times as long.
    maxWorkers: Math.min(12, availableParallelism()),
    sequence: { sequencer: LongestFirst },
    // The slowest test takes 22 s, or 40 s on a machine with four times the load. If the product becomes ten times
    // slower, dozens of tests exceed this limit. Tests assert guarantees about time themselves.
    testTimeout: 45_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    // A condition is met immediately, or late on a busy machine. A wait that is to fail early names its own time.
    expect: { poll: { timeout: 15_000 } },
    // The server's own sources run as they are; nothing here is for a browser.
    environment: 'node',
  },
});
