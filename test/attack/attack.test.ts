import { expect, test } from 'vitest';
import { attack } from './attack.ts';

/** The short form; `npm run attack` runs for any length of time. */
const SEED = 'harbour';
const ATTACKED_MS = 40_000;

test('attackers of every kind stop no one, break nothing and see no secret', async () => {
  const { finding, statuses } = await attack({ seed: SEED, ms: ATTACKED_MS });
  expect(finding).toBeNull();
  // Most requests reached their target, and the rest was refused for its form.
  for (const status of [200, 201, 401, 403, 404, 422]) expect(statuses).toHaveProperty(String(status));
}, 300_000);
