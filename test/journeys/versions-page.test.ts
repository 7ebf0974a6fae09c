import { afterAll, beforeAll, expect, test } from 'vitest';
import { OWNER, seriousFaults, startJourney, tooWide, type Journey } from './dashboard-browser.ts';

/** The tab of versions: a rollout is started, changed and finished, and its versions are compared. */
let journey: Journey;
let cookie: string;
let orgId: string;
let agentId: string;
let triggerId: string;

beforeAll(async () => {
  journey = await startJourney();
  ({ cookie, orgId } = await journey.owner());
  agentId = (await make('POST', '/agents', { name: 'Booking', definition: { opening: { default: 'one' } } })).id;
  await make('PATCH', `/agents/${agentId}`, { definition: { opening: { default: 'two' } }, publish: false });
  triggerId = (await make('POST', '/triggers', { agent_id: agentId, name: 'Order update' })).id;
});
afterAll(() => journey?.stop());

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into it freely
const make = async (method: string, path: string, body?: unknown): Promise<any> =>
  (await journey.api(`${method} /organizations/${orgId}${path}`, body, cookie)).body;
const rollout = () => make('GET', `/agents/${agentId}/rollout`);

test('the draft is rolled out as a new version, and compared with the live one', async () => {
  const { page, faults } = await journey.open(`/agents/${agentId}?tab=versions`, { as: OWNER });
  await page.getByText('No version is being rolled out.').waitFor();
  await page.getByRole('button', { name: 'Roll out a version' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Part of the end users, in percent').fill('101');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Enter a whole number from 0 to 100.').waitFor();
  await dialog.getByLabel('Part of the end users, in percent').fill('50');
  await dialog.getByLabel('Allowed difference, in percentage points').fill('10');
  expect(await seriousFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Version 2 goes to 50% of the end users, and version 1 to all others.').waitFor();
  expect(await rollout()).toMatchObject({ version: 2, percent: 50, stop_when: { worse_by: 0.1, confidence: 0.95 } });

  for (let number = 0; number < 12; number++) await make('POST', `/triggers/${triggerId}/test`, {});
  await expect.poll(async () => (await make('GET', `/agents/${agentId}/versions/compare`)).data.length).toBe(2);
  await page.reload();
  await page.getByRole('table', { name: 'Comparison' }).getByText('Version 2').waitFor();
  await page.getByText(/^Difference: 0 points/).waitFor();
  expect(await tooWide(page)).toEqual([]);
  expect(await seriousFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('finishing the rollout makes its version live', async () => {
  const { page, faults } = await journey.open(`/agents/${agentId}?tab=versions`, { as: OWNER });
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  // A wrong value in a field that is then hidden does not prevent saving.
  await dialog.getByLabel('Allowed difference, in percentage points').fill('much');
  await dialog.getByLabel('Stop automatically').uncheck();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await rollout()).toMatchObject({ stop_when: null });
  await page.getByRole('button', { name: 'Make it live' }).click();
  // The page reads the rollout before the agent.
  await page.route(`**/agents/${agentId}`, async (route) => {
    await page.getByText(/^Version 2 became live/).waitFor();
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Make it live' }).click();
  await page.getByText('Version 2 is live.').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await page.unroute(`**/agents/${agentId}`);
  expect(await make('GET', `/agents/${agentId}`)).toMatchObject({ version: 2, unpublished_changes: false });
  expect(faults).toEqual([]);
});

test('a trigger chooses a version in its settings', async () => {
  const { page, faults } = await journey.open(`/triggers/${triggerId}?tab=settings`, { as: OWNER });
  await page.getByRole('combobox', { name: 'Version of the agent' }).click();
  await page.getByRole('option', { name: 'Version 1' }).click();
  // The form does not undo a change that another member made.
  await make('PATCH', `/triggers/${triggerId}`, { name: 'Order status' });
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(async () => (await make('GET', `/triggers/${triggerId}`)).agent_version).toBe(1);
  expect((await make('GET', `/triggers/${triggerId}`)).name).toBe('Order status');
  expect(await seriousFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('the bar creates a version without publishing it, and leads to the first channel after publishing', async () => {
  const { page, faults } = await journey.open(`/agents/${agentId}`, { as: OWNER });
  await page.getByRole('link', { name: 'Next: connect a channel, for example a chat on your website' }).waitFor();
  const more = page.getByRole('button', { name: 'Other choices' });
  expect(await more.isDisabled()).toBe(true);
  const live = (await make('GET', `/agents/${agentId}`)).version;
  await page.getByLabel('Instructions').fill('Be brief.');
  await more.click();
  await page.getByRole('menuitem', { name: 'Add as a version that is not live' }).click();
  await page.getByText(`Version ${live + 1} is not live.`).waitFor();
  await page.getByText(`The draft is saved. Live: version ${live}.`).waitFor();
  expect(await make('GET', `/agents/${agentId}`)).toMatchObject({ version: live, newest_version: live + 1 });
  expect(await tooWide(page)).toEqual([]);
  expect(await seriousFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Roll it out' }).click();
  await page.getByRole('button', { name: 'Roll out a version' }).waitFor();
  expect(faults).toEqual([]);
});
