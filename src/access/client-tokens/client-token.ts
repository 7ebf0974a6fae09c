import { createHash } from 'node:crypto';
import { isRegion, type Region } from '../../../contract/regions.ts';
import type { EndUserInput } from '../../../contract/triggers.ts';
import { type Key, open, seal } from '../../kernel/seal.ts';
import type { ClientCaller } from '../types.ts';

/**
 * A client token lets a web page call one trigger as one end user (docs/client-tokens.md). A client token is the sealed
 * list of its rights, so it needs no row, cannot be altered, and shows the page nothing about the person. A client
 * token is worth nothing without its key: the key is looked up on every call, like the key of a backend
 * (docs/adr/0109).
 */
export type ClientToken = {
  readonly keyId: string;
  readonly orgId: string;
  readonly agentId: string;
  readonly triggerId: string;
  readonly endUser: EndUserInput;
  readonly conversationKey: string | null;
  readonly origins: readonly string[];
  /** The expiry of the token, in milliseconds of the wall clock. */
  readonly expiresAt: number;
};

export type ClientTokens = {
  issue(token: ClientToken): string;
  /** Null for any text that the method `issue` did not create. The token may have expired. */
  read(value: string): ClientToken | null;
};

const HEAD = 'parley_client_';
const SHAPE = /^parley_client_([a-z]{2})_([\w-]+)$/;
const SEALED = 'v1.';
const PURPOSE = ['client token'];

type Claims = Record<'k' | 'o' | 'a' | 't', string> & { e: EndUserInput; c: string | null; s: string[]; x: number };

export function createClientTokens(key: Key, region: Region): ClientTokens {
  return {
    issue({ keyId, orgId, agentId, triggerId, endUser, conversationKey, origins, expiresAt }) {
      const claims: Claims = {
        k: keyId,
        o: orgId,
        a: agentId,
        t: triggerId,
        e: endUser,
        c: conversationKey,
        s: [...origins],
        x: expiresAt,
      };
      return `${HEAD}${region}_${seal(key, JSON.stringify(claims), PURPOSE).slice(SEALED.length)}`;
    },
    read(value) {
      const [, from, text] = SHAPE.exec(value) ?? [];
      // The region is not sealed, so a token with another region is a changed token.
      const opened = text === undefined || from !== region ? null : opens(key, SEALED + text);
      if (opened === null) return null;
      const { k, o, a, t, e, c, s, x } = JSON.parse(opened) as Claims;
      const ids = { keyId: k, orgId: o, agentId: a, triggerId: t };
      return { ...ids, endUser: e, conversationKey: c, origins: s, expiresAt: x };
    },
  };
}

function opens(key: Key, sealed: string): string | null {
  try {
    return open(key, sealed, PURPOSE);
  } catch {
    return null;
  }
}

export const isClientTokenLike = (value: string): boolean => value.startsWith(HEAD);

/** The region of a value that has the form of a client token. Null: the value has another form. */
export function clientTokenRegion(value: string): Region | null {
  const region = SHAPE.exec(value)?.[1];
  return region !== undefined && isRegion(region) ? region : null;
}

/** Returns the caller that the token identifies, if the page has this `origin`. */
export const clientCallerOf = (token: ClientToken, origin: string | undefined): ClientCaller => ({
  agentId: token.agentId,
  triggerId: token.triggerId,
  endUser: token.endUser,
  conversationKey: token.conversationKey,
  isFromOwnPage: origin !== undefined && token.origins.includes(origin),
  mark: markOf(token),
});

/**
 * Names the conversations that tokens of one key start for one person. The conversation stores the mark, so that the
 * next token for the same person can continue. The mark covers the identifier by which a call finds the person.
 */
function markOf({ keyId, endUser }: ClientToken): string {
  const { id, external_id: externalId, email, phone } = endUser;
  const person = id ?? externalId ?? email ?? phone ?? '';
  const kind = id ? 'id' : externalId ? 'external_id' : email ? 'email' : 'phone';
  return createHash('sha256')
    .update(JSON.stringify([keyId, kind, person]))
    .digest('base64url')
    .slice(0, 22);
}
