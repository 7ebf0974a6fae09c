/** @module-tag long */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Project, composeProject, until } from './compose.ts';
import { buildImage, PODMAN, podman, prepareEngine } from './engine.ts';
import { readYaml, TOOLS, type Tree } from './tools.ts';

/** Tests the unchanged Dockerfile and compose.yaml in real containers (engine.ts, compose.ts). */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string): string => readFileSync(ROOT + file, 'utf8');
const OWNER = { email: 'owner@example.com', password: 'correct horse battery staple' };

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
/** compose.yaml publishes ports 80 and 443. */
const canRun = PODMAN !== undefined && TOOLS !== undefined && (await isFree(80)) && (await isFree(443));
if (PODMAN !== undefined && !canRun) console.warn('Port 80 or 443 is in use; the tests of the containers are skipped.');

describe.skipIf(!canRun)('the containers of compose.yaml', () => {
  let project: Project;
  let services: Record<string, Tree>;
  const nodes = ['api-1', 'api-2', 'api-3'];
  let at: string;
  let trigger: string;
  let key: { id: string; value: string };

  beforeAll(async () => {
    const [compose] = readYaml(read('compose.yaml'));
    services = compose.services;
    const base = /^FROM (node:\S+)/m.exec(read('Dockerfile'))![1]!.replace('${NODE}', /^ARG NODE=(\d+)/m.exec(read('Dockerfile'))![1]!); // prettier-ignore
    const foreign = Object.values(services).filter(({ build }) => build === undefined);
    await prepareEngine([base, ...foreign.map(({ image }) => image as string)]);
    await buildImage(ROOT, 'parley:latest');
    const secret = () => randomBytes(36).toString('base64url');
    const env = {
      PARLEY_HOST: 'localhost',
      PARLEY_SECRET: secret(),
      POSTGRES_PASSWORD: randomBytes(24).toString('hex'),
    };
    const owner = { PARLEY_OWNER_EMAIL: OWNER.email, PARLEY_OWNER_PASSWORD: OWNER.password };
    project = composeProject(compose, ROOT, { ...env, ...owner });
    await project.remove();
    await project.up();
  }, 900_000);
  afterAll(async () => {
    await project?.remove();
  });

  test('all services become healthy', async () => {
    for (const service of [...nodes, 'worker-1', 'worker-2', 'postgres'])
      await until(() => project.isHealthy(service), `${service} is not healthy`);
    await expect.poll(async () => (await call('GET', '/api/health')).status, { timeout: 60_000 }).toBe(200);
    for (const node of nodes)
      await expect.poll(() => podman('logs', project.container(node))).toContain('Redis counts for all nodes');
  });

  test('one call through the proxy gets the answer of the agent', async () => {
    const { cookie, body } = await call('POST', '/dashboard/api/sign-in', { body: OWNER });
    at = `/dashboard/api/organizations/${body.organizations[0].id}`;
    const post = async (to: string, body: object) => (await call('POST', at + to, { body, headers: { cookie } })).body;
    const agent = await post('/agents', { name: 'Concierge', definition: { opening: { default: 'Welcome.' } } });
    const { id } = await post('/triggers', { agent_id: agent.id, name: 'Order' });
    trigger = `/api/triggers/${agent.id}/${id}`;
    key = await post('/keys', { label: 'Shop', scope: 'organization', permissions: ['triggers'] });
    const answer = await start();
    expect([answer.status, answer.body.messages]).toEqual([200, [expect.objectContaining({ role: 'agent' })]]);
  });

  test('a killed worker is restarted, and the other one answers', async () => {
    const pid = async () => Number(await podman('inspect', '--format', '{{.State.Pid}}', project.container('worker-1'))); // prettier-ignore
    const killed = await pid();
    process.kill(killed, 'SIGKILL');
    expect((await start()).status).toBe(200);
    await until(async () => ![0, killed].includes(await pid()), 'worker-1 is not restarted');
    await until(() => project.isHealthy('worker-1'), 'worker-1 is not healthy');
  });

  test('a revoke on one node applies on all other nodes at once', async () => {
    const { cookie } = await call('POST', '/dashboard/api/sign-in', { body: OWNER });
    for (const node of nodes) expect([node, await askNode(node)]).toEqual([node, 200]);
    const revoked = await call('POST', `${at}/keys/${key.id}/revoke`, { body: {}, headers: { cookie } });
    expect([revoked.status, revoked.body.state]).toEqual([200, 'revoked']);
    for (const node of nodes) expect([node, await askNode(node)]).toEqual([node, 401]);
  });

  test('every process of Parley stops gracefully', async () => {
    const codes = await project.stop();
    const ours = Object.entries(services).filter(([, { build }]) => build !== undefined);
    for (const [name] of ours) expect([name, codes[name]]).toEqual([name, 0]);
  });

  const start = () =>
    call('POST', trigger, { body: {}, headers: { authorization: `Bearer ${key.value}`, prefer: 'wait=30' } });

  /** The call runs inside the node's own container, because nodes publish no port. */
  const askNode = async (node: string): Promise<number> => {
    const source = `fetch('http://127.0.0.1:4000/api/me', { headers: { authorization: 'Bearer ${key.value}' } }).then(({ status }) => console.log(status))`;
    return Number(await podman('exec', project.container(node), 'node', '-e', source));
  };
});

type Call = { body?: object; headers?: Record<string, string | undefined> };

/** The call goes through the proxy, whose certificate for localhost has its own authority. */
function call(
  method: string,
  to: string,
  { body, headers }: Call = {},
): Promise<{ status: number; body: Tree; cookie: string }> {
  // prettier-ignore
  const text = body === undefined ? '' : JSON.stringify(body);
  return new Promise((resolve) => {
    const outgoing = request(
      { host: '127.0.0.1', servername: 'localhost', port: 443, method, path: to, rejectUnauthorized: false, headers: { host: 'localhost', ...(text && { 'content-type': 'application/json' }), ...headers } }, // prettier-ignore
      (answer) => {
        let received = '';
        answer.on('data', (chunk: Buffer) => (received += chunk.toString()));
        answer.once('end', () => {
          const isJson = /json/.test(answer.headers['content-type'] ?? '');
          const cookie = (answer.headers['set-cookie'] ?? []).map((line) => line.split(';', 1)[0]!).join('; ');
          resolve({ status: answer.statusCode!, body: isJson ? JSON.parse(received) : received, cookie });
        });
      },
    );
    outgoing.once('error', () => resolve({ status: 0, body: null, cookie: '' }));
    outgoing.end(text);
  });
}
