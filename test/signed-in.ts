import { prepareInstallation } from './prepare-installation.ts';
import type { Answer, TestApp } from './app.ts';

/** Calls the dashboard's API with "METHOD /path" below its base, and with the session of the person. */
export type SignedIn = (call: string, body?: unknown) => Promise<Answer>;

/** Signs in the first owner of a test app. The field `orgId` is the paid organization. */
export async function signedInOwner(app: TestApp): Promise<{ call: SignedIn; orgId: string; cookie: string }> {
  const { setupUrl } = await prepareInstallation({
    db: app.db,
    sessions: app.app.sessions,
    setupKey: app.secrets.setupKey,
    baseUrl: app.url,
    region: 'us',
    owner: null,
  });
  const token = new URL(setupUrl!).searchParams.get('token');
  const owner = { token, name: 'Asha', email: 'asha@example.com', password: 'correct horse battery' };
  const body = { ...owner, organization_name: 'Mine' };
  const made = await app.call('POST', '/dashboard/api/setup', { body });
  const cookie = made.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0]!)
    .join('; ');
  return { orgId: made.body.organizations[0].id, cookie, call: callWith(app, cookie) };
}

export const callWith =
  (app: TestApp, cookie: string): SignedIn =>
  (call, body) => {
    const [method, path] = call.split(' ') as [string, string];
    return app.call(method, `/dashboard/api${path}`, { headers: { cookie }, ...(body !== undefined && { body }) });
  };
