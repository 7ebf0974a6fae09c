import { expect, test } from 'vitest';
import { compareTools } from './compare-tools.ts';

test('a changed schema is not reported as a change of a long description that is cut at an emoji', () => {
  const chosen = { name: 'find', description: 'x'.repeat(1_023), parameters: {}, url: 'https://shop.example/mcp' };
  const approved = { ...chosen, mcp: { server: 'shop', tool: 'find', pin: 'before' } };
  const listed = {
    name: 'find',
    description: `${'x'.repeat(1_023)}😀 and more`,
    parameters: { type: 'object' },
    pin: 'now',
    fault: null,
  };
  expect(compareTools([approved], [listed])).toEqual([{ tool: 'find', pin: 'before', what: ['schema'] }]);
});
