import { Refusal } from '../../../contract/problems.ts';
import { refusalOf } from '../../kernel/egress.ts';
import type { WebhooksDeps } from './webhooks.ts';

/**
 * Refuses what could never be delivered to: private addresses, plain http, credentials in the URL (unless the operator
 * allowed the host). A name that does not answer today is none of that, and is judged again at every delivery.
 */
export async function checkUrl({ egress }: Pick<WebhooksDeps, 'egress'>, url: string): Promise<void> {
  const detail = await refusalOf(egress, url);
  if (detail === null) return;
  const errors = [{ pointer: '/url', code: 'address_refused', detail }];
  throw new Refusal('validation_failed', undefined, { errors });
}
