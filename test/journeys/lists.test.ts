import { member } from '../../src/store/schema/identity.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CHROMIUM,
  contrastFaults,
  focusIn,
  OWNER,
  seriousFaults,
  startJourney,
  tabTo,
  tooWide,
  type Journey,
} from './dashboard-browser.ts';

const LABELS = {
  en: {
    select: 'Select Mona',
    selected: '2 selected',
    tag: 'Tag for the people selected',
    add: 'Add tag',
    changed: '2 people are changed.',
    total: '3 in all',
    view: 'Columns and rows',
    external: 'External ID',
    dense: 'Compact',
    one_tag: 'Tag',
    filters: 'Filters',
    remove: 'Remove the selected',
    removed: 'Done: 2.',
    cancel: 'Cancel the selected',
  },
  ar: {
    select: 'تحديد Mona',
    selected: 'المحدد: اثنان',
    tag: 'وسم للأشخاص المحددين',
    add: 'إضافة الوسم',
    changed: 'تغير شخصان.',
    total: 'المجموع: 3',
    view: 'الأعمدة والصفوف',
    external: 'المعرّف الخارجي',
    dense: 'متراصّة',
    one_tag: 'الوسم',
    filters: 'عوامل التصفية',
    remove: 'إزالة المحدد',
    removed: 'تم: اثنان.',
    cancel: 'إلغاء المحددين',
  },
} as const;

/** The functions of every list, tested on the list of end users by keyboard. */
describe.skipIf(!CHROMIUM).each([
  { language: 'en', theme: 'light', viewport: { width: 1280, height: 800 } },
  { language: 'ar', theme: 'dark', viewport: { width: 390, height: 844 } },
] as const)('a list, $language at $viewport.width', ({ language, theme, viewport }) => {
  const say = LABELS[language];
  let journey: Journey;
  let org: string;
  let cookie: string;

  beforeAll(async () => {
    journey = await startJourney();
    const owner = await journey.owner();
    cookie = owner.cookie;
    org = `/organizations/${owner.orgId}`;
    for (const name of ['Mona', 'Omar', 'Layla'])
      await journey.api(`POST ${org}/end-users`, { name, external_id: `crm-${name}` }, cookie);
  });
  afterAll(() => journey?.stop());

  it('the selected people are tagged and counted, and the selected columns are stored', async () => {
    const { page, faults } = await journey.open('/end-users', { as: OWNER, liked: { language, theme }, viewport });
    await page.getByText(say.total, { exact: true }).waitFor();
    const rows = page.getByRole('row').filter({ has: page.getByRole('checkbox') });
    await tabTo(page.getByRole('checkbox', { name: say.select, exact: true }));
    await page.keyboard.press('Space');
    await rows.filter({ hasText: 'Omar' }).getByRole('checkbox').press('Space');
    await page.getByRole('checkbox', { name: say.selected, exact: true }).waitFor();
    await page.getByRole('textbox', { name: say.tag }).fill('vip');
    expect(await seriousFaults(page)).toEqual([]);
    expect(await contrastFaults(page)).toEqual([]);
    expect(await tooWide(page)).toEqual([]);
    await page.getByRole('button', { name: say.add, exact: true }).press('Enter');
    await page.getByText(say.changed, { exact: true }).waitFor();
    for (const name of ['Mona', 'Omar']) await rows.filter({ hasText: name }).getByText('vip').waitFor();
    expect(await rows.filter({ hasText: 'Layla' }).getByText('vip').count()).toBe(0);

    const external = page.getByText('crm-Mona', { exact: true });
    await external.waitFor();
    await page.getByRole('button', { name: say.view, exact: true }).press('Enter');
    await focusIn(page.getByRole('menu'));
    const column = page.getByRole('menuitemcheckbox', { name: say.external, exact: true });
    expect(await column.getAttribute('aria-checked')).toBe('true');
    await column.press('Enter');
    await external.waitFor({ state: 'detached' });
    await page.getByRole('menuitemradio', { name: say.dense, exact: true }).press('Enter');
    expect(await seriousFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByText('Mona', { exact: true }).first().waitFor();
    expect(await external.count()).toBe(0);
    const { height } = (await rows.first().boundingBox())!;
    // On a phone, each row is a card.
    expect(height < 36).toBe(viewport.width > 1_000);
    expect(faults).toEqual([]);
  });

  it('a tag in the URL filters the list of conversations', async () => {
    const agent = (await journey.api(`POST ${org}/agents`, { name: 'Concierge' }, cookie)).body.id;
    const trigger = await journey.api(`POST ${org}/triggers`, { agent_id: agent, name: 'Question' }, cookie);
    const ids: string[] = [];
    for (const name of ['Mona', 'Omar']) {
      const test = { end_user: { external_id: `crm-${name}` } };
      ids.push((await journey.api(`POST ${org}/triggers/${trigger.body.id}/test`, test, cookie)).body.conversation_id);
    }
    await journey.api(`PUT ${org}/conversations/${ids[0]}/tags`, { tags: ['refund'] }, cookie);
    const { page } = await journey.open('/conversations', { as: OWNER, liked: { language, theme }, viewport });
    await page.locator(`[data-row="${ids[1]}"]`).waitFor();
    await page.getByRole('button', { name: say.filters }).press('Enter');
    await page.getByRole('search').getByRole('textbox', { name: say.one_tag, exact: true }).fill('refund');
    await page.locator(`[data-row="${ids[1]}"]`).waitFor({ state: 'detached' });
    await page.locator(`[data-row="${ids[0]}"]`).waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('?tag=refund');
    expect(await seriousFaults(page)).toEqual([]);
    expect(await tooWide(page)).toEqual([]);
  });

  it('the selected documents are removed, and refusals are reported', async () => {
    const agent = (await journey.api(`POST ${org}/agents`, { name: 'Reader' }, cookie)).body.id;
    for (const name of ['Hours', 'Prices', 'Returns'])
      await journey.api(`POST ${org}/agents/${agent}/documents`, { name, text: `All about ${name}.` }, cookie);
    const at = `/agents/${agent}?tab=knowledge`;
    const { page } = await journey.open(at, { as: OWNER, liked: { language, theme }, viewport });
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    for (const name of ['Hours', 'Prices']) await row(name).getByRole('checkbox').press('Space');
    const remove = page.getByRole('button', { name: say.remove, exact: true });
    const dialog = page.getByRole('dialog');
    await page.route(/documents\/doc_/, (call) => call.fulfill({ status: 503, json: { code: 'unavailable' } }));
    await remove.press('Enter');
    await focusIn(dialog);
    await dialog.getByRole('button', { name: say.remove, exact: true }).press('Enter');
    await dialog.getByRole('alert').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    expect(await tooWide(page)).toEqual([]);
    await page.unroute(/documents\/doc_/);
    await dialog.getByRole('button', { name: say.remove, exact: true }).press('Enter');
    await page.getByText(say.removed, { exact: true }).waitFor();
    await dialog.waitFor({ state: 'hidden' });
    for (const name of ['Hours', 'Prices']) await row(name).waitFor({ state: 'detached' });
    expect(await row('Returns').count()).toBe(1);
    await expect.poll(() => page.evaluate('document.activeElement !== document.body')).toBe(true);
  });

  it('the selected recipients that still wait are cancelled', async () => {
    const agent = (await journey.api(`POST ${org}/agents`, { name: 'Caller' }, cookie)).body;
    const body = { agent_id: agent.id, channel_id: agent.sandbox_channel_id, name: 'Autumn' };
    const { id } = (await journey.api(`POST ${org}/campaigns`, body, cookie)).body;
    await journey.api(`POST ${org}/campaigns/${id}/start`, undefined, cookie);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const rows = ['Mona', 'Omar', 'Layla'].map((name) => `crm-${name},${later}`);
    const file = ['id,send_at', ...rows].join('\n');
    const push = await journey.api(`POST ${org}/campaigns/${id}/pushes`, { file }, cookie);
    expect(push.status, JSON.stringify(push.body)).toBe(202);
    const read = () => journey.api(`GET ${org}/campaigns/${id}/pushes/${push.body.id}`, undefined, cookie);
    await expect.poll(async () => (await read()).body.state).toBe('done');
    const { page } = await journey.open(`/campaigns/${id}`, { as: OWNER, liked: { language, theme }, viewport });
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    for (const name of ['Mona', 'Omar']) await row(name).getByRole('checkbox').press('Space');
    const cancel = page.getByRole('button', { name: say.cancel, exact: true });
    await cancel.press('Enter');
    await focusIn(page.getByRole('dialog'));
    await page.getByRole('dialog').getByRole('button', { name: say.cancel, exact: true }).press('Enter');
    await page.getByText(say.removed, { exact: true }).waitFor();
    const states = async () =>
      (await journey.api(`GET ${org}/campaigns/${id}/recipients`, undefined, cookie)).body.data
        .filter(({ status }: { status: string }) => status === 'cancelled')
        .map(({ name }: { name: string }) => name)
        .toSorted();
    expect(await states()).toEqual(['Mona', 'Omar']);
    // None of the selected recipients can still be cancelled.
    await expect.poll(() => cancel.isDisabled()).toBe(true);
  });

  it('a viewer sees no checkboxes', async () => {
    await journey.app.db.update(member).set({ role: 'viewer' });
    const { page } = await journey.open('/end-users', { as: OWNER, liked: { language, theme }, viewport });
    await page.getByText(say.total, { exact: true }).waitFor();
    expect(await page.getByRole('main').getByRole('checkbox').count()).toBe(0);
  });
});
