import type { Key } from '../../kernel/seal.ts';
import { openCredential, sealCredential, webhookCredential } from '../../store/credentials.ts';
import type { Queryable } from '../../store/db.ts';

/** The secret `previous` signs in addition to `secret` until the row's `previous_until`. */
export type WebhookSecrets = { secret: string; previous?: string };

type Endpoint = { orgId: string; id: string; url: string };

export const sealSecrets = (
  tx: Queryable,
  sealingKey: Key,
  { orgId, id, url }: Endpoint,
  secrets: WebhookSecrets,
): Promise<string> => sealCredential(tx, sealingKey, webhookCredential(orgId, id, url), JSON.stringify(secrets));

export async function openSecrets(
  tx: Queryable,
  sealingKey: Key,
  { orgId, id, url, sealed }: Endpoint & { sealed: string },
): Promise<WebhookSecrets> {
  const text = await openCredential(tx, sealingKey, webhookCredential(orgId, id, url), sealed);
  return JSON.parse(text) as WebhookSecrets;
}
