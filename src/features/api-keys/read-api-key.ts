import type { KeyRecord } from '../../../contract/dashboard/keys.ts';
import { Refusal } from '../../../contract/problems.ts';
import { countNodesBehind } from '../../store/nodes/leases.ts';
import { type ApiKeyRow, readApiKey as readRow } from '../../store/api-keys/read.ts';
import type { Queryable } from '../../store/db.ts';
import type { ApiKeysDeps } from './deps.ts';
import { presentApiKey } from './present-api-key.ts';

export async function readApiKey(
  { db, now }: Pick<ApiKeysDeps, 'db' | 'now'>,
  orgId: string,
  id: string,
): Promise<KeyRecord> {
  const row = await foundApiKey(db, orgId, id);
  const key = presentApiKey(row, now());
  if (key.state !== 'revoking' || row.revokedSeq === null) return key;
  return { ...key, waiting_for: await countNodesBehind(db, row.revokedSeq) };
}

/** The function throws `key_not_found`, even if the key exists in another organization. */
export async function foundApiKey(db: Queryable, orgId: string, id: string): Promise<ApiKeyRow> {
  const row = await readRow(db, orgId, id);
  if (row === null) throw new Refusal('key_not_found');
  return row;
}
