import { expect, test } from 'vitest';
import { attack } from './attack.ts';

/** The short form; `npm run attack` goes on for as long as one likes. */
const SEED = 'harbour';
const ATTACKED_MS = 40_000;

test('attackers of every kind stop nobody, break nothing and see no secret', async () => {
  const { finding, statuses } = await attack({ seed: SEED, ms: ATTACKED_MS });
  expect(finding).toBeNull();
  // Most of it got through to what it was meant for, and the rest was refused for its form.
  for (const status of [200, 201, 401, 403, 404, 422]) expect(statuses).toHaveProperty(String(status));
}, 300_000);
