import type { Recipient } from '../../../contract/campaigns.ts';
import type { NamedRecipient } from '../../../contract/dashboard/campaigns.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Db } from '../../store/db.ts';
import { dropUnsent, lockUnsent } from '../../store/campaigns/runs.ts';
import { readCampaign } from '../../store/campaigns/campaigns.ts';
import { readNames } from '../../store/end-users/read.ts';
import { holdFence } from '../../store/fence/hold-fence.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import { cancelWaiting, listRecipients as listRows, readRecipient as readRow } from '../../store/recipients/read.ts';
import { recordWaitingOptOut } from '../../answering/record-opt-out.ts';
import { holdPersonOf } from '../../store/end-users/hold-person-of.ts';
import { cancelRunRow } from '../../store/runs/read.ts';
import { presentRecipient } from './present-campaign.ts';

type Reads = { db: Db };
type Filter = { status?: string | undefined; ref?: string | undefined };

export async function listRecipients(
  { db }: Reads,
  orgId: string,
  campaignId: string,
  filter: Filter,
  page: PageRequest,
): Promise<PageOf<Recipient>> {
  const { rows, hasMore } = await listRows(db, orgId, campaignId, filter, page);
  if (rows.length === 0 && !(await readCampaign(db, orgId, campaignId))) throw new Refusal('campaign_not_found');
  return { rows: rows.map(presentRecipient), hasMore };
}

/** Reads recipients for members, who may read personal data, unlike a campaign's key. */
export async function listNamedRecipients(
  deps: Reads,
  orgId: string,
  campaignId: string,
  filter: Filter,
  page: PageRequest,
): Promise<PageOf<NamedRecipient>> {
  const { rows, hasMore } = await listRecipients(deps, orgId, campaignId, filter, page);
  const ids = rows.flatMap(({ end_user_id: id }) => id ?? []);
  const names = await readNames(deps.db, orgId, ids);
  return { rows: rows.map((row) => ({ ...row, name: names.get(row.end_user_id ?? '') ?? null })), hasMore };
}

export async function readRecipient({ db }: Reads, orgId: string, campaignId: string, id: string): Promise<Recipient> {
  const row = await readRow(db, orgId, campaignId, id);
  if (!row) throw new Refusal('recipient_not_found');
  return presentRecipient(row);
}

const WAITING = new Set(['pending', 'waiting_window']);
const ENDED = new Set(['completed', 'failed', 'suppressed', 'expired']);
/** Between two reads, a recipient can only be started, and only once. */
const TRIES = 3;

/**
 * Cancels a recipient. A recipient who was not messaged yet never gets a message. A recipient who was messaged gets no
 * further messages from the agent. A second cancel has no effect. All code locks message, run and recipient in this
 * order, because a database trigger changes the recipient together with message and run.
 */
export async function cancelRecipient(
  { db }: Reads,
  caller: { orgId: string; keyId: string | null; from: string | null },
  campaignId: string,
  id: string,
): Promise<Recipient> {
  const { orgId } = caller;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const row = await db.transaction(async (tx) => {
      await holdFence(tx, caller);
      const before = await readRow(tx, orgId, campaignId, id);
      if (!before) throw new Refusal('recipient_not_found');
      if (before.status === 'cancelled') return before;
      const { runId, conversationId } = before;
      // An erasure deletes the run of a recipient who was messaged, and retention deletes old runs.
      const isOver = ENDED.has(before.status) || (runId === null && !WAITING.has(before.status));
      if (isOver) throw new Refusal('recipient_finished');
      if (runId !== null && conversationId !== null) {
        const person = await holdPersonOf(tx, orgId, conversationId);
        await lockUnsent(tx, orgId, { conversationId, runId });
        await cancelRunRow(tx, orgId, runId, 'cancelled');
        await recordWaitingOptOut(tx, orgId, conversationId, person);
        await dropUnsent(tx, orgId, { conversationId, runId });
      } else if (!(await cancelWaiting(tx, orgId, campaignId, id))) return null;
      return readRow(tx, orgId, campaignId, id);
    });
    if (row?.status === 'cancelled') return presentRecipient(row);
    if (row && ENDED.has(row.status)) throw new Refusal('recipient_finished');
  }
  throw new Refusal('unavailable');
}
