import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { campaign, recipient } from '../../src/store/schema/campaign.ts';
import { OWNER, follow, seriousFaults, settled, startJourney, tooWide, type Journey } from './dashboard-browser.ts';

/** Result fields and reminders in the editor of an agent, and results where they are shown. */
let journey: Journey;
let cookie: string;
let orgId: string;
let agentId: string;

beforeAll(async () => {
  journey = await startJourney();
  ({ cookie, orgId } = await journey.owner());
  const items = [{ name: 'people', type: 'number', ask: { default: 'How many?' } }];
  const definition = { steps: { items } };
  agentId = (await make('POST', '/agents', { name: 'Booking', definition })).id;
});
afterAll(() => journey?.stop());

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into it freely
const make = async (method: string, path: string, body?: unknown): Promise<any> =>
  (await journey.api(`${method} /organizations/${orgId}${path}`, body, cookie)).body;
const draft = async () => (await make('GET', `/agents/${agentId}`)).definition;

test('fields are declared in the editor, and a fault is shown at its field', async () => {
  const { page, faults } = await journey.open(`/agents/${agentId}?tab=steps`, { as: OWNER });
  await page.getByRole('button', { name: 'Add field' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('People');
  await page.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'Date' }).click();
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.getByText('The step of this name asks for a number.').first().waitFor();
  await page.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'Whole number' }).click();
  await page.getByLabel('Required').check();
  await page.getByLabel('Also save the value to the end user').fill('end_user.attributes.party');
  expect(await seriousFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save draft' }).click();
  const field = { name: 'people', type: 'integer', required: true, save_to: 'end_user.attributes.party' };
  await expect.poll(async () => (await draft()).result).toEqual({ fields: [field] });
  expect(faults).toEqual([]);
});

test('reminders and the end of a silent conversation are set next to the hand-off', async () => {
  const { page, faults } = await journey.open(`/agents/${agentId}`, { as: OWNER });
  await page.getByRole('button', { name: 'Add reminder' }).click();
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Are you still there?');
  await page.getByLabel('End after this many minutes without an answer').fill('60');
  await page.getByRole('combobox', { name: 'Then' }).click();
  await page.getByRole('option', { name: 'Hand the conversation over to the team' }).click();
  await page.getByRole('button', { name: 'Let the agent start' }).click();
  await page.getByRole('button', { name: 'Let 30 minutes pass' }).click();
  await page.getByRole('log').getByText('Are you still there?').waitFor();
  await page.getByRole('button', { name: 'Let 60 minutes pass' }).click();
  await page.getByText('The agent handed over to people.').waitFor();
  expect(await seriousFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save draft' }).click();
  await expect
    .poll(async () => (await draft()).no_reply)
    // oxlint-disable-next-line unicorn/no-thenable -- the name on the wire, of a text
    .toEqual({ remind: [{ after_minutes: 30, text: { default: 'Are you still there?' } }], end_after_minutes: 60, then: 'hand_off' }); // prettier-ignore
  expect(faults).toEqual([]);
});

test('trigger, conversation and campaign show their results', async () => {
  await make('POST', `/agents/${agentId}/publish`);
  const trigger = (await make('POST', '/triggers', { agent_id: agentId, name: 'Book' })).id;
  const end_user = { external_id: 'noor', name: 'Noor' };
  const run = await make('POST', `/triggers/${trigger}/test`, { end_user });
  await make('POST', `/conversations/${run.conversation_id}/say`, { text: '4' });
  const { page, faults } = await journey.open(`/triggers/${trigger}`, { as: OWNER });
  await page.getByRole('row', { name: /people 4/ }).waitFor();
  expect(await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href')).toMatch(/results\.csv$/);
  await follow(page, `/conversations/${run.conversation_id}`);
  await page.getByText('people 4').waitFor();
  const campaignId = newId('campaign');
  const { db } = journey.app;
  await db.insert(campaign).values({ orgId, id: campaignId, agentId, channelId: run.channel_id, name: 'Party', settings: {}, attended: true, state: 'live' }); // prettier-ignore
  await db.insert(recipient).values({ orgId, campaignId, id: newId('rcpt'), endUserId: run.end_user_id, ref: 'row-1', status: 'replied', runId: run.id, conversationId: run.conversation_id }); // prettier-ignore
  await follow(page, `/campaigns/${campaignId}?tab=results`);
  await page.getByRole('row', { name: /Noor .*Complete people 4/ }).waitFor();
  await settled(page);
  expect(await seriousFaults(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 700 });
  expect(await tooWide(page)).toEqual([]);
  expect(faults).toEqual([]);
});
