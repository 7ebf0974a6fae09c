import { createHash, createHmac, randomBytes } from 'node:crypto';
import { isSigned } from '../../kernel/seal.ts';

/**
 * The credential of a web chat visitor. A visitor token identifies the visitor on one channel and one site until a
 * time, and is signed by Parley. A visitor token is not stored, so a page view creates no row. A visitor token contains
 * the site, so a token that leaks to another allowed site is useless there.
 */
export type Visitor = {
  readonly channelId: string;
  /**
   * The visitor's address on the channel. The address cannot be guessed, unless the host has confirmed the visitor's
   * identity.
   */
  readonly address: string;
  readonly origin: string;
  /** The host's ID of the person, which the host has proven. */
  readonly externalId: string | null;
  /** `secretMark` of the channel's secret that proved `externalId`. The token ends with this secret of the channel. */
  readonly provenBy: string | null;
  /** The name that the page gave, without proof. The name is used for a new person, but never to find a person. */
  readonly name: string | null;
  readonly locale: string | null;
};

export type VisitorTokens = {
  issue(visitor: Visitor): { token: string; expiresAt: number };
  /** Null for any text that `issue` did not create, or created too long ago. */
  read(token: string): Visitor | null;
};

/** An anonymous visitor may continue for this time. Each visit of an anonymous visitor starts the time again. */
const ANONYMOUS_MS = 30 * 86_400_000;
/**
 * On each page, the host of an identified visitor proves which person is signed in. A person who signs out on the host
 * must not stay signed in to the chat.
 */
const IDENTIFIED_MS = 86_400_000;
const MAX_TOKEN_CHARACTERS = 4_096;
const MAC_BYTES = 32;

type Claims = Record<'c' | 'a' | 'o', string> & Record<'e' | 's' | 'n' | 'l', string | null> & { x: number };

export function createVisitorTokens(key: Buffer, now: () => number): VisitorTokens {
  return {
    issue({ channelId, address, origin, externalId, provenBy, name, locale }) {
      const expiresAt = now() + (externalId === null ? ANONYMOUS_MS : IDENTIFIED_MS);
      const person = { e: externalId, s: provenBy, n: name, l: locale };
      const claims: Claims = { c: channelId, a: address, o: origin, ...person, x: expiresAt };
      const text = Buffer.from(JSON.stringify(claims));
      return { token: Buffer.concat([sign(key, text), text]).toString('base64url'), expiresAt };
    },
    read(token) {
      if (token.length > MAX_TOKEN_CHARACTERS || !/^[\w-]+$/.test(token)) return null;
      const bytes = Buffer.from(token, 'base64url');
      const text = bytes.subarray(MAC_BYTES);
      if (text.length === 0 || !isSigned(key, bytes.subarray(0, MAC_BYTES), (one) => sign(one, text))) return null;
      const { c, a, o, e, s, n, l, x } = JSON.parse(text.toString('utf8')) as Claims;
      if (x <= now()) return null;
      return { channelId: c, address: a, origin: o, externalId: e, provenBy: s, name: n, locale: l };
    },
  };
}

/** Identifies a channel's secret in a token without revealing the secret. */
export const secretMark = (secret: string): string =>
  createHash('sha256').update('visitor\n').update(secret).digest('base64url');

/** With 128 random bits, no one can guess the address without the token. */
export const newVisitorAddress = (): string => `visitor_${randomBytes(16).toString('base64url')}`;

const sign = (one: Buffer, text: Buffer): Buffer => createHmac('sha256', one).update('visitor\n').update(text).digest();
