import { expect, test, vi } from 'vitest';
import { createSignInLimit } from './sign-in-limit.ts';

test('successful sign-ins do not count, so a script may sign in for each of its commands', async () => {
  const limit = createSignInLimit({ pair: 3, subject: 3, address: 3, node: 1_000 });
  for (let n = 0; n < 50; n++) {
    await expect(limit.attempt('127.0.0.1', 'o@example.com')).resolves.toBeUndefined();
    await limit.succeeded('127.0.0.1', 'o@example.com');
  }
});

test('failed sign-ins are counted, and a refusal contains the waiting time', async () => {
  const limit = createSignInLimit({ pair: 3, subject: 10, address: 10, node: 1_000 });
  for (let n = 0; n < 3; n++) await limit.attempt('127.0.0.1', 'o@example.com');
  await expect(limit.attempt('127.0.0.1', 'O@example.com')).rejects.toMatchObject({ code: 'rate_limited' });
});

test('a refused attempt does not extend the wait, whichever limit refused it', async () => {
  vi.useFakeTimers();
  try {
    const limit = createSignInLimit({ pair: 1, subject: 1, address: 1, node: 1 });
    await limit.attempt('192.0.2.1', 'one@example.com');
    vi.advanceTimersByTime(50_000);
    for (const [address, subject] of [
      ['192.0.2.1', 'two@example.com'],
      ['192.0.2.2', 'one@example.com'],
      ['192.0.2.2', 'two@example.com'],
    ] as const)
      await expect(limit.attempt(address, subject)).rejects.toMatchObject({ code: 'rate_limited' });
    vi.advanceTimersByTime(10_001);
    await expect(limit.attempt('192.0.2.2', 'two@example.com')).resolves.toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});

test('no node counts an attempt that the shared limit refuses', async () => {
  let refusedBy: number | null = 0;
  const shared = { take: async () => ({ refusedBy, counts: [] }), giveBack: () => {}, forget: () => {} };
  const limit = createSignInLimit({ pair: 1, subject: 1, address: 1, node: 1 }, shared as never);
  await expect(limit.attempt('192.0.2.1', 'one@example.com')).rejects.toMatchObject({ code: 'rate_limited' });
  refusedBy = null;
  await expect(limit.attempt('192.0.2.1', 'one@example.com')).resolves.toBeUndefined();
});

test('guesses by strangers lock out only strangers, not a device that signed in before', async () => {
  const limit = createSignInLimit({ pair: 3, subject: 5, address: 1_000, node: 1_000 });
  for (let n = 0; n < 5; n++) await limit.attempt(`192.0.2.${n}`, 'o@example.com');
  await expect(limit.attempt('192.0.2.9', 'o@example.com')).rejects.toMatchObject({ code: 'rate_limited' });
  for (let n = 0; n < 3; n++) await limit.attempt('192.0.2.9', 'o@example.com', 'device one');
  await expect(limit.attempt('192.0.2.9', 'o@example.com', 'device one')).rejects.toMatchObject({
    code: 'rate_limited',
  });
  await limit.attempt('192.0.2.9', 'o@example.com', 'device two');
  await limit.succeeded('192.0.2.9', 'o@example.com', 'device two');
  // A known device changes nothing for strangers: they still wait.
  await expect(limit.attempt('192.0.2.10', 'o@example.com')).rejects.toMatchObject({ code: 'rate_limited' });
});

test('failed sign-ins of others at the same network address do not lock out a known device', async () => {
  const limit = createSignInLimit({ pair: 2, subject: 100, address: 3, node: 1_000 });
  for (const subject of ['a@example.com', 'b@example.com', 'c@example.com']) await limit.attempt('192.0.2.1', subject);
  await expect(limit.attempt('192.0.2.1', 'o@example.com')).rejects.toMatchObject({ code: 'rate_limited' });
  await expect(limit.attempt('192.0.2.1', 'o@example.com', 'device one')).resolves.toBeUndefined();
});

/** Attempts of one place until it is asked to wait. */
async function exhaust(attempt: (n: number) => Promise<void>): Promise<number> {
  for (let n = 0; n < 100; n++) {
    try {
      await attempt(n);
    } catch {
      return n;
    }
  }
  return 100;
}

test.each(['right', 'wrong'])(
  'one network address cannot use up the limit of the node, even with %s passwords of its own account',
  async (which) => {
    const limit = createSignInLimit({ pair: 3, subject: 10, address: 10, node: 50 });
    const many = await exhaust(async (n) => {
      // An account may have any number of devices: each sign-in without a device cookie creates one.
      const device = which === 'wrong' ? `device ${n}` : null;
      await limit.attempt('192.0.2.1', 'mallory@example.com', device);
      if (which === 'right') await limit.succeeded('192.0.2.1', 'mallory@example.com');
    });
    expect(many).toBe(10);
    await expect(limit.attempt('192.0.2.2', 'o@example.com')).resolves.toBeUndefined();
  },
);

test('strangers who use up the limit of the node do not lock out a known device', async () => {
  const limit = createSignInLimit({ pair: 1, subject: 1, address: 1, node: 10 });
  await exhaust((n) => limit.attempt(`192.0.2.${n}`, `${n}@example.com`));
  await expect(limit.attempt('198.51.100.1', 'o@example.com')).rejects.toMatchObject({ code: 'rate_limited' });
  await expect(limit.attempt('198.51.100.1', 'o@example.com', 'device one')).resolves.toBeUndefined();
});
