import { randomBytes } from 'node:crypto';
import type { ConnectChannelBody, ConnectedChannel } from '../../../contract/dashboard/channels.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Subject } from '../../access/types.ts';
import { newId } from '../../kernel/ids.ts';
import { placeOf, seal } from '../../kernel/seal.ts';
import { lockAgent } from '../../store/agents.ts';
import { type Actor, recordAudit } from '../../store/audit.ts';
import { countChannels, insertChannel } from '../../store/channels.ts';
import type { Queryable } from '../../store/db.ts';
import { openDataKey } from '../../store/models.ts';
import { type ChannelsDeps, MAX_CHANNELS_PER_AGENT } from './channels.ts';
import { checkSettings, readChannelKind } from './check-settings.ts';
import { presentChannel } from './read-channels.ts';

/** Standard Webhooks: 24 to 64 random bytes. */
const SECRET_BYTES = 32;

/** A webhook channel's signing secret is in this answer and nowhere again. */
export async function connectChannel(
  { access, sealingKey }: ChannelsDeps,
  orgId: string,
  body: ConnectChannelBody,
  actor: Actor,
): Promise<ConnectedChannel> {
  const kind = readChannelKind(body.kind);
  const settings = checkSettings(kind, body.settings ?? {});
  const { agent_id: agentId, name } = body;
  const id = newId('channel');
  const secret = kind === 'webhook' ? `whsec_${randomBytes(SECRET_BYTES).toString('base64')}` : null;
  // The nodes remember the agent with its sandbox channel.
  const subjects: Subject[] = [
    { kind: 'channel', id },
    { kind: 'agent', id: agentId },
  ];
  const { result } = await access.change(subjects, async (tx) => {
    if (!(await lockAgent(tx, orgId, agentId))) throw new Refusal('agent_not_found');
    if ((await countChannels(tx, orgId, agentId)) >= MAX_CHANNELS_PER_AGENT) {
      throw new Refusal('already_exists', `An agent has at most ${MAX_CHANNELS_PER_AGENT} channels.`);
    }
    const sealed = secret === null ? null : await sealSecret(tx, orgId, id, secret);
    const row = await insertChannel(tx, orgId, { id, agentId, kind, name, settings, sealed });
    const facts = { agent_id: agentId, kind, name };
    await recordAudit(tx, { orgId, actor, action: 'channel.connected', subjectId: id, facts });
    return presentChannel(row);
  });
  return { ...result, ...(secret !== null && { secret }) };

  async function sealSecret(tx: Queryable, organization: string, row: string, value: string): Promise<string> {
    const key = await openDataKey(tx, organization, sealingKey);
    return seal(key, JSON.stringify({ secret: value }), channelSealPlace(organization, row));
  }
}

/** Associated data of a channel's sealed credentials: what is sealed is a JSON object, `{"secret":"whsec_…"}`. */
export const channelSealPlace = (organization: string, row: string): string[] =>
  placeOf({ table: 'channel', column: 'sealed', row, organization });
