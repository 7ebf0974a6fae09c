import type pg from 'pg';
import { byCell } from '../cells/by-cell.ts';

type LastUse = { orgId: string; keyId: string; at: Date; isLast: boolean };

/**
 * Writes the last use at most once per minute for each key or access token over all nodes. The time never goes back
 * (for keys, a database trigger also enforces this).
 */
export async function writeLastUsed(
  client: pg.Pool,
  table: 'api_key' | 'access_token',
  uses: readonly LastUse[],
): Promise<void> {
  await byCell(
    client,
    uses,
    ({ orgId }) => orgId,
    (some) => write(client, table, some),
  );
}

async function write(client: pg.Pool, table: string, uses: readonly LastUse[]): Promise<[]> {
  await client.query({
    name: `last-used-${table}`,
    text: `UPDATE ${table} k SET last_used_at = u.at
      FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::bool[]) AS u(org_id, id, at, is_last)
      WHERE k.org_id = u.org_id AND k.id = u.id AND (k.last_used_at IS NULL OR
        u.at >= (SELECT k.last_used_at + CASE WHEN u.is_last THEN interval '1 millisecond' ELSE interval '1 minute' END))`,
    values: [
      uses.map((use) => use.orgId),
      uses.map((use) => use.keyId),
      uses.map((use) => use.at),
      uses.map((use) => use.isLast),
    ],
  });
  return [];
}
