import { expect, test } from 'vitest';
import { attack } from './attack.ts';

/** Short forms; `npm run attack` runs for any length of time. */
const SEED = 'harbour';

for (const { ms, tags } of [
  { ms: 8_000, tags: [] },
  { ms: 40_000, tags: ['long'] },
])
  test(
    `attackers of every kind stop no one, break nothing and see no secret in ${ms / 1_000} s`,
    { tags, timeout: 300_000 },
    async () => {
      const { finding, statuses } = await attack({ seed: SEED, ms });
      expect(finding).toBeNull();
      // Most requests reached their target, and the rest was refused for its form.
      for (const status of [200, 201, 401, 403, 404, 422]) expect(statuses).toHaveProperty(String(status));
    },
  );
