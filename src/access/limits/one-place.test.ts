import { describe, expect, test } from 'vitest';
import { createLeakReportLimit } from './leak-report-limit.ts';
import { countedPlace } from '../api-keys/networks.ts';
import { createMailLimit } from '../sessions/mail-limit.ts';
import { createSignInLimit } from '../sessions/sign-in-limit.ts';
import { createVisitorLimit } from '../visitors/visitor-limit.ts';

/** Every household has 2^64 IPv6 addresses: a limit that counts whole addresses has no effect. */
const one = { address: 1, all: 1_000 };
const few = { visitor: 1_000, address: 1, channel: 1_000 };

/** Each rate limit by network address, with room for one call from each place. */
const LIMITS: Record<string, () => (address: string, n: number) => Promise<void>> = {
  'signing in': () => {
    const limit = createSignInLimit({ pair: 1_000, subject: 1_000, address: 1, node: 1_000 });
    return (address, n) => limit.attempt(address, `${n}@example.com`);
  },
  'one account from one place': () => {
    const limit = createSignInLimit({ pair: 1, subject: 1_000, address: 1_000, node: 1_000 });
    return (address) => limit.attempt(address, 'o@example.com');
  },
  'mail to strangers': () => {
    const limit = createMailLimit({ recipient: 1_000, sender: 1 });
    return (address, n) => limit.take(address, `${n}@example.com`);
  },
  'reports of leaked keys': () => {
    const limit = createLeakReportLimit({ signed: one, unsigned: one });
    return (address) => limit.take('unsigned', address);
  },
  'visitors of a web chat': () => {
    const limit = createVisitorLimit({ open: few, say: few, send_file: few, look: few });
    return (address) => limit.take('say', { address, channelId: 'channel_1', visitor: null });
  },
};

describe.each(Object.keys(LIMITS))('%s', (name) => {
  test('an IPv6 network counts as one place', async () => {
    const call = LIMITS[name]!();
    await call('2001:db8:1:2::1', 1);
    await expect(call('2001:db8:1:2:ffff::9', 2)).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(call('2001:db8:1:3::1', 3)).resolves.toBeUndefined();
  });

  test('an IPv4 address counts as one place, in any spelling', async () => {
    const call = LIMITS[name]!();
    await call('192.0.2.1', 1);
    await expect(call('::ffff:192.0.2.1', 2)).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(call('192.0.2.2', 3)).resolves.toBeUndefined();
  });
});

test('a text that is not an address counts as one place, without a change', () => {
  expect(countedPlace('user_1')).toBe('user_1');
  expect(countedPlace('')).toBe('');
});
