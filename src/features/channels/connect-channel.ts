import type { ConnectChannelBody, ConnectedChannel } from '../../../contract/dashboard/channels.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Subject } from '../../access/types.ts';
import { newId } from '../../kernel/ids.ts';
import { lockAgent, readAgent } from '../../store/agents/read.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { countChannels, insertChannel } from '../../store/channels/channels.ts';
import type { Queryable } from '../../store/db.ts';
import { askProvider, sealSecrets, splitSettings } from './ask-provider.ts';
import { type ChannelsDeps, MAX_CHANNELS_PER_AGENT } from './deps.ts';
import { presentChannel, presentShown } from './read-channels.ts';

/** Only this response contains the values for the other side (`secret`, `verify_token`). */
export async function connectChannel(
  deps: ChannelsDeps,
  orgId: string,
  body: ConnectChannelBody,
  actor: Actor,
): Promise<ConnectedChannel> {
  const { agent_id: agentId, name, kind } = body;
  const split = splitSettings(deps, kind, body.settings ?? {});
  // The agent is checked before anything is sent to the provider, and again in the transaction.
  if (!(await readAgent(deps.db, orgId, agentId))) throw new Refusal('agent_not_found');
  await checkRoom(deps.db, orgId, agentId);
  const id = newId('channel');
  const { settings, secrets, shown } = await askProvider(deps, { kind, id }, split);
  // Nodes cache the agent with its sandbox channel.
  const subjects: Subject[] = [
    { kind: 'channel', id },
    { kind: 'agent', id: agentId },
  ];
  const { result } = await deps.access.change(subjects, async (tx) => {
    if (!(await lockAgent(tx, orgId, agentId))) throw new Refusal('agent_not_found');
    await checkRoom(tx, orgId, agentId);
    const sealed = await sealSecrets(tx, deps.sealingKey, { orgId, id, kind, settings }, secrets);
    const row = await insertChannel(tx, orgId, { id, agentId, kind, name, settings, sealed });
    const facts = { agent_id: agentId, kind, name };
    await recordAudit(tx, { orgId, actor, action: 'channel.connected', subjectId: id, facts });
    return presentChannel(deps, row);
  });
  return { ...result, ...presentShown(shown) };
}

async function checkRoom(db: Queryable, orgId: string, agentId: string): Promise<void> {
  if ((await countChannels(db, orgId, agentId)) < MAX_CHANNELS_PER_AGENT) return;
  throw new Refusal('already_exists', `An agent has at most ${MAX_CHANNELS_PER_AGENT} channels.`);
}
