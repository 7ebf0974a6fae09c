/** The constants of sessions are in a separate file, because create-auth.ts loads the whole library of sessions. */
export const SESSION_COOKIE = '__Host-parley_session';

/**
 * The header for the client's address, as Fastify determined it, because better-auth must not read forwarded headers.
 */
export const ADDRESS_HEADER = 'x-parley-address';

export const MIN_PASSWORD_CHARACTERS = 10;
export const MAX_PASSWORD_CHARACTERS = 128;
