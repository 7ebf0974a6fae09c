import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import {
  CHROMIUM,
  everythingKept,
  OWNER,
  follow,
  seriousFaults,
  startJourney,
  type Journey,
} from './dashboard-browser.ts';

describe.skipIf(!CHROMIUM)('the Activity page', () => {
  let journey: Journey;
  let orgId: string;
  let agentId: string;
  let trigger: string;
  let key: { id: string; value: string };

  beforeAll(async () => {
    journey = await startJourney();
    const owner = await journey.owner();
    ({ orgId } = owner);
    const org = `/organizations/${orgId}`;
    agentId = (await journey.api(`POST ${org}/agents`, { name: 'Concierge' }, owner.cookie)).body.id;
    const made = await journey.api(`POST ${org}/triggers`, { agent_id: agentId, name: 'Order update' }, owner.cookie);
    trigger = made.body.id;
    key = await journey.app.key(orgId, { permissions: ['triggers', 'end_users'] });
  });
  afterAll(() => journey?.stop());

  const call = (method: string, path: string, body?: unknown) =>
    journey.app.call(method, path, { key: key.value, ...(body !== undefined && { body }) });

  it('the page shows requests as they arrive, filters them, and keeps the filter in the URL', async () => {
    const { page, faults } = await journey.open('/activity', { as: OWNER });
    await page.getByText('No requests yet').waitFor();
    await call('POST', `/api/triggers/${agentId}/${trigger}`, {});
    await call('POST', `/api/triggers/${agentId}/${newId('trigger')}`, {});
    await call('PUT', '/api/end-users/external/omar@example.qa', { name: 'Omar' });
    const table = page.getByRole('table', { name: 'Requests' });
    await table.getByText('202', { exact: true }).waitFor();
    await table.getByText('201', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Outcome' }).click();
    await page.getByRole('option', { name: 'Refused (4xx)' }).click();
    await table.getByText('trigger_not_found').waitFor();
    await expect.poll(() => table.locator('[data-row]').count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('outcome')).toBe('refused');
    await page.reload();
    await expect.poll(() => table.locator('[data-row]').count()).toBe(1);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => table.locator('[data-row]').count()).toBe(3);
    await page.getByLabel('From', { exact: true }).fill('2100-01-01T00:00');
    await page.getByText('Nothing matches these filters').waitFor();
    await page.getByLabel('From', { exact: true }).fill('');
    await page.getByRole('searchbox').fill('req_nonsense');
    await page.getByText('Nothing matches these filters').waitFor();
    expect(faults).toEqual([]);
  });

  it('a URL opens the details of a request, from which a working call is copied without the key', async () => {
    const refused = await call('POST', `/api/triggers/${agentId}/${trigger}?who=omar`, { nonsense: 'private words' });
    const id = refused.headers.get('x-request-id')!;
    const { page, faults } = await journey.open('/activity', { as: OWNER });
    const row = page.locator(`[data-row="${id}"]`);
    await row.getByRole('link', { name: 'Details of POST' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('validation_failed').waitFor();
    expect(new URL(page.url()).searchParams.get('request')).toBe(id);
    await drawer.getByRole('link', { name: agentId }).waitFor();
    const code = await drawer.locator('pre').textContent();
    expect(code).toContain(`/api/triggers/${agentId}/${trigger}'`);
    expect(code).toContain('"Authorization: Bearer $PARLEY_API_KEY"');
    const storedText = await everythingKept(page);
    for (const secret of [key.value, 'private words', 'who=omar']) expect(storedText).not.toContain(secret);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('request')).toBeNull();

    await follow(page, `/activity?outcome=failed&request=${id}`);
    await drawer.getByText('validation_failed').waitFor();
    await follow(page, '/activity?request=req_01k8v3m9e5f7rsm6z4n0q2x1ab');
    await drawer.getByText('This request is not in the log').waitFor();
    expect(faults).toEqual([]);
  });

  it('the audit log has its own tab, which older links still open', async () => {
    const { page, faults } = await journey.open('/activity', { as: OWNER });
    await page.getByRole('tab', { name: 'Audit log' }).click();
    const table = page.getByRole('table', { name: 'Audit log' });
    await table.getByText('Trigger created').waitFor();
    await page.goto(`${journey.app.url}/activity?subject_id=${agentId}`);
    await table.getByText('Agent created').waitFor();
    await expect.poll(() => table.getByText('Trigger created').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it.each([
    { language: 'en', theme: 'light' },
    { language: 'ar', theme: 'dark' },
  ])('the page has no serious axe-core faults and fits a phone, in $language and $theme', async (liked) => {
    const me = await call('GET', '/api/me');
    const id = me.headers.get('x-request-id')!;
    const { page } = await journey.open('/activity', { as: OWNER, liked });
    await page.locator(`[data-row="${id}"]`).waitFor();
    const found = await seriousFaults(page);
    await follow(page, `/activity?request=${id}`);
    await page.getByRole('dialog').locator('pre').waitFor();
    found.push(...(await seriousFaults(page)));
    await page.setViewportSize({ width: 320, height: 700 });
    expect(Number(await page.evaluate('document.documentElement.scrollWidth'))).toBeLessThanOrEqual(320);
    expect(found).toEqual([]);
  });
});
