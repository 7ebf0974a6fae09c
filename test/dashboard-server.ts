import { randomBytes } from 'node:crypto';
import { DASHBOARD_BASE } from '../contract/dashboard/routes.ts';
import { DEFAULT_RATE_LIMITS } from '../contract/limits.ts';
import { type Access, createAccess } from '../src/access/access.ts';
import { createDigest } from '../src/access/keys/digest.ts';
import { prepareInstallation } from '../src/access/sessions/prepare-installation.ts';
import { SESSION_COOKIE } from '../src/access/sessions/create-auth.ts';
import { createOidc } from '../src/access/sessions/oidc.ts';
import { createPasskeys } from '../src/access/sessions/passkeys.ts';
import { createMailLimit } from '../src/access/sessions/mail-limit.ts';
import { createSessions } from '../src/access/sessions/sessions.ts';
import { createSignInLimit, type SignInLimits } from '../src/access/sessions/sign-in-limit.ts';
import { deriveSecrets } from '../src/config/secrets.ts';
import { definitionFaults } from '../src/engine/embedded/definition-faults.ts';
import { templateFault } from '../src/engine/templates.ts';
import { createConnector } from '../src/channels/connect.ts';
import { channelKinds } from '../src/channels/kinds.ts';
import { createChangeWatch } from '../src/features/changes/watch-changes.ts';
import { createInboundQueue } from '../src/features/conversations/inbound-queue.ts';
import { type DashboardDeps, dashboardRoutes } from '../src/http/dashboard/routes.ts';
import { createPaging } from '../src/http/route/paging.ts';
import { systemClock } from '../src/kernel/clock.ts';
import { createEgress } from '../src/kernel/egress.ts';
import { createLogger } from '../src/kernel/log.ts';
import type { LookUpTxt } from '../src/kernel/txt-records.ts';
import { createAcceptQueue } from '../src/store/runs/accept.ts';
import { createQueueMail } from '../src/store/mail.ts';
import { createRunWaiter } from '../src/store/runs/await.ts';
import { createSecretsOpener } from '../src/store/channels/secrets.ts';
import { type Db, openDb } from '../src/store/db.ts';
import { createEndUserQueue } from '../src/store/end-users/upsert.ts';
import { createSendQueue } from '../src/store/messages/accept.ts';
import { createSuppression } from '../src/store/end-users/suppression.ts';
import { createIdempotencyGuard } from '../src/store/idempotency/guard.ts';
import { previewCampaign } from '../src/worker/campaigns/preview-campaign.ts';
import { createFindProvider } from '../src/worker/turns/find-provider.ts';
import { readNextDocument } from '../src/store/agents/read-for-turns.ts';
import { createKnowledge } from '../src/worker/knowledge/ask-knowledge.ts';
import { createAgentLoader } from '../src/worker/turns/load-agent.ts';
import { createPlayTurn } from '../src/worker/turns/play-turn.ts';
import { startHttpServer } from './http-server.ts';
import { createTestDatabase } from './postgres.ts';

/** The dashboard's API on a real socket and a real database; there is no worker. */
export type DashboardServer = {
  url: string;
  db: Db;
  access: Access;
  setupToken: string;
  secrets: ReturnType<typeof deriveSecrets>;
  as(cookie: string | null): Client;
  stop(): Promise<void>;
};

export type Answer = { status: number; body: any; headers: Headers; cookie: string | null }; // oxlint-disable-line typescript/no-explicit-any
export type Client = (call: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

export const PASSWORD = 'correct horse battery';
const SECRET = 'k3Jx9vQm2TzLr8WcYp5NbHs7DgFa4EuXo1Ri6';
const BASE_URL = 'https://us.parley.example';

/** Tests come from one address, whose share is a fifth of the node's limit. */
const PLENTY: SignInLimits = { pair: 1_000, subject: 1_000, address: 10_000, node: 50_000 };

export async function startDashboard(
  options: { egressAllow?: string[]; lookUpTxt?: LookUpTxt; mail?: boolean; signIns?: SignInLimits } = {},
): Promise<DashboardServer> {
  const database = await createTestDatabase();
  const db = openDb(database.url);
  const secrets = deriveSecrets(SECRET);
  const log = createLogger({ level: 'silent', pretty: false });
  const limit = createSignInLimit(options.signIns ?? PLENTY);
  const sessions = createSessions({ db, secret: secrets.sessionSecret, baseUrl: BASE_URL, limit, log: () => {} });
  const baseUrls = { us: BASE_URL, eu: BASE_URL, in: BASE_URL, qa: BASE_URL };
  const access = createAccess({
    db,
    databaseUrl: database.url,
    region: 'us',
    baseUrls,
    pepper: secrets.apiKeyPepper,
    limits: DEFAULT_RATE_LIMITS,
    clock: systemClock,
    log,
  });
  const { setupUrl } = await prepareInstallation({
    db,
    sessions,
    setupKey: secrets.setupKey,
    baseUrl: BASE_URL,
    region: 'us',
    owner: null,
  });
  const egress = createEgress({ allow: options.egressAllow ?? [] });
  const knowledge = createKnowledge({ log, readDocument: (...which) => readNextDocument(db.$client, ...which) });
  const findProvider = createFindProvider({ db, egress, sealingKey: secrets.sealingKey });
  const waiter = createRunWaiter(db);
  const changes = createChangeWatch(db);
  const queue = createAcceptQueue(db);
  const suppression = createSuppression(secrets.suppressionKey);
  const deps: DashboardDeps = {
    db,
    region: 'us',
    baseUrl: BASE_URL,
    upgradeUrl: null,
    clock: systemClock,
    now: Date.now,
    access,
    findChannel: access.facts.channel,
    digest: createDigest(secrets.apiKeyPepper),
    sessions,
    signInLimit: limit,
    organizationSignInLimit: limit,
    oidc: createOidc({ egress, now: Date.now }),
    lookUpTxt: options.lookUpTxt ?? (async () => []),
    signInKey: secrets.signInKey,
    setupKey: secrets.setupKey,
    sealingKey: secrets.sealingKey,
    passkeys: createPasskeys({ key: secrets.setupKey, baseUrl: BASE_URL }),
    egress,
    queueMail: options.mail ? createQueueMail(secrets.mailKey) : null,
    mailLimit: createMailLimit(),
    guard: createIdempotencyGuard(),
    suppression,
    acceptQueue: queue,
    endUserQueue: createEndUserQueue(db, suppression),
    inboundQueue: createInboundQueue(db, suppression),
    sendQueue: createSendQueue(db, suppression),
    waiter,
    changes,
    kinds: channelKinds,
    openSecrets: createSecretsOpener(db, secrets.sealingKey),
    connector: createConnector({ kinds: channelKinds, egress, baseUrl: BASE_URL, now: Date.now }),
    faults: { definition: definitionFaults, template: templateFault },
    renderOpening: async () => null,
    playTurn: createPlayTurn({ loadAgent: createAgentLoader(db, findProvider, knowledge), findProvider }),
    previewCampaign,
    onAccepted: () => {},
    onQueued: () => {},
    onDelivery: () => {},
    onImport: () => {},
    onPushed: () => {},
  };
  await access.start();
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
      await knowledge.stop();
      waiter.stop();
      changes.stop();
      await queue.drain();
      await access.stop();
      await egress.close();
      await db.$client.end();
      await database.drop();
    },
  };
}

/** `call` is "METHOD /path" below the API's base. */
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

/** The first owner, through the setup link; `orgId` is the paid organization. */
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

/** A new person, invited into the organization with this role. */
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
