import type { Random } from '../faults/random.ts';
import { brokenJson, mutated, type Surroundings, validBody } from './odd-bodies.ts';
import { oddCsv, oddText } from './odd-texts.ts';
import type { Operation } from './operations.ts';
import type { AttackRequest } from './send-request.ts';
import type { Actor, World } from './world.ts';

/**
 * Composes random requests to any route. Some requests are valid by the description of their route, and others are not.
 */
const JSON_TYPE: [string, string] = ['Content-Type', 'application/json'];

export function composeShot(operation: Operation, random: Random, world: World, around: Surroundings): AttackRequest {
  const suited = world.actors.filter(({ speaks }) => speaks === operation.api || speaks === 'any');
  const actor = random.pick(random.chance(0.85) ? suited : world.actors);
  const target = pathOf(operation, random, world) + queryOf(operation, random);
  const headers = oddHeaders(random);
  if (operation.rawBody !== undefined) {
    const type: [string, string] = ['Content-Type', 'application/octet-stream'];
    return { actor, method: operation.method, target, headers: [type, ...headers], body: oddCsv(random) };
  }
  const takesBody = operation.body !== undefined || random.chance(0.05);
  const body = takesBody && !random.chance(0.03) ? bodyOf(operation, random, around) : null;
  const isSlow = body !== null && random.chance(0.02);
  return {
    actor,
    // Routes are also requested with other methods.
    method: random.chance(0.02)
      ? random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'])
      : operation.method,
    target,
    headers: body === null || headers.some(([name]) => name === 'Content-Type') ? headers : [JSON_TYPE, ...headers],
    body,
    ...(isSlow && { slowly: { ms: random.between(100, 3_000), isWhole: random.chance(0.5) } }),
  };
}

function bodyOf(operation: Operation, random: Random, around: Surroundings): Buffer {
  const valid = operation.body ? validBody(operation, undefined, random, around) : {};
  const kind = random.between(1, 10);
  if (kind <= 5) return Buffer.from(JSON.stringify(valid));
  if (kind <= 8) return Buffer.from(JSON.stringify(mutated(valid, random)) ?? 'null');
  return brokenJson(JSON.stringify(valid), random);
}

/**
 * Requests that end a record use records that were created during the attack, because planted records are needed until
 * the end.
 */
const ENDS = /\/(revoke|rotate|end|remove|cancel|leave|erase|rotate-secret)$/;
/** The IDs by the names of path parameters. */
const PREFIXES: Record<string, string> = {
  end_user: 'enduser',
  endpoint: 'whk',
  document: 'doc',
  message: 'msg',
  conversation: 'conv',
  recipient: 'rcpt',
  invitation: 'invite',
  event: 'evt',
  tool_secret: 'tsec',
};
const WORDS: Record<string, readonly string[]> = {
  channel_kind: ['sms', 'email', 'web_chat', '__proto__'],
  provider: ['openai', 'anthropic', 'embedded', 'constructor'],
  external_id: ['one', 'crm-42', '%00', '..'],
  piece: ['0', '1', '199', '-1', '1e3'],
  version: ['1', '0', '99999999999', 'x'],
  domain: ['example.com', 'xn--a', '..'],
};

function pathOf({ method, path }: Operation, random: Random, world: World): string {
  const isEnding = method === 'DELETE' || ENDS.test(path);
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    if (random.chance(0.04))
      return encodeURIComponent(oddText(random, random.pick([10, 200, 3_000])).toWellFormed()) || 'x';
    if (WORDS[name]) return random.pick(WORDS[name]);
    const noun = name.replace(/_id$/, '');
    const prefix = PREFIXES[noun] ?? noun;
    const known = [
      ...(world.found[prefix] ?? []),
      ...(isEnding && prefix !== 'org' ? [] : (world.planted[prefix] ?? [])),
    ];
    return known.length > 0 ? random.pick(known) : `${prefix}_01k8v3m9e5f7rsm6z4n0q2x1ab`;
  });
}

function queryOf({ query }: Operation, random: Random): string {
  const names = Object.keys(query?.properties ?? {});
  if (random.chance(names.length > 0 ? 0.5 : 0.95)) return '';
  const value = (): string =>
    random.pick([
      '1',
      '100',
      '-1',
      'true',
      'null',
      '0',
      '9e9',
      'active',
      encodeURIComponent(oddText(random, 100).toWellFormed()),
    ]);
  const pairs = Array.from({ length: random.between(1, 4) }, () => {
    const name = names.length > 0 && random.chance(0.9) ? random.pick(names) : 'api_key';
    return `${name}${random.pick(['', '', '', '[]', '[a]'])}=${value()}`;
  });
  return `?${pairs.join('&')}`;
}

/** The list is usually empty. */
function oddHeaders(random: Random): [string, string][] {
  if (random.chance(0.7)) return [];
  const long = 'x'.repeat(random.pick([100, 8_000, 15_000, 20_000]));
  const odd: readonly (() => [string, string][])[] = [
    () => [['X-Long', long]],
    () => Array.from({ length: random.between(2, 150) }, (_, at): [string, string] => [`X-${at}`, 'a']),
    () => [
      ['Authorization', 'Bearer parley_us_x'],
      ['Authorization', 'Basic YTpi'],
    ],
    () => [['Cookie', long]],
    () => [
      ['Content-Type', random.pick(['text/plain', 'application/json; charset=utf-16', 'multipart/form-data', long])],
    ],
    () => [['Origin', random.pick(['https://evil.example', 'null', 'file://', 'https://shop.example'])]],
    () => [['Host', random.pick(['evil.example', 'localhost:1', '[::1]', 'a b'])]],
    () => [['Idempotency-Key', random.pick(['a', 'one', long.slice(0, 300), '\t'])]],
    () => [['Prefer', random.pick(['wait=1', 'wait=99999999999', 'wait=-1', 'respond-async, wait=1'])]],
    () => [['Expect', '100-continue']],
    () => [
      ['X-Forwarded-For', '127.0.0.1, 10.0.0.1'],
      ['Forwarded', 'for=127.0.0.1'],
    ],
    () => [['Content-Encoding', 'gzip']],
    () => [
      ['Last-Event-ID', long.slice(0, 500)],
      ['Accept', 'text/event-stream'],
    ],
    () => [['Range', 'bytes=0-0,1-1']],
  ];
  return random.pick(odd)();
}

export const actorNamed = (world: World, name: string): Actor => world.actors.find((one) => one.name === name)!;
