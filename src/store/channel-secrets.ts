import { type Key, open, placeOf } from '../kernel/seal.ts';
import type { Queryable } from './db.ts';
import { openDataKey } from './models.ts';

/** Secrets of this many channels, or endpoints, are kept opened on one node. */
const MAX_OPEN = 1_000;

export type SealedChannel = { orgId: string; channelId: string; sealed: string | null };
export type OpenSecrets = (channel: SealedChannel) => Promise<Record<string, string>>;

/** A channel's secrets, opened once for each time they were changed. */
export function createSecretsOpener(db: Queryable, sealingKey: Key): OpenSecrets {
  const openRow = createRowOpener(db, sealingKey, 'channel');
  return ({ orgId, channelId, sealed }) =>
    sealed === null ? Promise.resolve({}) : openRow({ orgId, row: channelId, sealed });
}

export type SealedRow = { orgId: string; row: string; sealed: string };
export type OpenRow = (row: SealedRow) => Promise<Record<string, string>>;

/** The same for the column `sealed` of any table of the schema that has one. */
export function createRowOpener(db: Queryable, sealingKey: Key, table: 'channel' | 'webhook_endpoint'): OpenRow {
  const opened = new Map<string, { sealed: string; secrets: Promise<Record<string, string>> }>();

  return function openRow({ orgId, row, sealed }) {
    const known = opened.get(row);
    if (known?.sealed === sealed) return known.secrets;
    const secrets = unseal(orgId, row, sealed);
    opened.set(row, { sealed, secrets });
    secrets.catch(() => opened.delete(row));
    if (opened.size > MAX_OPEN) opened.delete(opened.keys().next().value!);
    return secrets;
  };

  async function unseal(orgId: string, row: string, sealed: string): Promise<Record<string, string>> {
    const key = await openDataKey(db, orgId, sealingKey);
    const place = placeOf({ table, column: 'sealed', row, organization: orgId });
    return JSON.parse(open(key, sealed, place)) as Record<string, string>;
  }
}
