import type { NamedResult, ResultRecord } from '../../../contract/dashboard/results.ts';
import { Refusal } from '../../../contract/problems.ts';
import { NO_RESULT } from '../../../contract/results.ts';
import type { RunStatus } from '../../../contract/triggers.ts';
import { timestamp } from '../../kernel/clock.ts';
import { readCampaign } from '../../store/campaigns/campaigns.ts';
import { readNames } from '../../store/end-users/read.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import { listCampaignRunRows, type ResultRow } from '../../store/runs/results.ts';
import type { ResultsDeps } from './deps.ts';

/** Lists the results of the conversations of a campaign, newest recipient first. */
export async function listCampaignResults(
  { db }: ResultsDeps,
  orgId: string,
  campaignId: string,
  page: PageRequest,
): Promise<PageOf<NamedResult>> {
  if (!(await readCampaign(db, orgId, campaignId))) throw new Refusal('campaign_not_found');
  const { rows, hasMore } = await listCampaignRunRows(db, orgId, campaignId, page);
  const names = await readNames(
    db,
    orgId,
    rows.map(({ endUserId }) => endUserId),
  );
  return { rows: rows.map((row) => ({ ...presentResult(row), name: names.get(row.endUserId) ?? null })), hasMore };
}

export const presentResult = (row: ResultRow): ResultRecord => ({
  id: row.id,
  recipient_id: row.recipientId,
  ref: row.ref,
  conversation_id: row.conversationId,
  end_user_id: row.endUserId,
  status: row.status as RunStatus,
  reason: row.reason,
  agent_version: row.agentVersion,
  result: row.result ?? NO_RESULT,
  created_at: timestamp(row.createdAt),
  finished_at: row.finishedAt && timestamp(row.finishedAt),
});
