import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import autocannon from 'autocannon';

/**
 * Sends one kind of request over CONNECTIONS kept-alive connections as fast as the server responds. In `path`, `body`
 * and the values of `headers`, `{n}` becomes a unique number and `{key}` the next of `keys`.
 */
export type Shot = {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  headers: Record<string, string>;
  body?: string;
  keys?: readonly string[];
};

/**
 * `refused` counts responses other than 2xx. `broken` counts requests without a response. The times are in
 * milliseconds.
 */
export type Hits = { perSecond: number; p50: number; p99: number; answered: number; refused: number; broken: number };

export const CONNECTIONS = 64;

const hasWrk = spawnSync('wrk', ['--version']).error === undefined;
export const GENERATOR = hasWrk ? 'wrk' : 'autocannon';

export const fire = (origin: string, shot: Shot, seconds: number): Promise<Hits> =>
  hasWrk ? byWrk(origin, shot, seconds) : byAutocannon(origin, shot, seconds);

/** This number differs from run to run, so that `{n}` never repeats an earlier value. */
let fired = 0;
const freshPrefix = (): string => `${process.pid}-${(fired += 1)}-`;

const isVaried = ({ path, headers, body }: Pick<Shot, 'path' | 'headers' | 'body'>): boolean =>
  /\{(n|key)\}/.test(JSON.stringify([path, headers, body ?? '']));

async function byWrk(origin: string, shot: Shot, seconds: number): Promise<Hits> {
  const script = path.join(tmpdir(), `parley-bench-${randomBytes(6).toString('hex')}.lua`);
  writeFileSync(script, luaScript(shot, freshPrefix()), { mode: 0o600 });
  try {
    const child = spawn('wrk', [
      '-t2',
      `-c${CONNECTIONS}`,
      `-d${seconds}s`,
      '--timeout',
      '20s',
      '-s',
      script,
      origin + (isVaried({ path: shot.path, headers: {} }) ? '/' : shot.path),
    ]);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await new Promise((resolve) => child.once('close', resolve));
    const found = /RESULT (.*)/.exec(output);
    if (!found) throw new Error(`wrk failed: ${output}`);
    const [requests, micros, p50, p99, refused, broken] = found[1]!.split(' ').map(Number);
    return {
      perSecond: (requests! / micros!) * 1e6,
      p50: p50! / 1000,
      p99: p99! / 1000,
      answered: requests! - refused!,
      refused: refused!,
      broken: broken!,
    };
  } finally {
    rmSync(script, { force: true });
  }
}

/** The program wrk normally sends a request that never changes, and Lua code for each request would slow it down. */
function luaScript({ method, path: target, headers, body, keys }: Shot, prefix: string): string {
  const table = Object.entries(headers).map(([name, value]) => `[${lua(name)}]=${luaValue(value)}`);
  const payload = body === undefined ? 'nil' : luaValue(body);
  const formatted = `wrk.format(${lua(method)}, ${luaValue(target)}, {${table.join(',')}}, ${payload})`;
  const varying = `
function init(args) n = id * 1000000000 end
function request()
  n = n + 1
  if #keys > 0 then key = keys[(n * 7919) % #keys + 1] end
  return ${formatted}
end`;
  const fixed = `wrk.method = ${lua(method)}; wrk.headers = {${table.join(',')}}; wrk.body = ${payload}`;
  return `
local keys = {${(keys ?? []).map(lua).join(',')}}
local threads, n, key = 0, 0, ''
function setup(thread) thread:set('id', threads); threads = threads + 1 end
${isVaried({ path: target, headers, body }) ? varying : fixed}
function done(s, l, r)
  local e = s.errors
  io.write(string.format('RESULT %d %d %d %d %d %d\\n', s.requests, s.duration, l:percentile(50), l:percentile(99), e.status, e.connect + e.read + e.write + e.timeout))
end
`.replaceAll('{prefix}', prefix);
}

const lua = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const luaValue = (text: string): string =>
  lua(text).replaceAll('{n}', `'..'{prefix}'..string.format('%d', n)..'`).replaceAll('{key}', `'..key..'`);

async function byAutocannon(origin: string, shot: Shot, seconds: number): Promise<Hits> {
  const prefix = freshPrefix();
  const { method, path: target, headers, body, keys = [] } = shot;
  let n = 0;
  const fill = (text: string): string =>
    text.replaceAll('{n}', `${prefix}${n}`).replaceAll('{key}', keys[(n * 7919) % keys.length] ?? '');
  const setupRequest = (request: autocannon.Request): autocannon.Request => {
    n += 1;
    const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
    const filledIn = { ...request, path: fill(target), headers: filled };
    return { ...filledIn, ...(body !== undefined && { body: fill(body) }) };
  };
  const result = await autocannon({
    url: origin + target,
    connections: CONNECTIONS,
    duration: seconds,
    requests: [isVaried(shot) ? { method, headers, body, setupRequest } : { method, headers, body }],
  });
  return {
    perSecond: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    answered: result['2xx'],
    refused: result.non2xx,
    broken: result.errors + result.timeouts,
  };
}
