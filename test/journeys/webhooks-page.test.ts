import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../src/kernel/standard-webhooks.ts';
import { type Receiver, startReceiver } from '../fakes/receiver.ts';
import {
  CHROMIUM,
  everythingKept,
  focusIn,
  follow,
  OWNER,
  seriousFaults,
  settled,
  startJourney,
  tooWide,
  type Journey,
} from './dashboard-browser.ts';

const WEBHOOKS = '/settings/integrations/webhooks';
const SHOTS = process.env['TEST_SHOTS'];

/** Settings → Integrations → Webhooks in a real browser, with a real endpoint. */
describe.skipIf(!CHROMIUM)('webhooks', () => {
  let journey: Journey;
  let receiver: Receiver;
  let org: string;
  let cookie: string;

  beforeAll(async () => {
    receiver = await startReceiver();
    journey = await startJourney({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
    const owner = await journey.owner();
    ({ cookie } = owner);
    org = `/organizations/${owner.orgId}`;
  });
  afterAll(async () => {
    await journey?.stop();
    await receiver?.stop();
  });

  it('a new endpoint shows its secret once and sends a test event, whose attempts are listed and repeated', async () => {
    const { page, faults } = await journey.open('/', { as: OWNER });
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor();
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    const dialog = page.getByRole('dialog');
    const add = dialog.getByRole('button', { name: 'Add endpoint' });
    await dialog.getByLabel('URL').fill('nonsense');
    await add.click();
    await dialog.getByText('Enter a full URL that starts with https://.').waitFor();
    // Faults that the server finds are also shown next to the field.
    await dialog.getByLabel('URL').fill('http://10.0.0.1/hook');
    await add.click();
    await expect.poll(() => dialog.getByLabel('URL').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('URL').fill(`${receiver.url}/hook`);
    await dialog.getByLabel('Description').fill('CRM');
    await dialog.getByLabel('Only these').check();
    await add.click();
    await dialog.getByText('Choose at least one event.').waitFor();
    await dialog.getByLabel('end_user.created').check();
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/webhooks-add.png`, fullPage: true });
    await add.click();

    const secret = await page.getByLabel('Signing secret', { exact: true }).inputValue();
    expect(secret).toMatch(/^whsec_/);
    await page.keyboard.press('Escape');
    await page.getByText('Close without saving the secret?').waitFor();
    await page.getByRole('button', { name: 'Keep it open' }).click();
    await page.getByRole('button', { name: 'I have saved this secret' }).click();
    await expect.poll(() => everythingKept(page)).not.toContain(secret);

    if (SHOTS) await page.screenshot({ path: `${SHOTS}/webhooks-list.png`, fullPage: true });
    await page.getByRole('link', { name: `${receiver.url}/hook` }).click();
    receiver.answer = () => ({ status: 500, text: 'not yet' });
    await page.getByRole('button', { name: 'Send test event' }).click();
    const drawer = page.getByRole('dialog', { name: 'Delivery' });
    await drawer.getByText('Attempt 1: 500').waitFor();
    // Its second attempt follows after five seconds, which may be over already.
    await drawer.getByText('not yet').first().waitFor();
    receiver.answer = () => ({ text: 'thanks' });
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/webhooks-delivery.png` });
    await drawer.getByRole('button', { name: 'Send again' }).click();
    await drawer.getByText('thanks').first().waitFor();
    await drawer.getByText('Delivered', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('table', { name: 'Deliveries' }).getByText('Delivered').waitFor();
    const before = receiver.calls.length;
    await page.getByRole('row').filter({ hasText: 'Delivered' }).getByRole('checkbox').first().press('Space');
    await page.getByRole('button', { name: 'Send the selected again' }).press('Enter');
    await focusIn(dialog);
    await dialog.getByRole('button', { name: 'Send the selected again' }).press('Enter');
    await expect.poll(() => receiver.calls.length).toBe(before + 1);
    const call = receiver.calls.at(-1)!;
    expect(call.headers['webhook-id']).toBe(receiver.calls.at(-2)!.headers['webhook-id']);
    expect(verifyWebhook(secret, call.headers as Record<string, string>, call.body, call.at)).toBe(true);
    expect(await seriousFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('the events that an endpoint did not accept since a chosen time are sent again', async () => {
    const { body: made } = await journey.api(`POST ${org}/webhooks`, { url: `${receiver.url}/lost` }, cookie);
    const isLost = ({ path }: { path: string }) => path === '/lost';
    receiver.answer = (call) => (isLost(call) ? { status: 500 } : {});
    const lost = await journey.api(`POST ${org}/webhooks/${made.id}/test`, {}, cookie);
    await expect.poll(() => receiver.calls.filter(isLost).length).toBeGreaterThan(0);
    const { page, faults } = await journey.open(`${WEBHOOKS}/${made.id}`, { as: OWNER });
    await page.getByRole('button', { name: 'Recover' }).click();
    const dialog = page.getByRole('dialog', { name: 'Recover events' });
    await dialog.getByLabel('Another time').check();
    await dialog.getByRole('button', { name: 'Recover' }).click();
    await dialog.getByText('Choose a time.').waitFor();
    await dialog.getByLabel('1 hour ago').check();
    expect(await seriousFaults(page)).toEqual([]);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/webhooks-recover.png` });
    await dialog.getByRole('button', { name: 'Recover' }).click();
    await dialog.getByText('1 event is being sent again.').waitFor();
    // Otherwise, the next attempt could deliver the event before it is recovered.
    receiver.answer = () => ({});
    await dialog.getByText('No event is waiting for this endpoint.').waitFor();
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/webhooks-recovered.png` });
    expect(receiver.calls.findLast(isLost)!.headers['webhook-id']).toBe(lost.body.event_id);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('table', { name: 'Deliveries' }).getByText('Delivered').waitFor();
    await page.getByRole('button', { name: 'Recover' }).click();
    await dialog.getByRole('button', { name: 'Recover' }).click();
    await dialog.getByText('There is nothing to send again').waitFor();
    expect(faults).toEqual([]);
  });

  it('the failure to create a secret is shown after the user has left its page', async () => {
    const { body: made } = await journey.api(`POST ${org}/webhooks`, { url: `${receiver.url}/three` }, cookie);
    const { page } = await journey.open(`${WEBHOOKS}/${made.id}`, { as: OWNER });
    // The page watches for failures as soon as it is idle.
    const names = `performance.getEntriesByType('resource').map(({ name }) => name).join()`;
    await expect.poll(() => page.evaluate<string>(names)).toContain('/report-failures-');
    const isLeft = Promise.withResolvers<void>();
    await page.route('**/rotate-secret', async (route) => {
      await isLeft.promise;
      await route.abort();
    });
    await page.getByRole('button', { name: 'Replace secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace secret' }).click();
    await page.getByRole('dialog').locator('button[data-loading]').waitFor();
    await follow(page, '/agents');
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    isLeft.resolve();
    await page.getByRole('status').getByText('An action failed after you left its page').waitFor();
  });

  it('an endpoint gets a new secret with an overlap, is disabled and enabled, and is changed and deleted', async () => {
    const { body: made } = await journey.api(`POST ${org}/webhooks`, { url: `${receiver.url}/two` }, cookie);
    const { page, faults } = await journey.open(`${WEBHOOKS}/${made.id}`, { as: OWNER });
    await page.getByRole('button', { name: 'Replace secret' }).click();
    const rotate = page.getByRole('dialog', { name: 'Replace the signing secret?' });
    // The failure of an earlier attempt is not shown again.
    await page.route('**/rotate-secret', (route) => route.abort(), { times: 1 });
    await rotate.getByRole('button', { name: 'Replace secret' }).click();
    await rotate.getByRole('alert').waitFor();
    await rotate.getByRole('button', { name: 'Cancel' }).click();
    await rotate.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Replace secret' }).click();
    await rotate.getByLabel('1 hour').check();
    expect(await rotate.getByRole('alert').count()).toBe(0);
    await rotate.getByRole('button', { name: 'Replace secret' }).click();
    const secret = await page.getByLabel('Signing secret', { exact: true }).inputValue();
    expect(secret).not.toBe(made.secret);
    await page.getByRole('button', { name: 'I have saved this secret' }).click();
    await page.getByText('Calls are signed with both the old and the new secret').waitFor();

    await page.getByRole('button', { name: 'Disable' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByText('A disabled endpoint receives no events').waitFor();
    expect(await page.getByRole('button', { name: 'Send test event' }).isDisabled()).toBe(true);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click();
    await page.getByText('A disabled endpoint receives').waitFor({ state: 'detached' });

    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Description').fill('Warehouse');
    await page.getByRole('dialog').getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: 'Warehouse', level: 1 }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    await expect.poll(() => page.getByText('Warehouse').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('Activity shows all deliveries with filters in the URL, and fits a phone in Arabic', async () => {
    const { page, faults } = await journey.open('/activity', { as: OWNER });
    await page.getByRole('tab', { name: 'Event deliveries' }).click();
    await page
      .getByRole('table', { name: 'Deliveries' })
      .getByRole('button', { name: 'webhook.test' })
      .first()
      .waitFor();
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await page.getByRole('heading', { name: 'Nothing matches these filters' }).waitFor();
    await expect.poll(() => page.url()).toContain('state=failed');
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/webhooks-activity.png` });
    expect(faults).toEqual([]);

    const [{ id }] = (await journey.api(`GET ${org}/webhooks`, undefined, cookie)).body.data;
    const phone = await journey.open(`${WEBHOOKS}/${id}`, {
      as: OWNER,
      liked: { language: 'ar', theme: 'dark' },
      viewport: { width: 320, height: 700 },
    });
    await settled(phone.page);
    await phone.page.getByRole('table', { name: 'التسليمات' }).waitFor();
    expect(await tooWide(phone.page)).toEqual([]);
    expect(await seriousFaults(phone.page)).toEqual([]);
    if (SHOTS) await phone.page.screenshot({ path: `${SHOTS}/webhooks-ar.png`, fullPage: true });
  });
});
