import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** The trials that `npm run test:faults` runs: one after another, since each needs the machine for itself. */
export default defineConfig({
  test: {
    ...base.test,
    include: ['test/faults/trials/*.test.ts'],
    exclude: [],
    maxWorkers: 1,
    // Several programs start in each, a minute or two on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
