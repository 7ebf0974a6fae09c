import type { KeyRecord } from '../../../contract/dashboard/keys.ts';
import { listApiKeys as listRows } from '../../store/api-keys/read.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import type { ApiKeysDeps, ListFilter } from './deps.ts';
import { presentApiKey } from './present-api-key.ts';

/** Lists keys, newest first, including campaign keys. Without `state`, only active keys are listed. */
export async function listApiKeys(
  { db, now }: Pick<ApiKeysDeps, 'db' | 'now'>,
  orgId: string,
  filter: ListFilter,
  page: PageRequest,
): Promise<PageOf<KeyRecord>> {
  const { state = 'active', agent_id: agentId, campaign_id: campaignId, ...rest } = filter;
  const wanted = { ...rest, agentId, campaignId, state: state === 'all' ? undefined : state };
  const { rows, hasMore } = await listRows(db, orgId, wanted, page);
  return { rows: rows.map((row) => presentApiKey(row, now())), hasMore };
}
