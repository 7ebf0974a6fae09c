import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Time-based one-time passwords (RFC 6238), compatible with all authenticator apps, with SHA-1, six digits, and a new
 * code every 30 seconds. The previous and the next step are also accepted, because clocks differ. A code is valid once.
 * The caller stores the step of the last code, and older or equal steps are refused.
 */
const STEP_SECONDS = 30;
const DIGITS = 6;
const DRIFT_STEPS = 1;
/** The secret has the length of the hash (RFC 4226, 4). */
export const TOTP_SECRET_BYTES = 20;

/** Returns the step of a correct code. Null: the code is wrong, or its step is not later than `lastStep`. */
export function acceptedStep(secret: Buffer, code: string, now: Date, lastStep: number): number | null {
  const current = Math.floor(now.getTime() / 1_000 / STEP_SECONDS);
  const given = Buffer.from(code);
  let accepted: number | null = null;
  for (let step = current - DRIFT_STEPS; step <= current + DRIFT_STEPS; step += 1) {
    const right = Buffer.from(codeAt(secret, step));
    if (given.length === right.length && timingSafeEqual(given, right) && step > lastStep) accepted ??= step;
  }
  return accepted;
}

/** Computes the code for a step (RFC 4226, 5.3). */
export function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = mac.at(-1)! & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, '0');
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The text is base 32 without padding (RFC 4648, 6), which is the form that people type into an app. */
export function base32(bytes: Uint8Array): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => BASE32[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
}

/**
 * The content of the QR code for an authenticator app. The name of the account contains installation and address, so
 * that a person can distinguish two accounts.
 */
export function totpUri(secret: Buffer, issuer: string, email: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
