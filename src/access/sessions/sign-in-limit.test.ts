import { expect, test } from 'vitest';
import { createSignInLimit } from './sign-in-limit.ts';

test('sign-ins that succeed are no guesses: a script may sign in for each of its commands', async () => {
  const limit = createSignInLimit({ pair: 3, subject: 3, address: 3, node: 1_000 });
  for (let n = 0; n < 50; n++) {
    await expect(limit.attempt('127.0.0.1', 'o@example.com')).resolves.toBeUndefined();
    await limit.succeeded('127.0.0.1', 'o@example.com');
  }
});

test('failures are counted, and refused with the wait', async () => {
  const limit = createSignInLimit({ pair: 3, subject: 10, address: 10, node: 1_000 });
  for (let n = 0; n < 3; n++) await limit.attempt('127.0.0.1', 'o@example.com');
  await expect(limit.attempt('127.0.0.1', 'O@example.com')).rejects.toMatchObject({ code: 'rate_limited' });
});
