import { type Key, open, seal, SealError } from '../../kernel/seal.ts';
import type { OidcChecks } from './oidc.ts';

/**
 * The data that a browser stores while a person is at the provider of an organization. The data is sealed, and valid
 * for ten minutes and for this host only. The cookie is Lax, because the callback is a link from another site. The
 * state can be used only once (used_sign_in).
 */
export type SignInState = { orgId: string; checks: OidcChecks; back: string };
export type StoredState = SignInState & { until: number };

export const STATE_COOKIE = '__Host-parley_sign_in';
const MINUTES = 10;
const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Lax';
const PLACE = ['cookie', STATE_COOKIE];

export const stateCookie = (sealed: string): string =>
  `${STATE_COOKIE}=${sealed}; Max-Age=${MINUTES * 60}; ${ATTRIBUTES}`;
export const CLEARED_STATE = `${STATE_COOKIE}=; Max-Age=0; ${ATTRIBUTES}`;

export const sealState = (key: Key, state: SignInState, now: number): string =>
  seal(key, JSON.stringify({ ...state, until: now + MINUTES * 60_000 } satisfies StoredState), PLACE);

/** Null: the browser sent no cookie, the cookie belongs to another server, or it has expired. */
export function readState(key: Key, cookies: string | undefined, now: number): StoredState | null {
  const [, sealed] = new RegExp(`(?:^|;\\s*)${STATE_COOKIE}=([\\w.-]+)`).exec(cookies ?? '') ?? [];
  if (sealed === undefined) return null;
  try {
    const state = JSON.parse(open(key, sealed, PLACE)) as StoredState;
    return state.until > now ? state : null;
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}
