import { type Key, open, placeOf } from '../kernel/seal.ts';
import type { Queryable } from './db.ts';
import { openDataKey } from './models.ts';

/** Secrets of this many channels are kept opened on one node. */
const MAX_OPEN = 1_000;

export type SealedChannel = { orgId: string; channelId: string; sealed: string | null };
export type OpenSecrets = (channel: SealedChannel) => Promise<Record<string, string>>;

/** A channel's secrets, opened once for each time they were changed. */
export function createSecretsOpener(db: Queryable, sealingKey: Key): OpenSecrets {
  const opened = new Map<string, { sealed: string; secrets: Promise<Record<string, string>> }>();

  return function openSecrets({ orgId, channelId, sealed }) {
    if (sealed === null) return Promise.resolve({});
    const known = opened.get(channelId);
    if (known?.sealed === sealed) return known.secrets;
    const secrets = unseal(orgId, channelId, sealed);
    opened.set(channelId, { sealed, secrets });
    secrets.catch(() => opened.delete(channelId));
    if (opened.size > MAX_OPEN) opened.delete(opened.keys().next().value!);
    return secrets;
  };

  async function unseal(orgId: string, row: string, sealed: string): Promise<Record<string, string>> {
    const key = await openDataKey(db, orgId, sealingKey);
    const place = placeOf({ table: 'channel', column: 'sealed', row, organization: orgId });
    return JSON.parse(open(key, sealed, place)) as Record<string, string>;
  }
}
