import type { Campaign } from '../../../contract/campaigns.ts';
import { Refusal } from '../../../contract/problems.ts';
import { readCampaign } from '../../store/campaigns/campaigns.ts';
import { insistOnAnswer } from '../../store/cells/by-cell.ts';
import { holdFence } from '../../store/fence/hold-fence.ts';
import { once } from '../../store/idempotency/guard.ts';
import type { Queryable } from '../../store/db.ts';
import { countRecipients } from '../../store/recipients/read.ts';
import type { CampaignsDeps } from './deps.ts';
import { presentForKey } from './present-campaign.ts';
import { moveInside } from './change-campaign.ts';

export type KeyCaller = {
  orgId: string;
  keyId: string;
  /** The canonical form of `address`. Null: the address is invalid. */
  from: string | null;
  address: string;
  requestId: string;
  idempotency: { scope: Buffer; request: Buffer } | null;
};

export async function readForKey({ db }: { db: Queryable }, orgId: string, id: string): Promise<Campaign> {
  const row = await readCampaign(db, orgId, id);
  if (!row) throw new Refusal('campaign_not_found');
  return presentForKey(row, await countRecipients(db, orgId, id));
}

export function moveByKey(
  { db, access, guard, onAdded }: Pick<CampaignsDeps, 'db' | 'access' | 'guard' | 'onAdded'>,
  caller: KeyCaller,
  id: string,
  move: 'pause' | 'resume',
) {
  const { orgId, keyId, from, idempotency } = caller;
  const call = { orgId, idempotency };
  return guard(call, async () => {
    await insistOnAnswer(db, orgId, 'change');
    const done = await once(
      db,
      call,
      async (tx) => {
        await holdFence(tx, { orgId, keyId, from });
        const actor = { userId: keyId, address: caller.address, requestId: caller.requestId };
        await moveInside(tx, orgId, id, move, actor);
        return { status: 200, location: null, body: JSON.stringify(await readForKey({ db: tx }, orgId, id)) };
      },
      async (work) => (await access.change({ kind: 'campaign', id }, work)).result,
    );
    onAdded();
    return { body: done.answer.body, replayed: done.replayed };
  });
}
