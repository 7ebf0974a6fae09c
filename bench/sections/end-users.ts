import http from 'node:http';
import { cursorScope, encodeCursor } from '../../src/kernel/cursor.ts';
import type { Plan } from '../compare.ts';
import { type Program, startProgram } from '../program.ts';

const FEW = 1_000;
const MANY = 1_000_000;
/** The number of concurrent callers. The measure is the time of one page, not pages per second. */
const CALLERS = 2;
/**
 * The number of calls of each kind and round. With 400 calls of each kind and round, the p99 of all rounds is the
 * twentieth-slowest of 2,000 calls.
 */
const CALLS = 400;
const WARM_UP = 100;
const PAGE = 50;

/**
 * Measures whether a page of end users is slower among a million than among a thousand. Two programs with their own
 * databases are called in alternation, so that other load of the machine affects both alike.
 */
export async function endUsers(plan: Plan): Promise<string[]> {
  await using few = await startProgram('api');
  await using many = await startProgram('api');
  const count = Math.max(FEW, Math.round(MANY * plan.scale));
  await fill(few, FEW);
  const begun = performance.now();
  await fill(many, count);
  const lines = [`${count.toLocaleString('en')} people made in ${((performance.now() - begun) / 1000).toFixed(0)} s`];
  for (const [name, ask] of Object.entries(ASKS)) {
    const sides = [
      { program: few, people: FEW, times: [] as number[], rows: 0 },
      { program: many, people: count, times: [] as number[], rows: 0 },
    ];
    for (const side of sides) await timesOf(side.program, ask, side.people, WARM_UP);
    for (let round = 0; round < plan.rounds; round++)
      for (const side of sides) {
        const { times, rows } = await timesOf(side.program, ask, side.people, CALLS);
        side.times.push(...times);
        side.rows = rows;
      }
    const [a, b] = sides.map(({ times }) => [at(times, 0.5), at(times, 0.99)]) as [number[], number[]];
    lines.push(
      `${name.padEnd(38)} p99 ${(b[1]! / a[1]!).toFixed(2)} × that of ${FEW.toLocaleString('en')}   ` +
        `${b[1]!.toFixed(1)} against ${a[1]!.toFixed(1)} ms (p50 ${b[0]!.toFixed(1)} against ${a[0]!.toFixed(1)}), ` +
        `${sides[1]!.rows.toFixed(0)} against ${sides[0]!.rows.toFixed(0)} rows a page`,
    );
  }
  return lines;
}

/** A request is a path, or a path and a body. The number `n` is a different person in each call. */
type Ask = (program: Program, n: number, people: number) => { path: string; body?: unknown };

const list =
  (query = ''): Ask =>
  () => ({ path: `/api/end-users?limit=${PAGE}${query}` });
const search =
  (body: (n: number) => Record<string, unknown>): Ask =>
  (_, n) => ({ path: '/api/end-users/search', body: { limit: PAGE, ...body(n) } });

const ASKS: Record<string, Ask> = {
  'first page': list(),
  'a page anywhere, by cursor': ({ orgId, cursorKey }, n) => {
    const scope = cursorScope('end users', orgId, {});
    const { id, createdAt } = personAt(n);
    const cursor = encodeCursor(cursorKey, scope, [createdAt.toISOString(), id]);
    return { path: `/api/end-users?limit=${PAGE}&cursor=${cursor}` };
  },
  'by e-mail address': (_, n) => ({ path: `/api/end-users?email=p${n}@example.qa` }),
  'by external id': (_, n) => ({ path: `/api/end-users?external_id=crm-${n}` }),
  'changed since an hour': (_, __, people) => ({
    path: `/api/end-users?limit=${PAGE}&updated_after=${new Date(newest(people) - 3_600_000).toISOString()}`,
  }),
  'by a tag of one in five hundred': list('&tag=vip'),
  'by a tag of every second': list('&tag=newsletter'),
  'by an attribute of one': search((n) => ({ filter: { attributes: { account: n } } })),
  'by an attribute of one in five hundred': search(() => ({ filter: { attributes: { city: 'Doha 7' } } })),
  'by an attribute of every second': search(() => ({ filter: { attributes: { plan: 'gold' } } })),
  'by two attributes and a tag': search(() => ({
    filter: { attributes: { plan: 'gold', city: 'Doha 8' }, tags: ['newsletter'] },
  })),
  'by a name of one in a hundred': search(() => ({ query: 'fatima' })),
  'by two beginnings of a name': search(() => ({ query: 'fat rao7' })),
  'by a beginning of every second name': search(() => ({ query: 'a' })),
  'by the beginning of an external id': search((n) => ({ query: `crm-${n}` })),
  'by the beginning of a phone number': search((n) => ({ query: phoneOf(n).slice(0, 11) })),
  'by words of no one': search(() => ({ query: 'zzz none' })),
};

async function timesOf(program: Program, ask: Ask, people: number, calls: number) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CALLERS });
  const times: number[] = [];
  let rows = 0;
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next++ < calls) {
      const wanted = ask(program, Math.floor(Math.random() * people), people);
      const since = performance.now();
      const found = await call(program, wanted, agent);
      times.push(performance.now() - since);
      rows += found;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  agent.destroy();
  return { times, rows: rows / calls };
}

/** The number of returned rows. */
function call({ origin, key }: Program, { path, body }: ReturnType<Ask>, agent: http.Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      Authorization: `Bearer ${key}`,
      ...(sent !== undefined && { 'Content-Type': 'application/json' }),
    };
    const request = http.request(origin + path, { method: sent === undefined ? 'GET' : 'POST', headers, agent });
    request.on('error', reject);
    request.on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => {
        if (answer.statusCode !== 200) reject(new Error(`${path}: ${answer.statusCode} ${text}`));
        else resolve((JSON.parse(text) as { data: unknown[] }).data.length);
      });
    });
    request.end(sent);
  });
}

const at = (all: readonly number[], share: number): number =>
  all.toSorted((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * share))]!;

/** Person `n` was created this many seconds after person 0. */
const EVERY_SECONDS = 10;
const FIRST = Date.UTC(2026, 0, 1);
const newest = (people: number): number => FIRST + people * EVERY_SECONDS * 1_000;
const phoneOf = (n: number): string => `+9197${String(n).padStart(8, '0')}`;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** This function returns the same values as the statement below. */
function personAt(n: number): { id: string; createdAt: Date } {
  const createdAt = new Date(FIRST + n * EVERY_SECONDS * 1_000);
  let time = '';
  for (let rest = createdAt.getTime(); time.length < 10; rest = Math.floor(rest / 32))
    time = ALPHABET[rest % 32]! + time;
  return { id: `enduser_${time}${String(n).padStart(16, '0')}`, createdAt };
}

/** The rows per statement. A statement with this number of rows ends well before the pool's own time limit. */
const BATCH = 20_000;

/**
 * Inserts people directly into the table, with every searchable field. Every tenth person changed after the creation.
 */
async function fill({ db, orgId }: Program, people: number): Promise<void> {
  const letters = Array.from(
    { length: 10 },
    (_, at) => `substr('${ALPHABET}', ((ms >> ${45 - at * 5}) & 31)::int + 1, 1)`,
  );
  const client = await db.$client.connect();
  await client.query('SET statement_timeout = 0');
  for (let from = 0; from < people; from += BATCH)
    await client.query(
      `INSERT INTO end_user (org_id, id, external_id, name, email, phone, locale, time_zone, attributes, tags, created_at, updated_at)
     SELECT $1, 'enduser_' || ${letters.join(' || ')} || lpad(n::text, 16, '0'), 'crm-' || n,
       (ARRAY['Asha', 'Ahmed', 'Aisha', 'Ali', 'Anil', 'Layla', 'Omar', 'Ravi', 'Noor', 'Maryam'])[n % 10 + 1]
         || CASE WHEN n % 100 = 42 THEN ' Fatima' ELSE '' END || ' Rao' || n % 997,
       'p' || n || '@example.qa', '+9197' || lpad(n::text, 8, '0'), 'ar-QA', 'Asia/Qatar',
       jsonb_build_object('plan', CASE WHEN n % 2 = 0 THEN 'gold' ELSE 'free' END, 'city', 'Doha ' || n % 500, 'account', n),
       CASE WHEN n % 2 = 1 THEN '{}'::text[] WHEN n % 500 = 2 THEN '{newsletter,vip}' ELSE '{newsletter}' END,
       at, at + CASE WHEN n % 10 = 0 THEN interval '7 minutes' ELSE interval '0' END
     FROM (SELECT n, $3::bigint + n * ${EVERY_SECONDS * 1_000} AS ms,
         to_timestamp($3::bigint / 1000) + n * interval '${EVERY_SECONDS} seconds' AS at
       FROM generate_series($2::bigint, $4::bigint - 1) n) t`,
      [orgId, from, FIRST, Math.min(people, from + BATCH)],
    );
  await client.query('VACUUM ANALYZE end_user');
  client.release(true);
}
