import { createHash, randomBytes } from 'node:crypto';

/**
 * Recovery codes are for a person who lost their second factor. A person has ten codes. Each code is valid once and is
 * shown once. The 80 random bits of a code need no slow hash and no key, so the codes stay valid after PARLEY_SECRET
 * changes.
 */
export const RECOVERY_CODES = 10;
const CODE_BYTES = 10;
/** Crockford's base 32 in lower case has no two characters that look alike. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

export const newRecoveryCodes = (): string[] => Array.from({ length: RECOVERY_CODES }, newCode);

function newCode(): string {
  let bits = '';
  for (const byte of randomBytes(CODE_BYTES)) bits += byte.toString(2).padStart(8, '0');
  const letters = bits.match(/.{5}/g)!.map((group) => ALPHABET[Number.parseInt(group, 2)]);
  return letters.join('').match(/.{4}/g)!.join('-');
}

/**
 * Accepts the spellings that people type: capitals, spaces, o for 0, and i or l for 1. Null: the text is not a recovery
 * code.
 */
export function recoveryDigest(typed: string): Buffer | null {
  const code = typed.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return /^[0-9a-hjkmnp-tv-z]{16}$/.test(code) ? createHash('sha256').update(`recovery ${code}`).digest() : null;
}
