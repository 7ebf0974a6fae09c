import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { WIRE, wireTypes } from '../../scripts/sdk-types.ts';

test('the types of the client library match the API description (node scripts/sdk-types.ts writes them)', async () => {
  expect(await wireTypes()).toBe(readFileSync(WIRE, 'utf8'));
});
