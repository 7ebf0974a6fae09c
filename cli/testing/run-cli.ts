import { spawn } from 'node:child_process';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ownFile } from '../../src/kernel/own-files.ts';

export type Ended = { code: number | null; stdout: string; stderr: string };

/** Runs the real command line as a process with only the given environment. The output of the process is piped. */
export async function runCli(args: string[], env: Record<string, string> = {}, input = ''): Promise<Ended> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [ownFile('dist/parley.js'), ...args], {
    env: { PATH, NODE_COMPILE_CACHE, ...env },
  });
  const ended: Ended = { code: null, stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (ended.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (ended.stderr += chunk.toString()));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  ended.code = await new Promise((resolve) => child.once('close', resolve));
  return ended;
}

/** Reads the `code` and `message` that a failed command printed for scripts. */
export const errorOf = ({ stderr }: Ended): { code: string; message: string } =>
  (JSON.parse(stderr) as { error: { code: string; message: string } }).error;

export type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string };
export type Stage = { url: string; seen: Seen[]; [Symbol.asyncDispose](): Promise<void> };

/** A server whose responses the test defines, to test failures between command line and server. */
export async function stage(play: (seen: Seen, reply: ServerResponse) => void): Promise<Stage> {
  const seen: Seen[] = [];
  const server = http.createServer((request, reply) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const one = { method: request.method!, url: request.url!, headers: request.headers, body };
      seen.push(one);
      play(one, reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const answer = (
  reply: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void => {
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  reply.writeHead(status, { 'content-type': type, ...headers }).end(body === null ? '' : JSON.stringify(body));
};

/** Returns the last call of a command, except its sign-out. */
export const lastCall = ({ seen }: Stage): Seen => seen.findLast(({ url }) => url !== '/dashboard/api/sign-out')!;

/** Signs all callers in and passes other requests to the test. */
export const stageSignedIn = (
  play: (seen: Seen, reply: ServerResponse) => void,
  organizations: { id: string; name: string }[] = [{ id: 'org_1', name: 'One' }],
): Promise<Stage> =>
  stage((seen, reply) => {
    const user = { id: 'user_1', name: 'Asha', email: 'asha@example.qa' };
    const session = { user, operator: true, organizations, region: 'us', base_url: 'http://127.0.0.1:4000' };
    if (seen.url === '/dashboard/api/sign-in') {
      return answer(reply, 200, session, { 'set-cookie': '__Host-parley=s3cret; Path=/; Secure; HttpOnly' });
    }
    if (seen.headers.cookie !== '__Host-parley=s3cret') {
      return answer(reply, 401, { code: 'session_missing', detail: 'Sign in.' });
    }
    if (seen.url === '/dashboard/api/session') return answer(reply, 200, session);
    if (seen.url === '/dashboard/api/sign-out') return answer(reply, 204, null);
    play(seen, reply);
  });

export const MEMBER = { PARLEY_EMAIL: 'asha@example.qa', PARLEY_PASSWORD: 'correct horse' };
