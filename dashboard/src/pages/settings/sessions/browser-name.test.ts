import { expect, test } from 'vitest';
import { browserName } from './browser-name.ts';

test.each([
  ['parley-cli (Linux)', 'Parley command line · Linux'],
  ['parley-cli (Darwin)', 'Parley command line · macOS'],
  ['parley-cli (Windows_NT)', 'Parley command line · Windows'],
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36', 'Chrome · Linux'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1', 'Safari · iOS'],
  ['something else', null],
  [null, null],
])('the session of %s has the name %s', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name);
});
