import { expect, it } from 'vitest';
import { type AllowList, parseAllow } from './allow-list.ts';
import { judgePort, type Service } from './ports.ts';

const allowing = (list: string): AllowList => {
  const parsed = parseAllow(list);
  if ('fault' in parsed) throw new Error(parsed.fault);
  return parsed.ok;
};
const may = (service: Service, name: string, port: number, list = ''): boolean => {
  try {
    judgePort(service, name, port, allowing(list));
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'egress_refused', message: expect.stringContaining(String(port)) });
    return false;
  }
};

it.each([0, 22, 25, 53, 445, 587, 3306, 5432, 6379, 9042, 27017])('no URL may name port %i', (port) => {
  expect(may('http', 'x.example', port)).toBe(false);
});

it.each([80, 443, 3000, 4000, 8080, 8443, 11434])('a URL may name port %i', (port) => {
  expect(may('http', 'x.example', port)).toBe(true);
});

it('mail may use the ports of mail only', () => {
  expect([25, 465, 587, 2525].every((port) => may('mail', 'x.example', port))).toBe(true);
  expect([22, 80, 443, 1025, 5432, 6379].some((port) => may('mail', 'x.example', port))).toBe(false);
});

it('mail to an allowed host may use any port that belongs to no other protocol', () => {
  expect(may('mail', 'mail.internal', 1025, 'mail.internal')).toBe(true);
  expect(may('mail', '10.1.2.3', 1025, '10.0.0.0/8')).toBe(true);
  expect(may('mail', '10.1.2.3', 6379, '10.0.0.0/8')).toBe(false);
});

it('an entry of the allow list with exactly this port permits it, and an entry without a port does not', () => {
  expect(may('http', '10.0.0.1', 5432, '10.0.0.0/8, x.example')).toBe(false);
  expect(may('http', 'x.example', 5432, 'x.example')).toBe(false);
  expect(may('http', 'x.example', 5432, 'x.example:5432')).toBe(true);
  expect(may('http', 'X.example.', 5432, 'x.example:5432')).toBe(true);
  expect(may('http', '[::1]', 6379, '[::1]:6379')).toBe(true);
  expect(may('http', 'x.example', 6379, 'x.example:5432')).toBe(false);
});
