import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CHROMIUM,
  follow,
  type Journey,
  OWNER,
  seriousFaults,
  settled,
  startJourney,
  tooWide,
  wordFaults,
} from './dashboard-browser.ts';

const PAGE = '/settings/organization';
/** An interval of half an hour that starts in six hours. */
const hour = String((new Date().getUTCHours() + 6) % 24).padStart(2, '0');
const WEEK = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const HOURS = { days: [1, 2, 3, 4, 5, 6, 7], from: `${hour}:00`, to: `${hour}:30`, time_zone: 'UTC' };

/** Rules for hand-offs, from the settings page to a conversation. */
describe.skipIf(!CHROMIUM)('hand-offs', () => {
  let journey: Journey;
  let owner: Awaited<ReturnType<Journey['owner']>>;
  beforeAll(async () => {
    journey = await startJourney();
    owner = await journey.owner();
  });
  afterAll(() => journey?.stop());

  const call = async (of: string, body?: unknown) => {
    const [method, path] = of.split(' ');
    const answer = await journey.api(`${method} /organizations/${owner.orgId}${path}`, body, owner.cookie);
    if (answer.status >= 300) throw new Error(`${of}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

  it('a hand-off goes to a member with an open dashboard; the person is told once if the team is away', async () => {
    const { page, faults } = await journey.open(PAGE, { as: OWNER });
    const card = page.getByRole('region', { name: 'Hand-offs' });
    await card.getByLabel('Hand-offs go to').click();
    await page.getByRole('option', { name: 'One member' }).click();
    await card.getByRole('button', { name: 'Save changes' }).click();
    await card.getByText('Choose a member.').waitFor();
    await card.getByLabel('Hand-offs go to').click();
    await page.getByRole('option', { name: 'Members who are present, in turn' }).click();
    await card.getByRole('switch', { name: 'Working hours' }).check();
    // The organization's time zone is that of the browser in which it was set up.
    for (const day of ['Saturday', 'Sunday']) await card.getByRole('button', { name: `Add hours on ${day}` }).click();
    for (const day of WEEK) {
      await card.getByLabel(`${day}, from`).fill(HOURS.from);
      await card.getByLabel(`${day}, until`).fill(HOURS.to);
    }
    await card.getByLabel('Monday, until').fill('00:00');
    await card.getByText('These hours end on the next day.').waitFor();
    await card.getByLabel('Monday, until').fill(HOURS.to);
    await card.getByRole('button', { name: 'Add holiday' }).click();
    await card.getByRole('button', { name: 'Save changes' }).click();
    await card.getByText('Choose the date of each holiday, or remove it.').waitFor();
    await card.getByLabel('Date of the holiday').fill('2037-12-18');
    await card.getByLabel('Name of the holiday').fill('National Day');
    await card
      .getByRole('textbox', { name: 'Time zone' })
      .or(card.getByRole('combobox', { name: 'Time zone' }))
      .fill('UTC');
    await page.getByRole('option', { name: 'UTC', exact: true }).click();
    await card.getByLabel('Message outside working hours', { exact: true }).fill('We answer in the morning.');
    await settled(page);
    expect(await seriousFaults(page)).toEqual([]);
    const saving = Promise.withResolvers<void>();
    await page.route('**/hand-offs', async (route) => {
      if (route.request().method() === 'PUT') await saving.promise;
      await route.continue();
    });
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await card.getByRole('button', { name: 'Save changes' }).click();
    await sent;
    // No text can be typed that the saved rules would replace.
    expect(await card.getByLabel('Message outside working hours', { exact: true }).isEditable()).toBe(false);
    saving.resolve();
    await page.getByText('Rules for hand-offs saved.').first().waitFor();
    await page.unroute('**/hand-offs');
    expect(await call('GET /hand-offs')).toEqual({
      goes_to: 'present',
      user_id: null,
      hours: {
        ...HOURS,
        ranges: HOURS.days.map((day) => ({ day, from: HOURS.from, to: HOURS.to })),
        holidays: [{ date: '2037-12-18', name: 'National Day' }],
      },
      outside: { default: 'We answer in the morning.' },
    });
    // Another member saved in the meantime. The first press shows it.
    await card.getByLabel('Monday, until').fill('23:00');
    const rules = await call('GET /hand-offs');
    await call('PUT /hand-offs', { ...rules, outside: { default: 'We answer at eight.' } });
    await card.getByRole('button', { name: 'Save changes' }).click();
    await card.getByText('Another member changed these rules.', { exact: false }).waitFor();
    expect((await call('GET /hand-offs')).outside).toEqual({ default: 'We answer at eight.' });
    await call('PUT /hand-offs', rules);
    const { id: agent_id } = await call('POST /agents', {
      name: 'Concierge',
      definition: { instructions: 'Be brief.' },
    });
    const { id: trigger } = await call('POST /triggers', { agent_id, name: 'Order update' });
    const asked = { end_user: { external_id: 'dana' }, message: 'I want to talk to a human' };
    const { conversation_id } = await call(`POST /triggers/${trigger}/test`, asked);
    const read = () => call(`GET /conversations/${conversation_id}`);
    await expect.poll(async () => (await read()).assignee_id, { timeout: 20_000 }).not.toBeNull();
    await follow(page, `/conversations/${conversation_id}`);
    await page.getByText('We answer in the morning.').first().waitFor();
    await settled(page);
    const { messages } = await read();
    const notices = messages.filter(({ content }: { content: { text: string } }) =>
      /in the morning/.test(content.text),
    );
    expect(notices).toHaveLength(1);
    expect(faults).toEqual([]);
  });

  it('the rules for hand-offs can be set in Arabic on a phone', async () => {
    const viewport = { width: 390, height: 844 };
    const { page } = await journey.open(PAGE, { as: OWNER, liked: { language: 'ar' }, viewport, colorScheme: 'dark' });
    await page.getByRole('switch', { name: 'ساعات العمل' }).waitFor();
    await settled(page);
    expect(await tooWide(page)).toEqual([]);
    expect(await wordFaults(page)).toEqual([]);
  });
});
