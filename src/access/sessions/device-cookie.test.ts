import { describe, expect, it } from 'vitest';
import { deriveKey } from '../../kernel/seal.ts';
import { createDeviceCookies, DEVICE_COOKIE } from './device-cookie.ts';

const devices = createDeviceCookies(deriveKey('of this installation', 'device cookie'));
const cookieOf = (setCookie: string | null): string => setCookie!.split(';')[0]!;
const EMAIL = 'asha@example.qa';

describe('a device', () => {
  it('a device is recognized only for the account that signed in on it', () => {
    const cookie = cookieOf(devices.remember(undefined, EMAIL));
    expect(devices.deviceOf(cookie, 'ASHA@example.qa')).toMatch(/^[\w-]{22}$/);
    expect(devices.deviceOf(cookie, 'omar@example.qa')).toBeNull();
    expect(devices.remember(cookie, EMAIL)).toBeNull();
    expect(cookie).not.toContain('asha');
  });

  it('a device is recognized for the last four accounts', () => {
    let cookie: string | undefined;
    const emails = [1, 2, 3, 4, 5].map((n) => `a${n}@example.qa`);
    for (const email of emails) cookie = cookieOf(devices.remember(cookie, email));
    expect(emails.map((email) => devices.deviceOf(`x=y; ${cookie}; z=1`, email) !== null)).toEqual([
      false, true, true, true, true,
    ]); // prettier-ignore
  });

  it('a changed, foreign or missing cookie is not recognized', () => {
    const cookie = cookieOf(devices.remember(undefined, EMAIL));
    const elsewhere = createDeviceCookies(deriveKey('of another', 'device cookie'));
    const bad = [
      undefined,
      '',
      `${DEVICE_COOKIE}=`,
      cookieOf(elsewhere.remember(undefined, EMAIL)),
      cookie.replace(/=./, cookie.includes('=A') ? '=B' : '=A'),
      `${cookie}x`,
      `${DEVICE_COOKIE}=${'~'.repeat(5_000)}`,
      cookie.replace('__Host-', ''),
    ];
    for (const one of bad) expect(devices.deviceOf(one, EMAIL)).toBeNull();
  });
});
