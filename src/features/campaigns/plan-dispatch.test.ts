import { expect, it } from 'vitest';
import type { CampaignSettings } from '../../../contract/campaigns.ts';
import { longestStretchMs } from '../../../test/cpu-time.ts';
import type { DueRecipient, LockedCampaign } from '../../store/recipients/dispatch.ts';
import { planDispatch } from './plan-dispatch.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const zones = Intl.supportedValuesOf('timeZone');

const campaignWith = (settings: CampaignSettings) =>
  ({ id: 'campaign_1', settings, channel_kind: 'sandbox', now: NOW, paced_until: null }) as LockedCampaign;

const due = Array.from({ length: 200 }, (_, index) => {
  const person = { id: `enduser_${index}`, name: 'Asha', time_zone: zones[index]!, attributes: {}, blocked: false };
  return { id: `rcpt_${index}`, variables: {}, address: null, person: { locale: 'en', consent: null, ...person } };
}) as unknown as DueRecipient[];

it.each<[string, CampaignSettings]>([
  ['in as many time zones', { window: { from: '09:00', to: '09:01', days: [5] } }],
  [
    'with words of many variables',
    {
      opening: {
        template: {
          name: 'x',
          variables: Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`v${at}`, '{{b}}'.repeat(204)])),
        },
      },
    },
  ],
])('a batch of 200 people %s does not block the event loop', async (_what, settings) => {
  const campaign = campaignWith(settings);
  await planDispatch(campaign, due.slice(0, 2));
  let planned = 0;
  const plan = async (): Promise<void> => {
    planned = (await planDispatch(campaign, due)).dispatches.length;
  };
  expect(await longestStretchMs(plan)).toBeLessThan(150);
  expect(planned).toBe(200);
});
