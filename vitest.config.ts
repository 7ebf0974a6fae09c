import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,contract,cli,scripts,test}/**/*.test.ts'],
    // `npm run test:faults` runs the trials.
    exclude: ['**/node_modules/**', 'test/journeys/.*/**', 'test/faults/trials/**'],
    globalSetup: ['test/global-setup.ts'],
    reporters: ['default', './test/reporter.ts'],
    // A process per file: tests start servers, set signals and kill children.
    pool: 'forks',
    // One more than the cores: files mostly wait for sockets and the database.
    maxWorkers: Math.min(8, availableParallelism() + 1),
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
