/** These constants are not in create-auth.ts, because that file loads the whole library of sessions. */
export const SESSION_COOKIE = '__Host-parley_session';

/** The client's address, as Fastify determined it, because better-auth must not read forwarded headers itself. */
export const ADDRESS_HEADER = 'x-parley-address';

export const MIN_PASSWORD_CHARACTERS = 10;
export const MAX_PASSWORD_CHARACTERS = 128;
