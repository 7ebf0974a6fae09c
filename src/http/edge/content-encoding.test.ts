import { expect, it } from 'vitest';
import { contentEncoding } from './content-encoding.ts';

it.each([
  ['gzip, deflate, br', 'br'],
  ['br;q=0.1, GZIP', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0.000, gzip ; q=0', null],
  ['gzip;q=0.001', 'gzip'],
  ['x-gzip, brotli', null],
  ['*', null],
  ['', null],
  [undefined, null],
])('a client that accepts %j gets the file with the encoding %j', (accepted, encoding) =>
  expect(contentEncoding(accepted)).toBe(encoding),
);
