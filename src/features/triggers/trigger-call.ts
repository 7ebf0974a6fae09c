import type { PersonField } from '../../../contract/channel-kinds.ts';
import { type Fault, Refusal } from '../../../contract/problems.ts';
import type { TriggerCall } from '../../../contract/triggers.ts';
import type { AgentFacts, ChannelFacts, TriggerFacts } from '../../access/types.ts';
import { channelKinds } from '../../channels/kinds.ts';
import { unreadableAddress } from '../../channels/unreadable-address.ts';
import { readSendAt } from '../../kernel/validation/read-send-at.ts';
import type { TriggersDeps } from './deps.ts';
import type { AcceptCall } from '../../store/runs/accept-call.ts';
import { checkVersion } from './check-version.ts';
import { checkVariables } from './variables.ts';

/** The target of a trigger call, as the access room found it. */
export type CallTarget = { orgId: string; agent: AgentFacts; trigger: TriggerFacts };

/** A valid call, for which all checks without the database have passed. */
export type CheckedCall = {
  channel: ChannelFacts;
  address: string | null;
  /** The field of `end_user` that contained `address`. Null: the caller sent the address itself. */
  addressFrom: PersonField | null;
  variables: Record<string, unknown>;
  sendAt: Date | null;
  /** The version that the call or the trigger chose. Null if neither the call nor the trigger chose a version. */
  agentVersion: number | null;
};

/** Checks rows 14 (rules that the schema cannot express) and 15 of the order of checks (docs/security.md). */
export async function checkTriggerCall(
  target: CallTarget,
  call: TriggerCall,
  { db, findChannel }: Pick<TriggersDeps, 'db' | 'findChannel'>,
): Promise<CheckedCall> {
  const { values, faults } = checkVariables(target.trigger.variables, call.variables);
  const sendAt = readSendAt(call.send_at, faults);
  if (call.end_user && Object.keys(call.end_user).length > 0 && !hasIdentifier(call.end_user)) {
    faults.push({
      pointer: '/end_user',
      code: 'required',
      detail: 'Name the person by id, external_id, email or phone, or omit end_user for an anonymous person.',
    });
  }
  if (call.end_user?.id !== undefined && Object.keys(call.end_user).length > 1) {
    faults.push({ pointer: '/end_user/id', code: 'conflict', detail: 'With an id, no other field is allowed.' });
  }
  const { id, key } = call.conversation ?? { key: '' };
  if ((id === undefined) === (key === undefined) || (id !== undefined && call.conversation?.on_existing !== undefined))
    faults.push({
      pointer: '/conversation',
      code: 'conflict',
      detail: 'Give either key or id. With id, no other field is allowed.',
    });
  const channel = await chooseChannel(target, call, findChannel, faults);
  const address = channel === null ? null : readAddress(channel.kind, call, faults);
  if (faults.length > 0) throw new Refusal('validation_failed', undefined, { errors: faults });
  // Only the version of the call is checked: the version of the trigger was checked when it was set, and a version is
  // never removed.
  await checkVersion(db, target.orgId, target.agent.id, call.agent_version ?? null);
  if (!target.agent.enabled) throw new Refusal('agent_disabled');
  if (!target.trigger.enabled) throw new Refusal('trigger_disabled');
  if (!channel!.enabled) throw new Refusal('channel_disabled');
  return {
    channel: channel!,
    address,
    addressFrom:
      address === null || call.channel?.address !== undefined
        ? null
        : (channelKinds.get(channel!.kind)?.personField ?? null),
    variables: values,
    sendAt,
    agentVersion: call.agent_version ?? target.trigger.agentVersion,
  };
}

/** The check of the call has ensured that it contains either a key or an ID. */
export function conversationOf({ conversation }: TriggerCall): AcceptCall['conversation'] {
  if (conversation === undefined) return null;
  const { id, key, on_existing: onExisting = 'continue' } = conversation;
  return id === undefined ? { key: key!, onExisting } : { id };
}

export const hasIdentifier = (endUser: NonNullable<TriggerCall['end_user']>) =>
  endUser.id !== undefined ||
  endUser.external_id !== undefined ||
  endUser.email !== undefined ||
  endUser.phone !== undefined;

/** Finds the channel of the call, or else the trigger's channel, or else the agent's sandbox. */
async function chooseChannel(
  { orgId, agent, trigger }: CallTarget,
  call: TriggerCall,
  findChannel: TriggersDeps['findChannel'],
  faults: Fault[],
): Promise<ChannelFacts | null> {
  const id = call.channel?.id ?? trigger.channelId ?? agent.sandboxChannelId;
  const channel = id === null ? null : await findChannel(orgId, id);
  if (channel?.agentId === agent.id) return channel;
  if (call.channel?.id !== undefined) {
    faults.push({ pointer: '/channel/id', code: 'not_found', detail: 'The agent has no channel with this id.' });
    return null;
  }
  throw new Refusal(
    'channel_disabled',
    "The trigger's channel was disconnected. Connect one, or name a channel in the call.",
  );
}

/** Returns the canonical spelling of the address in the call, so that a message from this address is recognized. */
function readAddress(kind: string, call: TriggerCall, faults: Fault[]): string | null {
  const known = channelKinds.get(kind);
  const { readAddress: read, personField } = known ?? {};
  const given = call.channel?.address;
  if (given === undefined) {
    const own = personField && call.end_user?.[personField];
    return own ? (read?.(own) ?? own) : null;
  }
  const address = read ? read(given) : given;
  if (address !== null) return address;
  faults.push({
    pointer: '/channel/address',
    code: 'format',
    detail: unreadableAddress(known ?? { kind }),
  });
  return null;
}
