import type { CampaignSettings } from '../contract/campaigns.ts';
import { newId } from '../src/kernel/ids.ts';
import { campaign as campaignTable } from '../src/store/schema/campaign.ts';
import { type Answer, startTestApp, type TestApp } from './app.ts';
import { givenAgent, givenOrganization } from './factories.ts';

/** Starts the complete program with an agent, and campaigns with their own keys. */
export type CampaignsApi = {
  parley: TestApp;
  orgId: string;
  agentId: string;
  channelId: string;
  givenCampaign(settings?: CampaignSettings, state?: string): Promise<GivenCampaign>;
};

export type GivenCampaign = {
  id: string;
  key: string;
  call: (method: string, path?: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
};

export async function startCampaignsApi(): Promise<CampaignsApi> {
  const parley = await startTestApp({ PARLEY_LIMITS: '{"campaigns":{"key":10000,"organization":10000}}' });
  const orgId = await givenOrganization(parley.db);
  const { agentId, channelId } = await givenAgent(parley.db, orgId, {
    definition: { opening: { default: 'Agent opening for {{end_user.name}} {{voucher}}' } },
  });
  const givenCampaign: CampaignsApi['givenCampaign'] = async (settings = {}, state = 'live') => {
    const id = newId('campaign');
    await parley.db
      .insert(campaignTable)
      .values({ orgId, id, agentId, channelId, name: 'Test', state, settings, attended: state !== 'draft' });
    const { value: key } = await parley.key(orgId, { scope: 'campaign', campaignId: id, permissions: ['campaigns'] });
    return {
      id,
      key,
      call: (method, path = '', body, headers = {}) =>
        parley.call(method, `/api/campaigns/${id}${path}`, { key, body, headers }),
    };
  };
  return { parley, orgId, agentId, channelId, givenCampaign };
}

export const push = (
  given: GivenCampaign,
  recipients: unknown[],
  more: object = {},
  headers?: Record<string, string>,
) => given.call('POST', '/recipients', { recipients, ...more }, headers);

let people = 0;
export const person = (more: object = {}) => ({ end_user: { external_id: `p-${++people}`, ...more } });

export async function settled(given: GivenCampaign, id: string, statuses: string[]) {
  for (const end = Date.now() + 20_000; Date.now() < end;) {
    const answer = await given.call('GET', `/recipients/${id}`);
    if (statuses.includes(answer.body.status)) return answer.body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return (await given.call('GET', `/recipients/${id}`)).body;
}
