import { existsSync } from 'node:fs';

const FOUND = [
  process.env['TEST_CHROMIUM'],
  ...['chromium-headless-shell', 'chromium', 'google-chrome'].map((name) => `/usr/bin/${name}`),
];
/** The browser of tests and of benchmarks. Undefined if the system has no browser. */
export const CHROMIUM = FOUND.find((file) => file && existsSync(file));
