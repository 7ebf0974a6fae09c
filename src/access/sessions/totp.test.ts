import { Secret, TOTP, URI } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { acceptedStep, base32, codeAt, totpUri } from './totp.ts';

const SECRET = Buffer.from('12345678901234567890');
const at = (seconds: number): Date => new Date(seconds * 1_000);

describe('a code', () => {
  // RFC 6238, appendix B, the last six of its eight digits.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('the code for second %i equals that of the standard', (seconds, code) => {
    expect(codeAt(SECRET, Math.floor(seconds / 30))).toBe(code);
    expect(acceptedStep(SECRET, code, at(seconds), 0)).toBe(Math.floor(seconds / 30));
  });

  it('a code is accepted one step early or late, but not further', () => {
    const code = codeAt(SECRET, 100);
    const accepted = [98, 99, 100, 101, 102].map((step) => acceptedStep(SECRET, code, at(step * 30 + 15), 0));
    expect(accepted).toEqual([null, 100, 100, 100, null]);
  });

  it('a code is accepted once, and older codes are refused after that', () => {
    expect(acceptedStep(SECRET, codeAt(SECRET, 100), at(3_000), 100)).toBeNull();
    expect(acceptedStep(SECRET, codeAt(SECRET, 99), at(3_000), 100)).toBeNull();
    expect(acceptedStep(SECRET, codeAt(SECRET, 101), at(3_000), 100)).toBe(101);
  });

  it.each(['', '12345', '1234567', 'abcdef', '２８７０８２'])('"%s" is invalid', (code) => {
    expect(acceptedStep(SECRET, code, at(59), 0)).toBeNull();
  });
});

describe('the QR code', () => {
  it('other authenticator apps read the QR code and then show the right codes', () => {
    const app = URI.parse(totpUri(SECRET, 'Parley', 'asha+1@example.qa'));
    expect(app).toBeInstanceOf(TOTP);
    expect(app).toMatchObject({ issuer: 'Parley', label: 'asha+1@example.qa' });
    expect((app as TOTP).generate({ timestamp: 3_000_000 })).toBe(codeAt(SECRET, 100));
    expect(Buffer.from(Secret.fromBase32(base32(SECRET)).bytes)).toEqual(SECRET);
  });
});
