import { describe, expect, it } from 'vitest';
import { isCommonPassword } from './common-password.ts';

const OWN = ['asha.rao@example.qa', 'Asha Rao'];

describe('a password that is easy to guess', () => {
  it.each([
    'password123',
    'PASSWORD123',
    'qwertyuiop',
    '1234567890',
    '0987654321',
    '12345678901234',
    'abcdefghijkl',
    'aaaaaaaaaaaa',
    'abcabcabcabc',
    'dragondragon',
    'Dragon2024!!',
    '!!sunshine99',
    'asha.rao@example.qa',
    'AshaRao2024!',
    'asharao12345678',
    'parley2024!!',
    'Parley-Parley-1',
  ])('%s is refused', async (password) => {
    expect(await isCommonPassword(password, OWN)).toBe(true);
  });
});

describe('a password that is hard to guess', () => {
  it.each([
    'correct horse battery',
    'changed by hand',
    'xk4#vP9q!rT2',
    'asha likes green tea',
    'كلمة سر طويلة جدا',
    '8472619385 61',
    'sunshine84726193857',
  ])('%s is accepted', async (password) => {
    expect(await isCommonPassword(password, OWN)).toBe(false);
  });
});
