import type { Region } from '../../contract/regions.ts';
import { createDigest, digestBytes } from '../access/api-keys/digest.ts';
import { mintKey, shownPrefix } from '../access/api-keys/key-format.ts';
import { channelKinds } from '../channels/kinds.ts';
import { sealSecrets } from '../features/channels/ask-provider.ts';
import { keepMessage } from '../features/conversations/keep-message.ts';
import { newId } from '../kernel/ids.ts';
import type { Key } from '../kernel/seal.ts';
import { insertAgent } from '../store/agents/write.ts';
import { insertApiKey } from '../store/api-keys/write.ts';
import { SYSTEM, recordAudit } from '../store/organizations/audit.ts';
import { insertCampaign } from '../store/campaigns/campaigns.ts';
import { insertChannel } from '../store/channels/channels.ts';
import { insertConversation } from '../store/conversations/write.ts';
import type { Db, Queryable } from '../store/db.ts';
import { insertDocument } from '../store/documents.ts';
import { insertEndUser } from '../store/end-users/read.ts';
import { claimDemo } from '../store/installation/installation.ts';
import { insertOrganization } from '../store/organizations/organizations.ts';
import { insertTrigger } from '../store/triggers.ts';
import { QUICKSTART_MS } from './quickstart-key.ts';
import { ARABIC_QUESTION, CHAT, CONCIERGE, PEOPLE, SHOP_GUIDE, SHOP_GUIDE_AR } from './demo-texts.ts';

export type Demo = { orgId: string; agentId: string; triggerId: string; chatId: string; keyValue: string };

/** Creates the demo organization, either completely or not at all, and only once in the life of an installation. */
export async function createDemo({
  db,
  config,
  secrets,
}: {
  db: Db;
  config: { region: Region };
  secrets: { apiKeyPepper: Buffer; sealingKey: Key };
}): Promise<Demo | null> {
  return db.transaction(async (tx) => {
    if (!(await claimDemo(tx))) return null;
    const { id: orgId } = await insertOrganization(tx, { name: 'Demo', plan: 'paid' });
    const { agentId, channelId } = await makeAgent(tx, orgId);
    const chatId = await makeChat(tx, orgId, agentId, secrets.sealingKey);
    const triggerId = newId('trigger');
    await insertTrigger(tx, orgId, {
      id: triggerId,
      agentId,
      name: 'Order update',
      enabled: true,
      variables: [{ name: 'order_id', type: 'string', description: 'Number of the order, e.g. A-1043.' }],
      channelId: null,
    });
    await insertCampaign(tx, orgId, { id: newId('campaign'), agentId, channelId, name: 'Welcome back' });
    await makePeople(tx, orgId, agentId, channelId);
    const keyValue = await makeKey(tx, orgId, config.region, secrets.apiKeyPepper);
    return { orgId, agentId, triggerId, chatId, keyValue };
  });
}

async function makeAgent(tx: Queryable, orgId: string) {
  const agentId = newId('agent');
  const channelId = newId('channel');
  await insertAgent(tx, orgId, { id: agentId, name: 'Concierge', definition: CONCIERGE, publishedBy: null });
  await insertChannel(tx, orgId, { id: channelId, agentId, kind: 'sandbox', name: 'Sandbox' });
  await insertDocument(tx, orgId, { id: newId('doc'), agentId, name: 'Shop guide', text: SHOP_GUIDE });
  await insertDocument(tx, orgId, { id: newId('doc'), agentId, name: 'دليل المتجر', text: SHOP_GUIDE_AR });
  return { agentId, channelId };
}

/**
 * Creates a web chat of the demo on a separate page. A site may embed the chat only after a member adds the site to the
 * list.
 */
async function makeChat(tx: Queryable, orgId: string, agentId: string, sealingKey: Key): Promise<string> {
  const id = newId('channel');
  const own = channelKinds.get('web_chat')!.ownSecrets!.make();
  const sealed = await sealSecrets(tx, sealingKey, { orgId, id, kind: 'web_chat', settings: CHAT }, own);
  await insertChannel(tx, orgId, { id, agentId, kind: 'web_chat', name: 'Web chat', settings: CHAT, sealed });
  return id;
}

/** Creates a few people, and an Arabic conversation that the agent answers when the worker runs. */
async function makePeople(tx: Queryable, orgId: string, agentId: string, channelId: string): Promise<void> {
  for (const person of PEOPLE) {
    const id = newId('enduser');
    const { external_id: externalId, time_zone: timeZone, ...rest } = person;
    await insertEndUser(tx, orgId, { id, externalId, timeZone, ...rest });
    if (person.locale !== 'ar') continue;
    const conversationId = newId('conv');
    await insertConversation(tx, orgId, { id: conversationId, agentId, channelId, endUserId: id, locale: 'ar' });
    await keepMessage(tx, orgId, conversationId, { type: 'text', text: ARABIC_QUESTION }, { requestId: null });
  }
}

async function makeKey(tx: Queryable, orgId: string, region: Region, pepper: Buffer): Promise<string> {
  const id = newId('key');
  const value = mintKey(region);
  const digest = createDigest(pepper);
  const key = {
    id,
    label: 'Quickstart',
    prefix: shownPrefix(value),
    scope: 'organization' as const,
    agentId: null,
    campaignId: null,
    permissions: ['triggers', 'channels', 'end_users'] as ('triggers' | 'channels' | 'end_users')[],
    allowedNetworks: null,
    limits: null,
    createdBy: SYSTEM.userId,
    rotatedFrom: null,
    // The demo's key expires, because it may stay in a log of standard output.
    revokeAt: new Date(Date.now() + QUICKSTART_MS),
  };
  await insertApiKey(tx, orgId, key, digestBytes(digest(value)), digest.generation);
  await recordAudit(tx, {
    orgId,
    actor: SYSTEM,
    action: 'api_key.created',
    subjectId: id,
    facts: { label: key.label },
  });
  return value;
}
