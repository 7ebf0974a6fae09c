import { expect, test } from 'vitest';
import { attack } from './attack.ts';

/** A short form; `npm run attack` runs for any length of time. */
const SEED = 'harbour';
const MS = 40_000;

test(
  'attackers of every kind cannot stop or break the server, or see a secret',
  { tags: ['long'], timeout: 300_000 },
  async () => {
    const { finding, statuses } = await attack({ seed: SEED, ms: MS });
    expect(finding).toBeNull();
    // Most requests reached their route, and the rest was refused because of its form.
    for (const status of [200, 201, 401, 403, 404, 422]) expect(statuses).toHaveProperty(String(status));
  },
);
