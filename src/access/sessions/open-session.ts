import { createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';

/**
 * Opens a session for a person who has proven their identity, or whose identity the provider of an organization
 * confirms. The function is a plugin of better-auth, so that the library creates cookie, expiry and row. The plugin is
 * server-only, so that no request can reach it. Only sessions.ts calls this plugin.
 */
export const openSession = {
  id: 'open-session',
  endpoints: {
    openSession: createAuthEndpoint.serverOnly(
      {
        method: 'POST',
        metadata: { $Infer: { body: {} as { userId: string; signInOrgId: string | null; signInFactor: boolean } } },
      },
      async (ctx) => {
        const { userId, signInOrgId, signInFactor } = ctx.body;
        const { internalAdapter } = ctx.context;
        const user = await internalAdapter.findUserById(userId);
        if (!user) throw new Error('The account of this session no longer exists.');
        // With `true`, the given fields override their defaults.
        const session = await internalAdapter.createSession(userId, false, { signInOrgId, signInFactor }, true);
        await setSessionCookie(ctx, { session, user });
        return ctx.json({ token: session.token });
      },
    ),
  },
};
