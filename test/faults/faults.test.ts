import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRandom } from './random.ts';
import type { Region } from './region.ts';
import { bugs, crashes, findings, hunt, impatientRegion, scenarioNamed } from './suite.ts';

/**
 * The short form of the fault suite: real processes, real faults, a few of each kind. `npm run test:faults` is all of
 * them, again and again (docs/testing-faults.md). PARLEY_FAULT_SEED repeats what chance chose.
 */
const seed = process.env.PARLEY_FAULT_SEED ?? String(Math.floor(Math.random() * 1_000_000));
const random = createRandom(seed);
const SOME = [
  'pause-long',
  'pause-in-revoke',
  'kill-node',
  'late-statement',
  'late-fill',
  'answers-lost',
  'cut-reset',
  'restart-immediate',
  'same-key',
  'cancel-in-turn',
];
const CRASHES = random.shuffle(crashes()).slice(0, 2);
const BUGS = random.shuffle(bugs).slice(0, 2);
/** Only for one that never ends; the times that are promised are asserted in it. */
const TRIAL_MS = 300_000;

let region: Region;
beforeAll(async () => {
  console.log(`PARLEY_FAULT_SEED=${seed}`);
  region = await impatientRegion();
}, TRIAL_MS);
afterAll(() => region?.close());

describe('three nodes and two workers under load keep every promise', () => {
  for (const { name, expects, ...scenario } of [...SOME.map(scenarioNamed), ...CRASHES]) {
    test(
      `${name}: ${expects}`,
      async () => {
        expect(await findings(region, { name, expects, ...scenario }, seed)).toEqual([]);
      },
      TRIAL_MS,
    );
  }
});

describe('a planted bug is found', () => {
  test.each(BUGS)(
    '$name',
    async (bug) => {
      expect(await hunt(bug, seed)).toMatchObject({ found: true });
    },
    TRIAL_MS * 2,
  );
});
