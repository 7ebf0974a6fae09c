import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { SessionView } from '../../../../contract/dashboard/sign-in.ts';
import { rememberAs } from '../../preferences.ts';
import { chooseOrganization, sessionOptions } from '../../session/session.ts';

/**
 * After sign-in, the session is known immediately. The user returns to the previous page, or to the organization that
 * they joined.
 */
export function useEnter() {
  const client = useQueryClient();
  const router = useRouter();
  return async (session: SessionView, back?: string, joined?: string): Promise<void> => {
    client.clear();
    client.setQueryData(sessionOptions.queryKey, session);
    rememberAs(session.user.id, session.organizations[0]?.id);
    const place = session.organizations.find(({ name }) => name === joined);
    if (place) chooseOrganization(place.id);
    await router.invalidate();
    await router.navigate({ href: isOwnPath(back) ? back : '/', replace: true });
  };
}

/** True if the path stays on this site, whatever the URL contains. Browsers remove tabs and line breaks from a URL. */
export function isOwnPath(path: string | undefined): path is string {
  if (path === undefined || !/^\/(?![/\\])/.test(path) || path.startsWith('/sign-in')) return false;
  return URL.parse(path, window.location.origin)?.origin === window.location.origin;
}
