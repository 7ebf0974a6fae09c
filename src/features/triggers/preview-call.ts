import type { DryRun, TriggerCall } from '../../../contract/triggers.ts';
import { Refusal } from '../../../contract/problems.ts';
import { renderOpening } from '../../answering/render-opening.ts';
import { channelKinds } from '../../channels/kinds.ts';
import { timestamp } from '../../kernel/clock.ts';
import { readAddressOfTurn } from '../../store/end-users/address-of.ts';
import { reasonNotToSend } from '../../store/end-users/reason-not-to-send.ts';
import { readConversationPerson } from '../../store/conversations/read.ts';
import type { PlannedCall } from '../../store/runs/write.ts';
import type { TriggersDeps } from './deps.ts';
import { acceptCallOf } from './start-conversation.ts';
import { type CallTarget, checkTriggerCall } from './trigger-call.ts';

/** Makes a dry run of a call, with all checks and look-ups of the real call. The dry run stores nothing. */
export async function previewCall(
  deps: TriggersDeps,
  target: CallTarget,
  call: TriggerCall,
  { fillsOnly }: { fillsOnly: boolean },
): Promise<DryRun> {
  const { db, acceptQueue } = deps;
  const checked = await checkTriggerCall(target, call, deps);
  const input = { target, call, keyId: null, from: null, fillsOnly, requestId: '', idempotency: null };
  const planned = await acceptQueue.preview(acceptCallOf(input, checked));
  const { run, continues } = planned;
  const { orgId } = target;
  const { kind } = checked.channel;
  const person = await personOf(deps, orgId, planned, kind);
  const endUserId = person.isNew ? null : run.endUserId;
  const own = continues ? null : planned.address;
  const address = own ?? (endUserId && (await readAddressOfTurn(db, orgId, { ...run, endUserId })));
  const why = continues?.status === 'handed_off' ? 'handed_off' : reasonNotToSend(person.blocked, person.consent);
  const needsAddress = channelKinds.get(kind)?.capabilities.needs_address ?? false;
  return {
    outcome: 'dry_run',
    dry_run: true,
    agent_id: target.agent.id,
    trigger_id: target.trigger.id,
    channel_id: checked.channel.id,
    channel_kind: kind,
    recipient: { end_user_id: endUserId, would_create: person.isNew, address },
    conversation: { id: continues?.id ?? null, would: continues ? 'continue' : 'start' },
    variables: checked.variables,
    opening:
      call.message === undefined
        ? await renderOpening(db, {
            orgId,
            agentId: target.agent.id,
            version: checked.agentVersion,
            endUserId,
            locale: person.locale,
            variables: checked.variables,
            endUser: { ...person.attributes, name: person.name },
          })
        : null,
    skip_reason: why ?? (needsAddress && address === null ? 'no_address' : null),
    send_at: checked.sendAt && timestamp(checked.sendAt),
    ...(run.unchanged.length > 0 && { unchanged: [...run.unchanged] }),
  };
}

/** The person as the call would store the person. */
async function personOf({ db }: Pick<TriggersDeps, 'db'>, orgId: string, { endUser, run }: PlannedCall, kind: string) {
  if (endUser !== null) {
    const { status } = (endUser.consent[kind] ?? {}) as { status?: string };
    return { ...endUser, consent: status, isNew: endUser.updated_at === null };
  }
  const stored = await readConversationPerson(db, orgId, run.endUserId, kind);
  if (stored === null) throw new Refusal('conversation_not_found');
  const { person, blocked, optedOut } = stored;
  return { ...person, blocked, consent: optedOut ? 'opted_out' : undefined, isNew: false };
}
