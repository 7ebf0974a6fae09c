import { DASHBOARD_BASE } from '../contract/dashboard/routes.ts';
import { prepareInstallation } from './prepare-installation.ts';
import type { TestApp } from './app.ts';

/** Calls the dashboard's API below an organization as its signed-in first owner. */
export type Owner = {
  orgId: string;
  /** The session cookie, for calls whose body is not JSON. */
  cookie: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read its members without types
  call(call: string, body?: unknown): Promise<{ status: number; body: any }>;
};

export const OWNER = { email: 'asha@example.com', password: 'correct horse battery' };

export async function givenOwner({ db, app, secrets, url }: TestApp): Promise<Owner> {
  const { setupUrl } = await prepareInstallation({
    db,
    sessions: app.sessions,
    setupKey: secrets.setupKey,
    baseUrl: url,
    region: 'us',
    owner: null,
  });
  const token = new URL(setupUrl!).searchParams.get('token');
  const who = { name: 'Asha Rao', ...OWNER };
  const answer = await fetch(`${url}${DASHBOARD_BASE}/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, ...who, organization_name: 'Northwind' }),
  });
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0]!)
    .join('; ');
  const { organizations } = (await answer.json()) as { organizations: { id: string; name: string }[] };
  const orgId = organizations.find(({ name }) => name === 'Northwind')!.id;
  return {
    orgId,
    cookie,
    async call(line, body) {
      const [method, path] = line.split(' ') as [string, string];
      const reply = await fetch(`${url}${DASHBOARD_BASE}/organizations/${orgId}${path}`, {
        method,
        headers: { cookie, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      return { status: reply.status, body: text ? JSON.parse(text) : null };
    },
  };
}
