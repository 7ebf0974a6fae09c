import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Call, canary, createRecords, type Json } from './create-records.ts';
import type { WatchedServer } from './watched-server.ts';

/**
 * The attack has two organizations with secrets as its target. In `home`, some of the attackers have a key or a role. A
 * third organization belongs to an attacker.
 */
export type Actor = {
  name: string;
  /** The headers of each request of the attacker. */
  headers: [string, string][];
  /** The API that accepts the credentials of the attacker. */
  speaks: 'public' | 'dashboard' | 'any';
  /** True if the attacker may read the data of `home`. */
  isInsider: boolean;
};

export type World = {
  actors: Actor[];
  /** The IDs for paths by prefix, from planted and later records. */
  planted: Record<string, string[]>;
  found: Record<string, string[]>;
  vaultId: string;
  /** No response and no log line may show the secret values. */
  secrets: string[];
  /** No outsider may see the inside values. */
  inside: string[];
  /** An external server that answers every request. */
  address: string;
  close(): Promise<void>;
};

const BASE = '/dashboard/api';
const password = (): string => `Quilt ${randomBytes(9).toString('base64url')} harbour`;

const bearer = (key: string): [string, string][] => [['Authorization', `Bearer ${key}`]];
const withCookie = (value: string): [string, string][] => [['Cookie', value]];

export async function createWorld(server: WatchedServer, secret: string): Promise<World> {
  const provider = await startProvider();
  const address = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/`;
  const secrets = [secret, server.owner.password];
  const inside: string[] = [];
  const planted: Record<string, string[]> = {};
  const plant = (id: string): string => {
    (planted[id.split('_')[0]!] ??= []).push(id);
    return id;
  };

  const signIn = async (email: string, pass: string) => enter(server, '/sign-in', { email, password: pass });
  const operator = await signIn(server.owner.email, server.owner.password);
  const home = operator.orgId;
  const invite = async (role: string) => {
    const email = `${role}-${canary().slice(0, 6)}@example.com`;
    const pass = password();
    secrets.push(pass);
    const { url } = await operator.call(`POST /organizations/${home}/invitations`, { email, role });
    return enter(server, new URL(url!).pathname, { name: role, password: pass });
  };
  const [admin, member, outsider] = [await invite('admin'), await invite('member'), await invite('viewer')];
  const { data } = await operator.call(`GET /organizations/${home}/members`);
  const leaving = data.find(({ email }) => email?.startsWith('viewer'))!;
  const theirs = (await outsider.call('POST /organizations', { name: 'Theirs' })).id!;
  await operator.call(`DELETE /organizations/${home}/members/${leaving.id}`);
  await operator.call(`PUT /organizations/${theirs}/plan`, { plan: 'paid' });
  const vaultId = (await operator.call('POST /organizations', { name: 'Vault' })).id!;
  await operator.call(`PUT /organizations/${vaultId}/plan`, { plan: 'paid' });

  const ofHome = await createRecords(operator.call, home, address, plant);
  const ofVault = await createRecords(operator.call, vaultId, address, plant);
  const ofTheirs = await createRecords(outsider.call, theirs, address, plant);
  const token = async (call: Call, org: string): Promise<string> => {
    const verbs = ['read', 'test', 'push', 'publish'];
    const wanted = { label: 'Program', kind: 'organization', role: 'member', verbs };
    const made = await call(`POST /organizations/${org}/access-tokens`, wanted);
    plant(made.id!);
    secrets.push(made.value!);
    return made.value!;
  };
  const homeToken = await token(operator.call, home);
  const theirToken = await token(outsider.call, theirs);
  secrets.push(...ofHome.secrets, ...ofVault.secrets, ...ofVault.inside);
  inside.push(...ofHome.inside);
  for (const id of [home, vaultId, theirs]) plant(id);
  return {
    actors: [
      { name: 'stranger', headers: [], speaks: 'any', isInsider: false },
      { name: 'key', headers: bearer(ofHome.key), speaks: 'public', isInsider: true },
      { name: 'campaign key', headers: bearer(ofHome.campaignKey), speaks: 'public', isInsider: true },
      { name: 'key of another organization', headers: bearer(ofTheirs.key), speaks: 'public', isInsider: false },
      { name: 'access token', headers: bearer(homeToken), speaks: 'any', isInsider: true },
      { name: 'access token of another organization', headers: bearer(theirToken), speaks: 'any', isInsider: false },
      { name: 'member', headers: withCookie(member.cookie), speaks: 'dashboard', isInsider: true },
      { name: 'admin', headers: withCookie(admin.cookie), speaks: 'dashboard', isInsider: true },
      {
        name: 'owner of another organization',
        headers: withCookie(outsider.cookie),
        speaks: 'dashboard',
        isInsider: false,
      },
    ],
    planted,
    found: {},
    vaultId,
    secrets,
    inside,
    address,
    close: async () => {
      provider.closeAllConnections();
      await new Promise((done) => provider.close(done));
    },
  };
}

async function enter(server: WatchedServer, path: string, body: object) {
  const answer = await fetch(server.url + BASE + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`);
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0]!)
    .join('; ');
  const { organizations } = (await answer.json()) as Json;
  const call: Call = async (line, sent) => {
    const [method, to] = line.split(' ') as [string, string];
    const reply = await fetch(server.url + BASE + to, {
      method,
      headers: { cookie, ...(sent !== undefined && { 'content-type': 'application/json' }) },
      ...(sent !== undefined && { body: JSON.stringify(sent) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${line} answers ${reply.status}: ${text}`);
    return text ? (JSON.parse(text) as Json) : ({} as Json);
  };
  return { cookie, call, orgId: organizations[0]!.id };
}

/** Accepts every request as a provider of channels, a model, or a receiver of events. */
async function startProvider(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-oauth-scopes': 'chat:write,im:history' });
      response.end(JSON.stringify({ ok: true, team: 'T', user_id: 'U1', channel: 'C1', ts: '1.0', result: {} }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return server;
}
