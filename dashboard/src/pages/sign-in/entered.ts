import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { SessionView } from '../../../../contract/dashboard/sign-in.ts';
import { rememberAs } from '../../preferences.ts';
import { sessionOptions } from '../../session/session.ts';

/** Signed in: the session is known at once, and one is back where one was. */
export function useEntered() {
  const client = useQueryClient();
  const router = useRouter();
  return async (session: SessionView, back?: string): Promise<void> => {
    client.clear();
    client.setQueryData(sessionOptions.queryKey, session);
    rememberAs(session.user.id);
    await router.invalidate();
    await router.navigate({ href: isOwnPath(back) ? back : '/', replace: true });
  };
}

/** Never to another site, whatever the address says. */
export const isOwnPath = (path: string | undefined): path is string =>
  path !== undefined && /^\/(?![/\\])/.test(path) && !path.startsWith('/sign-in');
