import { randomBytes, randomUUID } from 'node:crypto';

export type Json = Record<string, string> & { organizations: { id: string }[]; data: { id: string; email?: string }[] };
export type Call = (line: string, body?: unknown) => Promise<Json>;

/** Creates a text that the test can recognize in every place. */
export const canary = (): string => randomBytes(16).toString('hex');

const PREFIX_CHARACTERS = 'parley_us_abcdef'.length;

/** Creates one record of every kind, with secrets where secrets are stored. */
export async function createRecords(call: Call, orgId: string, address: string, plant: (id: string) => string) {
  const make = async (noun: string, body: object): Promise<Json> => {
    const made = await call(`POST /organizations/${orgId}/${noun}`, body);
    plant(made['id']!);
    return made;
  };
  const [instructions, person, modelKey, signing] = [canary(), canary(), canary(), canary()];
  const botToken = `xoxb-${canary()}`;
  const agent = await make('agents', { name: 'Agent', definition: { instructions, opening: { default: 'Hello' } } });
  const own = { agent_id: agent['id'] };
  await make(`agents/${agent['id']}/documents`, { name: 'Guide', text: 'The shop opens at nine.' });
  const trigger = await make('triggers', { ...own, name: 'Trigger', variables: [{ name: 'a', type: 'string' }] });
  const settings = { allowed_origins: ['https://shop.example'] };
  const chat = await make('channels', { ...own, kind: 'web_chat', name: 'Chat', settings });
  const slack = { bot_token: botToken, signing_secret: signing, api_url: address };
  await make('channels', { ...own, kind: 'slack', name: 'Slack', settings: slack });
  const hook = await make('channels', { ...own, kind: 'webhook', name: 'Hook', settings: { url: address } });
  const campaign = await make('campaigns', { ...own, channel_id: chat['id'], name: 'Campaign' });
  const someone = { external_id: randomUUID(), name: person, email: `${person}@example.com` };
  await make('end-users', someone);
  const signed = await make(`agents/${agent['id']}/tool-secrets`, { tool: 'orders', url: address });
  const webhook = await make('webhooks', { url: address });
  await call(`PUT /organizations/${orgId}/models/openai`, { base_url: address, key: modelKey });
  const key = await make('keys', {
    label: 'K',
    scope: 'organization',
    permissions: ['triggers', 'channels', 'end_users'],
  });
  const bound = { scope: 'campaign', campaign_id: campaign['id'], permissions: ['campaigns'] };
  const campaignKey = await make('keys', { label: 'C', ...bound });
  const run = await call(`POST /organizations/${orgId}/triggers/${trigger['id']}/test`, { message: 'Hi' });
  for (const id of [run['id'], run['conversation_id'], run['end_user_id']]) plant(id!);
  const secrets = [modelKey, signing, botToken, hook['secret']!, webhook['secret']!, signed['secret']!];
  const keys = [key['value']!, campaignKey['value']!];
  // Lists show the first characters of a key.
  const tails = keys.map((value) => value.slice(PREFIX_CHARACTERS));
  return {
    key: keys[0]!,
    campaignKey: keys[1]!,
    secrets: [...secrets, ...tails].map((one) => one.replace(/^whsec_/, '')),
    inside: [instructions, person],
  };
}
