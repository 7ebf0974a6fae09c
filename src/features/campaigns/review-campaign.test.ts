import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import type { CampaignSettings } from '../../../contract/campaigns.ts';
import { MAX_NAMED } from '../../../contract/dashboard/campaigns.ts';
import { longestStretchMs } from '../../../test/cpu-time.ts';
import { givenAgent, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Db } from '../../store/db.ts';
import { createSuppression } from '../../store/end-users/suppression.ts';
import { campaign } from '../../store/schema/campaign.ts';
import { channel } from '../../store/schema/channel.ts';
import type { WaitingRecipient } from '../../store/recipients/review.ts';
import { parseRecipients } from './parse-recipients.ts';
import { beginReview, reviewCampaign } from './review-campaign.ts';

let db: Db;
useDatabase((own) => {
  db = own;
});

const NOW = new Date('2026-11-21T12:00:00Z');

let number = 0;
const given = (
  person: Partial<WaitingRecipient['person']> = {},
  more: Partial<WaitingRecipient> = {},
): WaitingRecipient => ({
  id: `rcpt_${++number}`,
  ref: null,
  variables: {},
  address: null,
  request_id: null,
  send_at: null,
  ...more,
  person: {
    id: `enduser_${number}`,
    external_id: null,
    name: 'Asha',
    email: null,
    phone: null,
    locale: 'en',
    time_zone: null,
    attributes: {},
    blocked: false,
    consent: null,
    ...person,
  },
});

async function reviewOf(settings: CampaignSettings, people: WaitingRecipient[], kind = 'sandbox') {
  const review = beginReview({ settings, channel_kind: kind, now: NOW });
  await review.add(people);
  return review.end();
}

it('sent and skipped recipients are counted by the reasons of the worker', async () => {
  const people = [
    given({}, { address: '+97430000000' }),
    given({ blocked: true }),
    given({ consent: 'opted_out' }),
    given({ consent: 'opted_out' }),
    given(),
    given({}, { address: '+97430000001', send_at: new Date('2026-11-25T00:00:00Z') }),
  ];
  const { goes, left_out: leftOut, examined } = await reviewOf({ ends_at: '2026-11-24T00:00:00Z' }, people, 'whatsapp');
  expect([examined, goes.count]).toEqual([6, 1]);
  expect(leftOut.map(({ status, reason, count }) => [status, reason, count])).toEqual([
    ['suppressed', 'blocked', 1],
    ['suppressed', 'opted_out', 2],
    ['failed', 'no_address', 1],
    ['expired', 'campaign_ended', 1],
  ]);
  expect(leftOut[0]!.recipients).toMatchObject([{ id: people[1]!.id, name: 'Asha' }]);
});

it('the review counts the people whose message has an empty placeholder, and names some of them', async () => {
  const text = { default: 'Hi {{end_user.name}}, {{voucher|a gift}}', ar: 'أهلاً {{end_user.name|بك}}' };
  const people = [
    given({ name: null }),
    given({ name: null, locale: 'ar' }),
    given({ name: null, blocked: true }),
    given({ name: 'Omar' }),
  ];
  const { empty, samples } = await reviewOf({ opening: { text } }, people);
  expect(empty).toMatchObject({ count: 1, names: ['end_user.name'], recipients: [{ id: people[0]!.id }] });
  expect(samples.map(({ opening }) => opening)).toEqual([
    { type: 'text', text: 'Hi , a gift' },
    { type: 'text', text: 'أهلاً بك' },
    { type: 'text', text: 'Hi Omar, a gift' },
  ]);
  const many = Array.from({ length: MAX_NAMED + 5 }, () => given({ name: null }));
  const found = (await reviewOf({ opening: { text } }, many)).empty;
  expect([found.count, found.recipients.length]).toEqual([MAX_NAMED + 5, MAX_NAMED]);
});

it('the review counts the templates that the provider would refuse, with the reasons', async () => {
  const template = { name: 'sale', variables: { 'header.image': '{{image}}', '1': '{{code}}' } };
  const people = [
    given({}, { address: '+97430000000', variables: { image: 'https://a.example/a.png', code: 'A' } }),
    given({}, { address: '+97430000001', variables: { image: 'a.example/b.png', code: 'B' } }),
    given({}, { address: '+97430000002', variables: { image: 'https://a.example/c.png' } }),
  ];
  const { refused, goes } = await reviewOf({ opening: { template } }, people, 'whatsapp');
  expect(goes.count).toBe(3);
  expect(refused).toMatchObject({
    count: 2,
    reasons: ['The value of "header.image" must start with https://.', 'The template needs a value for "1".'],
    recipients: [{ id: people[1]!.id }, { id: people[2]!.id }],
  });
});

it('a sample shows the opening of the agent, and a channel with a reply window needs a template', async () => {
  const orgId = await givenOrganization(db);
  const id = newId('campaign');
  const of = await givenAgent(db, orgId, { definition: { opening: { default: 'Hello {{end_user.name|there}}.' } } });
  await db.insert(campaign).values({ ...of, orgId, id, name: 'Spring', state: 'live' });
  const deps = { db, suppression: createSuppression(Buffer.alloc(32, 7)) };
  const review = () => reviewCampaign(deps, orgId, id, { rows: parseRecipients('id,name\ncrm-1,Asha\n') });
  expect(await review()).toMatchObject({
    samples: [{ opening: { type: 'text', text: 'Hello Asha.' } }],
    needs_template: false,
  });
  await db.update(channel).set({ kind: 'whatsapp' }).where(eq(channel.id, of.channelId));
  expect((await review()).needs_template).toBe(true);
});

it('a file without a row of column names is refused, and the fault says what to add', async () => {
  const read = async (file: string) => {
    for await (const row of parseRecipients(file)) return row;
    return null;
  };
  await expect(read('Asha,+97430000201\nOmar,+97430000202\n')).rejects.toMatchObject({
    code: 'validation_failed',
    message: expect.stringContaining('one of them must be id, email or phone'),
  });
  expect(await read('Name;Phone\nAsha;+97430000203\n')).toMatchObject({
    recipient: { end_user: { name: 'Asha', phone: '+97430000203' } },
  });
});

it('hours, time zones, send times and the rate limit determine the first and last time of sending', async () => {
  const settings = { window: { from: '14:00', to: '16:00' }, time_zone: 'UTC' };
  const people = [
    given(),
    given({ time_zone: 'Asia/Qatar' }),
    given({}, { send_at: new Date('2026-11-22T15:00:00Z') }),
  ];
  expect((await reviewOf(settings, people)).goes).toEqual({
    count: 3,
    later: 2,
    first_at: '2026-11-21T12:00:00.000Z',
    last_at: '2026-11-22T15:00:00.000Z',
  });
  const crowd = Array.from({ length: 121 }, () => given());
  expect((await reviewOf({ per_minute: 2 }, crowd)).goes).toMatchObject({
    later: 0,
    last_at: '2026-11-21T13:00:00.000Z',
  });
});

it('many simultaneous reviews share the event loop as if they were one', async () => {
  const text = { default: 'Hi {{end_user.name}}, {{voucher|a gift}}' };
  const people = Array.from({ length: 2_000 }, () => given());
  const longest = await longestStretchMs(() =>
    Promise.all(Array.from({ length: 60 }, () => reviewOf({ opening: { text } }, people))),
  );
  expect(longest).toBeLessThan(150);
});

it('an organization can run only a few reviews at once, and other organizations can run theirs', async () => {
  const givenCampaign = async () => {
    const orgId = await givenOrganization(db);
    const id = newId('campaign');
    await db.insert(campaign).values({ ...(await givenAgent(db, orgId)), orgId, id, name: 'Spring', state: 'live' });
    return [orgId, id] as const;
  };
  const deps = { db, suppression: createSuppression(Buffer.alloc(32, 7)) };
  const [one, other] = [await givenCampaign(), await givenCampaign()];
  const asked = await Promise.allSettled(
    [one, one, one, one, one, one, other].map((of) => reviewCampaign(deps, ...of, { filter: {} })),
  );
  const codes = asked.map((result) =>
    result.status === 'fulfilled' ? null : (result.reason as { code: string }).code,
  );
  expect(codes).toEqual([null, null, null, null, 'rate_limited', 'rate_limited', null]);
  expect(await reviewCampaign(deps, ...one, null)).toMatchObject({ waiting: 0 });
});
