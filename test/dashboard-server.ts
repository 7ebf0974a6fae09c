import { randomBytes } from 'node:crypto';
import { DASHBOARD_BASE } from '../contract/dashboard/routes.ts';
import type { Access } from '../src/access/access.ts';
import { SESSION_COOKIE } from '../src/access/sessions/session-constants.ts';
import { prepareInstallation } from './prepare-installation.ts';
import { createSessions } from '../src/access/sessions/sessions.ts';
import { createSignInLimit, type SignInLimits } from '../src/access/sessions/sign-in-limit.ts';
import { createTokenGate } from '../src/access/tokens/token-gate.ts';
import { openRooms } from '../src/app/open-rooms.ts';
import { startAll, stopAll } from '../src/app/service.ts';
import { loadConfig } from '../src/config/config.ts';
import type { Secrets } from '../src/config/secrets.ts';
import { dashboardRoutes } from '../src/http/dashboard/routes.ts';
import { createPaging } from '../src/http/route/paging.ts';
import { createLogger } from '../src/kernel/log.ts';
import type { LookUpTxt } from '../src/kernel/txt-records.ts';
import { type Db, openDb } from '../src/store/db.ts';
import { createQueueMail } from '../src/store/mail.ts';
import { startHttpServer } from './http-server.ts';
import { createTestDatabase } from './postgres.ts';

/** Starts the dashboard's API on a real socket and a real database, without a worker. */
export type DashboardServer = {
  url: string;
  db: Db;
  access: Access;
  setupToken: string;
  secrets: Secrets;
  as(cookie: string | null): Client;
  stop(): Promise<void>;
};

export type Answer = { status: number; body: any; headers: Headers; cookie: string | null }; // oxlint-disable-line typescript/no-explicit-any
export type Client = (call: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

export const PASSWORD = 'correct horse battery';
const SECRET = 'k3Jx9vQm2TzLr8WcYp5NbHs7DgFa4EuXo1Ri6';
const BASE_URL = 'https://us.parley.example';

/** All tests share one address, which may use a fifth of the node's limit. */
const PLENTY: SignInLimits = { pair: 1_000, subject: 1_000, address: 10_000, node: 50_000 };

export async function startDashboard(
  options: { egressAllow?: string[]; lookUpTxt?: LookUpTxt; mail?: boolean; signIns?: SignInLimits } = {},
): Promise<DashboardServer> {
  const database = await createTestDatabase();
  const db = openDb(database.url);
  const loaded = loadConfig({
    DATABASE_URL: database.url,
    PARLEY_SECRET: SECRET,
    BASE_URL_US: BASE_URL,
    ...(options.egressAllow && { PARLEY_EGRESS_ALLOW: options.egressAllow.join(',') }),
  });
  if ('faults' in loaded) throw new Error(JSON.stringify(loaded.faults));
  const { config } = loaded;
  const log = createLogger({ level: 'silent', pretty: false });
  const rooms = await openRooms({ config, db, databaseUrl: database.url, log, role: 'api', version: 'test' });
  const { secrets, services } = rooms;
  const limit = createSignInLimit(options.signIns ?? PLENTY);
  const sessions = createSessions({ db, secret: secrets.sessionSecret, baseUrl: BASE_URL, limit, log: () => {} });
  const { setupUrl } = await prepareInstallation({
    db,
    sessions,
    setupKey: secrets.setupKey,
    baseUrl: BASE_URL,
    region: 'us',
    owner: null,
  });
  const deps = {
    ...rooms.deps,
    sessions,
    signInLimit: limit,
    tokens: createTokenGate({ ...rooms.deps, signInLimit: limit, tokenLastUsed: rooms.tokenLastUsed }),
    organizationSignInLimit: limit,
    lookUpTxt: options.lookUpTxt ?? (async () => []),
    queueMail: options.mail ? createQueueMail(secrets.mailKey) : null,
  };
  const { access } = deps;
  await startAll(services);
  const { server, url } = await startHttpServer(dashboardRoutes(deps, createPaging(secrets.cursorKey)), {
    access,
    baseUrl: BASE_URL,
  });
  return {
    url: url + DASHBOARD_BASE,
    db,
    access,
    secrets,
    setupToken: new URL(setupUrl!).searchParams.get('token')!,
    as: (cookie) => clientOf(url + DASHBOARD_BASE, cookie),
    async stop() {
      await server.close();
      await stopAll(services);
      await db.$client.end();
      await database.drop();
    },
  };
}

/** The parameter `call` is "METHOD /path" below the API's base. */
const clientOf =
  (base: string, cookie: string | null): Client =>
  async (call, body, headers = {}) => {
    const [method, path] = call.split(' ') as [string, string];
    const response = await fetch(base + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(cookie !== null && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text || null,
      headers: response.headers,
      cookie: cookieOf(response.headers),
    };
  };

const cookieOf = (headers: Headers): string | null =>
  headers
    .getSetCookie()
    .find((one) => one.startsWith(`${SESSION_COOKIE}=`))
    ?.split(';')[0] ?? null;

export type Person = { cookie: string; call: Client; id: string; email: string };

/** Creates the first owner through the setup link. The field `orgId` is the paid organization. */
export async function setUpOwner(server: DashboardServer): Promise<Person & { orgId: string }> {
  const email = 'owner@example.qa';
  const answer = await server.as(null)('POST /setup', {
    token: server.setupToken,
    name: 'Owner',
    email,
    password: PASSWORD,
    organization_name: 'Acme',
  });
  const cookie = answer.cookie!;
  return {
    cookie,
    call: server.as(cookie),
    id: answer.body.user.id,
    email,
    orgId: answer.body.organizations[0].id,
  };
}

/** Creates a person and invites the person into the organization with this role. */
export async function addMember(
  server: DashboardServer,
  by: Client,
  orgId: string,
  role: string,
  email = `${role}-${randomBytes(4).toString('hex')}@example.qa`,
): Promise<Person> {
  const { body } = await by(`POST /organizations/${orgId}/invitations`, { email, role });
  const token = new URL(body.url).pathname.split('/').at(-1)!;
  const accepted = await server.as(null)(`POST /invitations/${token}`, { name: role, password: PASSWORD });
  const cookie = accepted.cookie!;
  return { cookie, call: server.as(cookie), id: accepted.body.user.id, email };
}
