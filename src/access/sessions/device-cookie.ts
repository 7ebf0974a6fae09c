import { createHmac, randomBytes } from 'node:crypto';
import { isSigned, type Key } from '../../kernel/seal.ts';

/**
 * A device cookie marks a browser in which a person has signed in before, so that strangers who guess a password do not
 * lock the owner out (OWASP, "Device cookies"). A device cookie is not a session and grants nothing. A known device has
 * a separate limit of wrong passwords, for the accounts that signed in on this device. Each part is a random device
 * name with a signature over name and address, so the cookie does not reveal the accounts.
 */
export const DEVICE_COOKIE = '__Host-parley_device';

/** Maximum number of accounts in one browser. Above this number, the oldest account is dropped. */
const MAX_ACCOUNTS = 4;
/** The longest lifetime of a cookie that browsers allow. */
const MAX_AGE_SECONDS = 400 * 86_400;
const NAME_BYTES = 16;
const PART = /^[\w-]{22}\.[\w-]{43}$/;

export type DeviceCookies = {
  /** The name of a device on which this account has signed in. Null: the account has not signed in on this device. */
  deviceOf(cookie: string | undefined, email: string): string | null;
  /** The cookie to set after a sign-in. Null: the device is already known, so the browser's cookie stays. */
  remember(cookie: string | undefined, email: string): string | null;
};

export function createDeviceCookies(key: Key): DeviceCookies {
  const isOf = (part: string, email: string): boolean => {
    const [name, signature] = part.split('.') as [string, string];
    const given = Buffer.from(signature, 'base64url');
    return isSigned(key, given, (one) => sign(one, name, email));
  };
  const partOf = (parts: readonly string[], email: string): string | undefined =>
    parts.find((part) => isOf(part, email));

  return {
    deviceOf: (cookie, email) => partOf(partsOf(cookie), email)?.split('.')[0] ?? null,
    remember(cookie, email) {
      const parts = partsOf(cookie);
      if (partOf(parts, email) !== undefined) return null;
      const name = randomBytes(NAME_BYTES).toString('base64url');
      const value = [`${name}.${sign(key, name, email).toString('base64url')}`, ...parts]
        .slice(0, MAX_ACCOUNTS)
        .join('~');
      return `${DEVICE_COOKIE}=${value}; Max-Age=${MAX_AGE_SECONDS}; Path=/; HttpOnly; Secure; SameSite=Lax`;
    },
  };
}

function partsOf(cookie: string | undefined): string[] {
  const pair = cookie?.split(/; */).find((one) => one.startsWith(`${DEVICE_COOKIE}=`));
  const parts = pair?.slice(DEVICE_COOKIE.length + 1).split('~') ?? [];
  return parts.filter((part) => PART.test(part)).slice(0, MAX_ACCOUNTS);
}

const sign = (one: Buffer, name: string, email: string): Buffer =>
  createHmac('sha256', one).update(`device ${name} ${email.toLowerCase()}`).digest();
