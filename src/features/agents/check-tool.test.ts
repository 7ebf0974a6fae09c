import { expect, test } from 'vitest';
import { toolFaults } from './check-tool.ts';

test.each(['hand_off_to_human', 'search_knowledge'])('a tool cannot take the reserved name "%s"', (name) => {
  const tool = { name, description: 'Looks up.', parameters: { type: 'object' }, url: 'https://shop.test/look' };
  expect(toolFaults(tool)).toMatchObject([{ pointer: '/name', code: 'conflict' }]);
  expect(toolFaults({ ...tool, name: 'look_up' })).toEqual([]);
});
