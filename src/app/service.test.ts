import { expect, test } from 'vitest';
import { startAll, stopAll } from './service.ts';

test('services start one after another, and stop in reverse order', async () => {
  const seen: string[] = [];
  const service = (name: string) => ({
    start: async () => {
      await Promise.resolve();
      seen.push(`start ${name}`);
    },
    stop: async () => {
      await Promise.resolve();
      seen.push(`stop ${name}`);
    },
  });
  const services = [service('database'), {}, service('server')];
  await startAll(services);
  await stopAll(services);
  expect(seen).toEqual(['start database', 'start server', 'stop server', 'stop database']);
});
