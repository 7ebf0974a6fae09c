import { type Key, open, placeOf, seal } from '../../kernel/seal.ts';
import type { Queryable } from '../../store/db.ts';
import { openDataKey } from '../../store/models.ts';

/** `previous` signs beside `secret` while the row's `previous_until` has not come. */
export type WebhookSecrets = { secret: string; previous?: string };

const placeOfSecrets = (organization: string, row: string): string[] =>
  placeOf({ table: 'webhook_endpoint', column: 'sealed', row, organization });

export async function sealSecrets(
  tx: Queryable,
  sealingKey: Key,
  { orgId, id, secrets }: { orgId: string; id: string; secrets: WebhookSecrets },
): Promise<string> {
  return seal(await openDataKey(tx, orgId, sealingKey), JSON.stringify(secrets), placeOfSecrets(orgId, id));
}

export async function openSecrets(
  tx: Queryable,
  sealingKey: Key,
  { orgId, id, sealed }: { orgId: string; id: string; sealed: string },
): Promise<WebhookSecrets> {
  const text = open(await openDataKey(tx, orgId, sealingKey), sealed, placeOfSecrets(orgId, id));
  return JSON.parse(text) as WebhookSecrets;
}
