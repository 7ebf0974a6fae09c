import { expect, test } from 'vitest';
import { Pages } from './pages.ts';

test('a page that cannot be created is created on the next request', async () => {
  let requests = 0;
  const allRoutes = () => {
    if (++requests === 1) throw new Error('too many open files');
    return [];
  };
  const pages = new Pages({ baseUrl: 'https://parley.example', region: 'us', version: '1.0.0', allRoutes });
  await expect(pages.html('/docs')).rejects.toThrow('too many open files');
  expect(await pages.html('/docs')).toContain('<h1>Parley API reference</h1>');
});
