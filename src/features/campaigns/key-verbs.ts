import type { Campaign } from '../../../contract/campaigns.ts';
import { Refusal } from '../../../contract/problems.ts';
import { readCampaign } from '../../store/campaigns/campaigns.ts';
import { holdFence } from '../../store/fence/hold-fence.ts';
import { once } from '../../store/idempotency/guard.ts';
import type { Queryable } from '../../store/db.ts';
import type { PageRequest } from '../../store/page.ts';
import { countRecipients } from '../../store/recipients/read.ts';
import { type CampaignsDeps, presentForKey } from './campaigns.ts';
import { moveInside } from './change-campaign.ts';
import { type Push, type PushDeps, pushRecipients } from './push-recipients.ts';
import { cancelRecipient, listRecipients, readRecipient } from './recipients.ts';

export type KeyCaller = {
  orgId: string;
  keyId: string;
  /** Like `address`, in canonical form; null: invalid. */
  from: string | null;
  address: string;
  requestId: string;
  idempotency: { scope: Buffer; request: Buffer } | null;
};

type Deps = CampaignsDeps & PushDeps;

/** The verbs that a campaign's own key may use. */
export const createCampaignVerbs = (deps: Deps) => ({
  read: (orgId: string, id: string) => readForKey(deps.db, orgId, id),
  push: (input: Push) => pushRecipients(deps, input),
  recipients: (
    orgId: string,
    id: string,
    filter: { status?: string | undefined; ref?: string | undefined },
    page: PageRequest,
  ) => listRecipients(deps, orgId, id, filter, page),
  recipient: (orgId: string, id: string, recipientId: string) => readRecipient(deps, orgId, id, recipientId),
  cancelRecipient: (caller: { orgId: string; keyId: string; from: string | null }, id: string, recipientId: string) =>
    cancelRecipient(deps, caller, id, recipientId),
  move: (caller: KeyCaller, id: string, move: 'pause' | 'resume') => moveByKey(deps, caller, id, move),
});

export type CampaignVerbs = ReturnType<typeof createCampaignVerbs>;

async function readForKey(db: Queryable, orgId: string, id: string): Promise<Campaign> {
  const row = await readCampaign(db, orgId, id);
  if (!row) throw new Refusal('campaign_not_found');
  return presentForKey(row, await countRecipients(db, orgId, id));
}

function moveByKey({ db, access, guard, onPushed }: Deps, caller: KeyCaller, id: string, move: 'pause' | 'resume') {
  const { orgId, keyId, from, idempotency } = caller;
  const call = { orgId, idempotency };
  return guard(call, async () => {
    const done = await once(
      db,
      call,
      async (tx) => {
        await holdFence(tx, { orgId, keyId, from });
        const actor = { userId: keyId, address: caller.address, requestId: caller.requestId };
        await moveInside(tx, orgId, id, move, actor);
        return { status: 200, location: null, body: JSON.stringify(await readForKey(tx, orgId, id)) };
      },
      async (work) => (await access.change({ kind: 'campaign', id }, work)).result,
    );
    onPushed();
    return { body: done.answer.body, replayed: done.replayed };
  });
}
