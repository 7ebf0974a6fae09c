import type { DryRun, TriggerCall } from '../../../contract/triggers.ts';
import { Refusal } from '../../../contract/problems.ts';
import { renderOpening } from '../../answering/render-opening.ts';
import { timestamp } from '../../kernel/clock.ts';
import { readKeyedConversations } from '../../store/runs/resolve-conversations.ts';
import { EndUserBook } from '../../store/end-users/resolve.ts';
import { LATER } from '../../store/queue/later.ts';
import { reasonNotToSend } from '../../store/end-users/reason-not-to-send.ts';
import { readConversationPerson } from '../../store/conversations/read.ts';
import type { TriggersDeps } from './deps.ts';
import { type CallTarget, checkTriggerCall, conversationOf } from './trigger-call.ts';

/** Makes a dry run of a call, with all checks and look-ups of the real call. The dry run stores nothing. */
export async function previewCall(
  deps: TriggersDeps,
  target: CallTarget,
  call: TriggerCall,
  { fillsOnly }: { fillsOnly: boolean },
): Promise<DryRun> {
  const { db } = deps;
  const checked = await checkTriggerCall(target, call, deps);
  const { orgId } = target;
  const asked = {
    orgId,
    agentId: target.agent.id,
    endUser: call.end_user && Object.keys(call.end_user).length > 0 ? call.end_user : null,
    conversation: conversationOf(call),
  };
  const book = await EndUserBook.read(db.$client, [asked]);
  const keyed = await readKeyedConversations(db.$client, [asked]);
  const existing = keyed.values().next().value ?? null;
  if (call.conversation?.id !== undefined && existing === null) throw new Refusal('conversation_not_found');
  const goesOn = call.conversation?.on_existing === 'new' ? null : existing;
  if (goesOn && call.conversation?.on_existing === 'reject') {
    throw new Refusal('already_exists', `A conversation with this key exists: ${goesOn.id}.`, {
      members: { existing_id: goesOn.id },
    });
  }
  const taken = goesOn && asked.endUser === null ? null : book.take(orgId, asked.endUser, { fillsOnly });
  if (taken instanceof Refusal) throw taken;
  if (taken === LATER) throw new Error('one call never waits for itself');
  const named = taken?.row ?? null;
  const unchanged = taken?.unchanged ?? [];
  const stored = await readConversationPerson(db, orgId, goesOn?.end_user_id ?? named!.id, checked.channel.kind);
  const person = named ?? stored!.person;
  return {
    outcome: 'dry_run',
    dry_run: true,
    agent_id: target.agent.id,
    trigger_id: target.trigger.id,
    channel_id: checked.channel.id,
    channel_kind: checked.channel.kind,
    recipient: {
      end_user_id: stored === null ? null : person.id,
      would_create: stored === null,
      address: checked.addressFrom !== null && unchanged.includes(checked.addressFrom) ? null : checked.address,
    },
    conversation: { id: goesOn?.id ?? null, would: goesOn ? 'continue' : 'start' },
    variables: checked.variables,
    opening:
      call.message === undefined
        ? await renderOpening(db, {
            orgId,
            agentId: target.agent.id,
            version: checked.agentVersion,
            endUserId: stored === null ? null : person.id,
            locale: person.locale,
            variables: checked.variables,
            endUser: { ...person.attributes, name: person.name },
          })
        : null,
    skip_reason: skipReason(stored, goesOn?.status ?? null),
    send_at: checked.sendAt && timestamp(checked.sendAt),
    ...(unchanged.length > 0 && { unchanged }),
  };
}

function skipReason(
  stored: { blocked: boolean; optedOut: boolean } | null,
  conversation: string | null,
): string | null {
  const why = stored && reasonNotToSend(stored.blocked, stored.optedOut ? 'opted_out' : null);
  return why ?? (conversation === 'handed_off' ? 'handed_off' : null);
}
