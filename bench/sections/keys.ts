import { newId } from '../../src/kernel/ids.ts';
import { mintKey } from '../../src/access/api-keys/key-format.ts';
import { compare, type Plan, comparisonText } from '../compare.ts';
import { type Program, startBare, startProgram } from '../program.ts';

const COUNTS = [100, 10_000, 1_000_000];
/** The number of distinct keys in use. A larger number of keys would measure the load generator's memory. */
const CALLERS = 10_000;
const BATCH = 5_000;

/** Measures whether the cost of verifying a key grows with the number of keys. */
export async function keys(plan: Plan): Promise<string[]> {
  await using bare = await startBare();
  await using program = await startProgram('api');
  const lines: string[] = [];
  const callers: string[] = [];
  let made = 0;
  for (const count of COUNTS.map((full) => Math.max(100, Math.round(full * plan.scale)))) {
    if (count <= made) continue;
    // The callers are spread evenly over all existing keys, old and new.
    const everyNth = Math.max(1, Math.floor(count / CALLERS));
    while (made < count) {
      const values = Array.from({ length: Math.min(BATCH, count - made) }, () => mintKey('us'));
      await insertKeys(program, values);
      for (const [at, value] of values.entries()) if ((made + at) % everyNth === 0) callers.push(value);
      made += values.length;
    }
    await program.db.$client.query('ANALYZE api_key, api_key_digest');
    const used = callers.slice(-CALLERS);
    const shot = { method: 'GET', path: '/api/me', headers: { Authorization: 'Bearer {key}' }, keys: used } as const;
    const name = `${made.toLocaleString('en')} keys, ${used.length.toLocaleString('en')} calling in turn`;
    lines.push(comparisonText(name, await compare(plan, bare.origin, program.origin, shot)));
  }
  return lines;
}

export async function insertKeys({ db, orgId, digestOf }: Program, values: readonly string[]): Promise<void> {
  const ids = values.map(() => newId('key'));
  await db.$client.query(
    `WITH made AS (
       INSERT INTO api_key (org_id, id, label, prefix, scope, permissions)
       SELECT $1, id, 'Bench', left(value, 16), 'organization', ARRAY['triggers']
       FROM unnest($2::text[], $3::text[]) AS t (id, value) RETURNING 1)
     INSERT INTO api_key_digest (digest, org_id, key_id)
     SELECT digest, $1, id FROM unnest($2::text[], $4::bytea[]) AS t (id, digest)`,
    [orgId, ids, values.map((value) => value.slice(0, 16)), values.map(digestOf)],
  );
}
