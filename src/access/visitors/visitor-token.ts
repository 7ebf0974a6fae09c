import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * What a visitor of a web chat shows instead of a password: who they are on one channel and one site, until when, signed
 * by us. Nothing is stored for it, so a page that is only looked at leaves no row. The site is part of it: a token that
 * leaks to another allowed site is of no use there.
 */
export type Visitor = {
  readonly channelId: string;
  /** Where the visitor is reached on the channel; unguessable unless the host has vouched for who it is. */
  readonly address: string;
  readonly origin: string;
  /** The host's id of the person, proven by the host. */
  readonly externalId: string | null;
  /** What the page says, unproven: used for a person who is new, never to find one. */
  readonly name: string | null;
  readonly locale: string | null;
};

export type VisitorTokens = {
  issue(visitor: Visitor): { token: string; expiresAt: number };
  /** Null for everything that `issue` did not make, or made too long ago. */
  read(token: string): Visitor | null;
};

/** A returning visitor goes on talking for so long; each visit begins the time anew. */
const ANONYMOUS_MS = 30 * 86_400_000;
/** The host proves again with each page who is signed in; somebody who signs out must not stay signed in here. */
const IDENTIFIED_MS = 86_400_000;
const MAX_TOKEN_CHARACTERS = 4_096;
const MAC_BYTES = 32;

type Claims = { c: string; a: string; o: string; e: string | null; n: string | null; l: string | null; x: number };

export function createVisitorTokens(key: Buffer, now: () => number): VisitorTokens {
  const sign = (text: Buffer): Buffer => createHmac('sha256', key).update('visitor\n').update(text).digest();
  return {
    issue({ channelId, address, origin, externalId, name, locale }) {
      const expiresAt = now() + (externalId === null ? ANONYMOUS_MS : IDENTIFIED_MS);
      const claims: Claims = { c: channelId, a: address, o: origin, e: externalId, n: name, l: locale, x: expiresAt };
      const text = Buffer.from(JSON.stringify(claims));
      return { token: Buffer.concat([sign(text), text]).toString('base64url'), expiresAt };
    },
    read(token) {
      if (token.length > MAX_TOKEN_CHARACTERS || !/^[\w-]+$/.test(token)) return null;
      const bytes = Buffer.from(token, 'base64url');
      const text = bytes.subarray(MAC_BYTES);
      if (text.length === 0 || !timingSafeEqual(bytes.subarray(0, MAC_BYTES), sign(text))) return null;
      const { c, a, o, e, n, l, x } = JSON.parse(text.toString('utf8')) as Claims;
      if (x <= now()) return null;
      return { channelId: c, address: a, origin: o, externalId: e, name: n, locale: l };
    },
  };
}

/** 128 random bits: who does not hold the token finds nobody. */
export const newVisitorAddress = (): string => `visitor_${randomBytes(16).toString('base64url')}`;
