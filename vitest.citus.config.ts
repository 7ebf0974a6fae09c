import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** The tests on a Citus cluster, which `npm run test:citus` runs. */
export default defineConfig({
  test: {
    ...base.test,
    include: ['test/citus/*.citus.ts'],
    // Each file starts its own cluster.
    globalSetup: [],
    setupFiles: [],
    maxWorkers: 1,
    testTimeout: 300_000,
  },
});
