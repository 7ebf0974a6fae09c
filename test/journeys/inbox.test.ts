import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConversationCounts } from '../../contract/dashboard/conversations.ts';
import {
  CHROMIUM,
  focusIn,
  OWNER,
  isFocused,
  follow,
  seriousFaults,
  settled,
  startJourney,
  tooWide,
  type Journey,
  type Owner,
} from './dashboard-browser.ts';

/** A folder for the pictures that are looked at by hand. */
const SHOTS = process.env['TEST_SHOTS'];

/** The list of conversations in daily use. */
describe.skipIf(!CHROMIUM)('the list of conversations', () => {
  let journey: Journey;
  let orgId: string;
  let cookie: string;
  let trigger: string;

  let make: Owner['make'];
  const givenConversation = async (name: string, message: string): Promise<string> => {
    const end_user = { external_id: name, name };
    return (await make(`/triggers/${trigger}/test`, { end_user, message })).conversation_id;
  };

  const read = async (id: string) =>
    (await journey.api(`GET /organizations/${orgId}/conversations/${id}`, undefined, cookie)).body;

  beforeAll(async () => {
    journey = await startJourney();
    ({ cookie, orgId, make } = await journey.owner());
    const agent = await make('/agents', { name: 'Concierge', definition: { instructions: 'Be brief.' } });
    trigger = (await make('/triggers', { agent_id: agent.id, name: 'Order update' })).id;
  });
  afterAll(() => journey?.stop());

  const at = async (path: string, liked?: object): Promise<Page> => {
    const { page } = await journey.open(path, { as: OWNER, ...(liked && { liked }) });
    await settled(page);
    // A conversation moves the focus to its heading when it opens.
    if (/^\/conversations\/./.test(path))
      await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor();
    return page;
  };
  const row = (page: Page, id: string): Locator => page.locator(`[data-row="${id}"]`);

  it.each(['en', 'ar'])('a row shows the start of a long message in each writing direction (%s)', async (language) => {
    for (const [name, start] of [
      ['Noor', 'Where is my order?'],
      ['Omar', 'أين طلبي من فضلكم؟'],
    ]) {
      const long = `${start} `.repeat(20);
      const id = await givenConversation(`${name} ${language}`, 'Hello');
      await make(`/conversations/${id}/reply`, { text: long });
      const page = await at('/conversations', { language });
      await row(page, id).getByText(start!).waitFor();
      expect(
        await page.evaluate(`(${SEEN})(document.querySelector('[data-row="${id}"]'), ${JSON.stringify(start)})`),
      ).toEqual([true, false]);
    }
  });

  it('each filter in the URL is a chip that can be removed, and the keyboard focus stays in the list', async () => {
    await givenConversation('Chip', 'Hello');
    const page = await at('/conversations?status=open&text=Hello');
    const chips = page.getByRole('group', { name: 'Active filters' }).getByRole('button');
    expect(await chips.allInnerTexts()).toEqual(['Search: Hello', 'State: With the agent']);

    await page.getByRole('button', { name: 'Remove filter: State: With the agent' }).press('Enter');
    await page.waitForURL((url) => !url.searchParams.has('status') && url.searchParams.get('text') === 'Hello');
    await page.getByRole('button', { name: 'Remove filter: State' }).waitFor({ state: 'detached' });
    expect(await chips.allInnerTexts()).toEqual(['Search: Hello']);
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Remove filter: Search: Hello');

    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.searchParams.has('text'));
    await chips.first().waitFor({ state: 'detached' });
    expect(await page.evaluate('[document.activeElement.type, document.activeElement.value]')).toEqual(['search', '']);
  });

  it('the list shows ratings, and filters conversations by rating', async () => {
    const definition = { opening: { default: 'Hello' }, survey: {} };
    const agent = await make('/agents', { name: 'Rated', definition });
    const rated = (await make('/triggers', { agent_id: agent.id, name: 'Rated' })).id;
    const end_user = { external_id: 'Rita', name: 'Rita' };
    const { conversation_id: id } = await make(`/triggers/${rated}/test`, { end_user, message: 'Hello' });
    await expect.poll(async () => (await read(id)).messages.length).toBe(2);
    await make(`/conversations/${id}/resolve`, undefined);
    await expect.poll(async () => (await read(id)).messages.length).toBe(3);
    for (const text of ['4', 'Fast and friendly']) await make(`/conversations/${id}/say`, { text });

    const page = await at(`/conversations/${id}?rated=4`);
    await page.getByText('Rated 4 of 5: Fast and friendly').waitFor();
    await row(page, id).waitFor();
    await page.getByRole('button', { name: 'Remove filter: Rating: 4 of 5' }).waitFor();
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/rated.png` });
    expect(await seriousFaults(page)).toEqual([]);
    const arabic = await at(`/conversations/${id}?rated=any`, { language: 'ar' });
    await arabic.getByText('التقييم 4 من 5: Fast and friendly').waitFor();
    if (SHOTS) await arabic.screenshot({ path: `${SHOTS}/rated-ar.png` });
  });

  it('sidebar, browser tab and views show the number of waiting conversations without a reload', async () => {
    await make(`/conversations/${await givenConversation('Waits', 'Hello')}/take-over`, undefined);
    const page = await at('/agents');
    const entry = page
      .getByRole('navigation')
      .first()
      .getByRole('link', { name: /^Conversations/ });
    const count = async () => Number((await entry.innerText()).replaceAll(/\D+/g, ' ').trim().split(' ')[0]);
    await expect.poll(count).toBeGreaterThan(0);
    const before = await count();
    expect(await page.title()).toBe(`(${before}) Agents · Parley`);
    const id = await givenConversation('Rana', 'Hello');
    await make(`/conversations/${id}/take-over`, undefined);
    await expect.poll(count).toBe(before + 1);
    expect(await page.title()).toBe(`(${before + 1}) Agents · Parley`);
    await entry.click();
    await page.getByRole('button', { name: `Waiting ${before + 1}` }).waitFor();
    // A reply of the team ends the wait, and the conversation stays with the team.
    await make(`/conversations/${id}/reply`, { text: 'Here I am.' });
    await page.getByRole('button', { name: `Waiting ${before}`, exact: true }).waitFor();
    await row(page, id).getByText('With your team').waitFor();
  });

  it('views of assigned, waiting and unread conversations are kept in the URL', async () => {
    const withAgent = await givenConversation('Layla', 'Hello');
    const id = await givenConversation('Sami', 'Hello');
    await make(`/conversations/${id}/take-over`, undefined);
    const page = await at('/conversations');
    await row(page, id).getByText('Waiting now').waitFor();
    await row(page, id).getByText('You', { exact: true }).waitFor();
    await row(page, id).getByText('New messages.').waitFor();
    await row(page, withAgent).waitFor();
    await page.getByRole('button', { name: /^Mine/ }).click();
    await row(page, withAgent).waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('view')).toBe('mine');
    await page.reload();
    await row(page, id).waitFor();
    expect(await row(page, withAgent).count()).toBe(0);
    await page.getByRole('button', { name: /^Unassigned/ }).click();
    await row(page, id).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Waiting/ }).click();

    // Opening the conversation removes the mark. The next message of the person sets it again.
    await row(page, id).click();
    await row(page, id).getByText('New messages.').waitFor({ state: 'detached' });
    await row(page, id).getByText('Waiting now').waitFor();
    await make(`/conversations/${id}/reply`, { text: 'Here I am.' });
    await row(page, id).getByText('Waiting now').waitFor({ state: 'detached' });
    await follow(page, '/agents');
    await make(`/conversations/${id}/say`, { text: 'Thank you' });
    await follow(page, '/conversations?view=mine');
    await row(page, id).getByText('New messages.').waitFor();
  });

  it('the next conversation opens after resolve and snooze, unless the member turned this off', async () => {
    for (const name of ['Turnus one', 'Turnus two', 'Turnus three', 'Turnus four']) {
      const id = await givenConversation(name, 'Hello');
      await make(`/conversations/${id}/take-over`, undefined);
    }
    const page = await at('/conversations?text=Turnus&sort=oldest');
    const opened = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    await page.keyboard.press('j');
    await opened('Turnus one');
    await page.keyboard.press('e');
    await opened('Turnus two');
    await page.keyboard.press('s');
    await page.getByRole('menuitem', { name: /^Tomorrow/ }).click();
    await opened('Turnus three');
    await page.getByRole('button', { name: 'Filters' }).click();
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/filters.png` });
    await page.getByRole('switch', { name: /open the next/ }).uncheck({ force: true });
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('e');
    await page.getByRole('button', { name: 'Resolve' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Turnus three');
  });

  it('the Ctrl-K menu resolves, assigns and snoozes the open conversation, and sets the member to away', async () => {
    const id = await givenConversation('Command', 'Hello');
    const page = await at(`/conversations/${id}`);
    const field = page.getByPlaceholder(/^An action/);
    const command = async (typed: string, name: string | RegExp) => {
      // The same keys close the finder, which is still open while it fades out.
      await field.waitFor({ state: 'hidden' });
      await page.keyboard.press('Control+k');
      await field.fill(typed);
      await page.getByRole('dialog').getByRole('button', { name }).click();
    };
    // Only a conversation with the team can be snoozed. The list of actions follows while it is open.
    await page.keyboard.press('Control+k');
    await field.fill('snooze: tomorrow');
    await page.getByText('No results.').waitFor();
    await make(`/conversations/${id}/take-over`, undefined);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Snooze: Tomorrow/ })
      .waitFor();
    await page.keyboard.press('Escape');
    await command('assign to no one', /^Assign to no one/);
    await expect.poll(async () => (await read(id)).assignee_id).toBe(null);
    await command('assign to asha', /Assign to Asha Rao/);
    await expect.poll(async () => (await read(id)).assignee_id).not.toBe(null);
    await command('snooze: tomorrow', /^Snooze: Tomorrow/);
    await expect.poll(async () => (await read(id)).snoozed_until).not.toBe(null);
    if (SHOTS) {
      await page.keyboard.press('Control+k');
      await page.waitForTimeout(500);
      await page.screenshot({ path: `${SHOTS}/finder.png` });
      await page.keyboard.press('Escape');
    }
    await command('away', /^Be away/);
    const members = async () => (await journey.api(`GET /organizations/${orgId}/members`, undefined, cookie)).body.data;
    await expect.poll(async () => (await members())[0].away).toBe(true);
    await command('present', /^Be present/);
    await expect.poll(async () => (await members())[0].away).toBe(false);
    await page.goto(`${journey.app.url}/conversations/${id}`);
    await settled(page);
    await command('resolve', /^Resolve the conversation/);
    await expect.poll(async () => (await read(id)).status).toBe('resolved');
    await command('new agent', 'New agent');
    await page.getByRole('dialog', { name: /agent/i }).waitFor();
    await page.keyboard.press('Escape');
    await command('dark', 'Dark theme');
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' });
  });

  it('the panel beside the conversation shows the person, whose values are changed in place', async () => {
    const id = await givenConversation('Panel', 'Hello');
    const { end_user } = await read(id);
    const person = async () =>
      (await journey.api(`GET /organizations/${orgId}/end-users/${end_user.id}`, undefined, cookie)).body;
    const attributes = { plan: 'gold', visits: 3, city: 'Doha' };
    await journey.api(`PATCH /organizations/${orgId}/end-users/${end_user.id}`, { attributes }, cookie);
    const page = await at(`/conversations/${id}`);
    const panel = page.getByRole('region', { name: 'Person' });
    const change = async (name: string, value: string) => {
      await panel.getByRole('button', { name: `Change ${name}: ` }).press('Enter');
      await panel.getByRole('textbox', { name, exact: true }).fill(value);
      await page.keyboard.press('Enter');
    };
    await change('E-mail', 'not an address');
    await panel.getByRole('alert').waitFor();
    expect((await person()).email).toBe(null);
    // The refused text is there to be corrected.
    await panel.getByRole('button', { name: 'Change E-mail: ' }).press('Enter');
    expect(await panel.getByRole('textbox', { name: 'E-mail', exact: true }).inputValue()).toBe('not an address');
    await page.keyboard.press('Escape');
    await change('E-mail', 'noor@example.com');
    // An Arabic keyboard types other digits.
    await change('visits', '٤');
    await change('city', '');
    await expect.poll(person).toMatchObject({ email: 'noor@example.com', attributes: { plan: 'gold', visits: 4 } });
    // A value that another member changes while its field is open is not overwritten.
    let save = (): void => {};
    const isOpen = new Promise<void>((resolve) => (save = resolve));
    await page.route('**/end-users/*', async (route) => {
      if (route.request().method() === 'PATCH') await isOpen;
      await route.continue();
    });
    const focused = (label: string) =>
      expect.poll(() => isFocused(panel.getByRole('button', { name: `Change ${label}: ` }))).toBe(true);
    await change('visits', '5');
    await focused('visits');
    await panel.getByRole('button', { name: 'Change plan: ' }).press('Enter');
    await journey.api(
      `PATCH /organizations/${orgId}/end-users/${end_user.id}`,
      { attributes: { plan: 'silver' } },
      cookie,
    );
    save();
    await panel.getByRole('button', { name: 'Change visits: 5' }).waitFor();
    await page.keyboard.press('Enter');
    await focused('plan');
    await panel.getByRole('button', { name: 'Change plan: silver' }).waitFor();
    const name = panel.getByRole('textbox', { name: 'Name of the attribute' });
    await name.fill('order');
    await page.keyboard.press('Enter');
    await focused('order');
    await change('order', 'A-1');
    await expect.poll(async () => (await person()).attributes).toEqual({ plan: 'silver', visits: 5, order: 'A-1' });
    await expect.poll(() => isFocused(name)).toBe(true);
    await journey.api(`PATCH /organizations/${orgId}/end-users/${end_user.id}`, { tags: ['vip'] }, cookie);
    const tags = panel.getByRole('combobox', { name: 'Tags' });
    await tags.fill('late');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await person()).tags).toEqual(['vip', 'late']);
    const consent = panel.getByRole('combobox', { name: 'Consent for Sandbox' });
    await consent.focus();
    const isFocusSeen = Promise.withResolvers<void>();
    const isSent = page.waitForRequest('**/consent/*');
    await page.route('**/consent/*', (route) => void isFocusSeen.promise.then(() => route.continue()), { times: 1 });
    await consent.selectOption('Opted out');
    await isSent;
    // The field keeps the focus during the request too, for the next key.
    expect(await isFocused(consent)).toBe(true);
    isFocusSeen.resolve();
    await expect.poll(async () => (await person()).consent.sandbox?.status).toBe('opted_out');
    await expect.poll(() => consent.inputValue()).toBe('opted_out');
    expect(await isFocused(consent)).toBe(true);

    await panel.getByRole('button', { name: 'Order of attributes' }).click();
    const dialog = page.getByRole('dialog', { name: 'Order of attributes' });
    await dialog.getByRole('button', { name: 'Move visits up' }).click();
    expect(await seriousFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    const labels = () => panel.getByRole('button', { name: /^Change (order|plan|visits): / }).allTextContents();
    await expect.poll(labels).toEqual(['Change order: A-1', 'Change visits: 5', 'Change plan: silver']);
    expect(await seriousFaults(page)).toEqual([]);
    for (const [width, height] of [
      [1440, 900],
      [1280, 800],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      if (width === 390) await page.getByRole('button', { name: 'Details', exact: true }).click();
      await panel.waitFor();
      expect(await tooWide(page)).toEqual([]);
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/panel-${width}.png` });
    }
  });

  it('a conversation is assigned to a member, and then to no one', async () => {
    const id = await givenConversation('Huda', 'Hello');
    const page = await at(`/conversations/${id}`);
    const field = page.getByRole('combobox', { name: 'Assigned to' });
    await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('a');
    await page.getByRole('option', { name: 'Asha Rao (you)' }).click();
    await row(page, id).getByText('You', { exact: true }).waitFor();
    // The field has the focus again, and its list stays closed.
    await field.and(page.locator(':enabled:focus')).waitFor();
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await field.getAttribute('aria-expanded')).toBe('false');
    await field.click();
    await page.getByRole('option', { name: 'No one yet' }).click();
    await row(page, id).getByText('No one yet').waitFor();
    const { body } = await journey.api(`GET /organizations/${orgId}/conversations/${id}`, undefined, cookie);
    expect([body.status, body.assignee_id]).toEqual(['handed_off', null]);
  });

  it('a new tag of a conversation keeps the tag that another member has just added', async () => {
    const id = await givenConversation('Tagged', 'Hello');
    const page = await at(`/conversations/${id}`);
    const tags = page.getByRole('combobox', { name: 'Tags' }).first();
    await tags.fill('late');
    const path = `PUT /organizations/${orgId}/conversations/${id}/tags`;
    await journey.api(path, { tags: ['vip'] }, cookie);
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await read(id)).tags).toEqual(['vip', 'late']);
  });

  it.each(['en', 'ar'] as const)(
    'several conversations are changed at once, each with its own result (%s)',
    async (language) => {
      const ids: string[] = [];
      for (const name of ['Many one', 'Many two', 'Many three'])
        ids.push(await givenConversation(`${name} ${language}`, `Many please ${language}`));
      const [first, second, third] = ids as [string, string, string];
      await make(`/conversations/${first}/take-over`, {});
      const page = await at(`/conversations?text=Many+please+${language}`, { language, theme: 'dark' });
      const say = {
        en: { select: 'Select', two: '2 selected', changed: '1 conversation is changed. 1 could not be changed.' },
        ar: { select: 'تحديد', two: 'المحدد: اثنان', changed: 'تغيرت محادثة واحدة. تعذر تغيير واحدة.' },
      }[language];
      const box = (name: string) => page.getByRole('checkbox', { name: `${say.select} ${name} ${language}` });
      await box('Many one').press('Space');
      await box('Many three').check({ force: true });
      const bar = page.getByRole('group', { name: say.two });
      await bar.waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      // Only conversations that members answer can be snoozed. The other one does not change, and both results are shown.
      await bar.getByRole('button', { name: { en: 'Snooze', ar: 'تأجيل' }[language] }).press('Enter');
      await page.getByRole('menuitem').and(page.locator(':focus')).press('Enter');
      await page.getByText(say.changed).waitFor();
      await bar.waitFor({ state: 'detached' });
      expect(await page.evaluate('document.activeElement.dataset.row')).toBeTruthy();

      await page.locator(`[data-row="${second}"]`).click();
      await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor();
      await page.keyboard.press('x');
      expect(await box('Many two').isChecked()).toBe(true);
      await page.getByRole('checkbox', { name: { en: '1 selected', ar: 'المحدد: واحد' }[language] }).press('Space');
      await page
        .getByRole('button', { name: { en: 'Resolve', ar: 'إغلاق' }[language] })
        .first()
        .press('Enter');
      await page.getByText({ en: '3 conversations are changed.', ar: 'تغيرت 3 محادثات.' }[language]).waitFor();
      const states = await Promise.all([first, second, third].map(async (id) => (await read(id)).status));
      expect(states).toEqual(['resolved', 'resolved', 'resolved']);
    },
  );

  it('filters are saved as private or shared views', async () => {
    await givenConversation('Viewed', 'A refund please');
    const page = await at('/conversations?text=refund&status=open');
    const views = page.getByRole('group', { name: 'Views' });
    await views.getByRole('button', { name: 'Save view' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Save these filters as a view' });
    await focusIn(dialog);
    await dialog.getByRole('button', { name: 'Save' }).press('Enter');
    await dialog.getByText('This field is required', { exact: false }).waitFor();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Refunds');
    await dialog.getByRole('checkbox', { name: 'Show the view to all members' }).press('Space');
    expect(await seriousFaults(page)).toEqual([]);
    await dialog.getByRole('textbox', { name: 'Name' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const saved = views.getByRole('button', { name: 'Refunds shared' });
    await expect.poll(() => saved.getAttribute('aria-pressed')).toBe('true');
    await views.getByRole('button', { name: 'Mine' }).click();
    await page.waitForURL((url) => url.searchParams.get('view') === 'mine');
    await page.goto(new URL('/conversations', page.url()).href);
    await saved.press('Enter');
    await page.waitForURL(
      (url) => url.searchParams.get('text') === 'refund' && url.searchParams.get('status') === 'open',
    );
    await views.getByRole('button', { name: 'Delete view' }).press('Enter');
    await page.getByRole('dialog').getByText('for all members', { exact: false }).waitFor();
    await focusIn(page.getByRole('dialog'));
    await page.getByRole('dialog').getByRole('button', { name: 'Delete view' }).press('Enter');
    await saved.waitFor({ state: 'detached' });
  });

  it('a phone shows the selected view, even if the views are wider than the screen', async () => {
    const { page } = await journey.open('/conversations', { as: OWNER, viewport: { width: 390, height: 800 } });
    await settled(page);
    const all = page.getByRole('group', { name: 'Views' }).getByRole('button', { name: 'All' });
    await expect
      .poll(async () => {
        const { x, width } = (await all.boundingBox())!;
        return x >= 0 && x + width <= 390;
      })
      .toBe(true);
  });

  it.each(['en', 'ar'] as const)('many shared views do not make the list wider than a phone (%s)', async (language) => {
    for (const name of ['Refunds this week', 'Parcels that are late'])
      await make('/conversations/views', { name: `${name} ${language}`, shared: true, filters: { text: name } });
    const page = await at('/conversations', { language });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: `Parcels that are late ${language}` }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });

  it('a conversation is snoozed by keyboard, is listed as snoozed, and is woken again', async () => {
    const id = await givenConversation('Later', 'Hello');
    await make(`/conversations/${id}/take-over`, {});
    const page = await at(`/conversations/${id}?view=mine`);
    await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('s');
    const first = page.getByRole('menuitem', { name: 'In 3 hours' }).and(page.locator(':focus'));
    await first.waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('The snooze ends earlier if the person writes.', { exact: false }).waitFor();
    await row(page, id).waitFor({ state: 'detached' });
    await page.getByRole('group', { name: 'Views' }).getByRole('button', { name: 'Snoozed' }).click();
    await row(page, id).getByText('Until', { exact: false }).click();
    await page.getByRole('button', { name: 'End snooze' }).click();
    await page.getByText('The snooze has ended.').waitFor();
    await row(page, id).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Snooze', exact: true }).click();
    // The menu moves the focus when it opens.
    await first.waitFor();
    await page.getByRole('menuitem', { name: 'Choose a time' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Choose a time' });
    await dialog.getByLabel('Until').fill('2020-01-01T09:00');
    await dialog.getByRole('button', { name: 'Snooze' }).click();
    await dialog.getByText('The time is in the past.').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
  });

  const desktop = { width: 1280, height: 800, rows: 10, transcript: 520 };
  const phone = { width: 390, height: 844, rows: 9, transcript: 400 };
  describe('space', () => {
    let id: string;
    beforeAll(async () => {
      for (let n = 0; n < 12; n++) id = await givenConversation(`Space ${n}`, `Room please, number ${n}`);
      await make(`/conversations/${id}/take-over`, {});
      await make(`/conversations/${id}/reply`, { text: 'A long answer of the team. '.repeat(60) });
    });

    it.each([
      { ...desktop, language: 'en', theme: 'light' },
      { ...desktop, language: 'ar', theme: 'dark' },
      { ...desktop, width: 1440, height: 900, language: 'ar', theme: 'light' },
      { ...phone, language: 'ar', theme: 'dark' },
      { ...phone, language: 'en', theme: 'light' },
    ] as const)(
      'ten rows and a long transcript fit a window of $width × $height without overlaps ($language, $theme)',
      async ({ width, height, rows, transcript, language, theme }) => {
        const { page } = await journey.open('/conversations?text=Room+please', {
          as: OWNER,
          liked: { language, theme },
          viewport: { width, height },
        });
        await settled(page);
        await row(page, id).waitFor();
        const name = `inbox-${width}-${language}-${theme}`;
        expect(await seriousFaults(page)).toEqual([]);
        expect(await tooWide(page)).toEqual([]);
        await page.goto(`${journey.app.url}/conversations`);
        await row(page, id).waitFor();
        if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-list.png` });
        expect(await page.evaluate<number>(ROWS)).toBeGreaterThanOrEqual(rows);
        expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBe(height);
        await row(page, id).click();
        await page.getByRole('log').getByText('A long answer').waitFor();
        await page.getByRole('textbox').last().waitFor();
        if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png` });
        expect(await seriousFaults(page)).toEqual([]);
        expect(await tooWide(page)).toEqual([]);
        expect(await page.evaluate(OVERLAPS)).toEqual([]);
        const heightOf = async (part: Locator) => (await part.boundingBox())!.height;
        expect(await heightOf(page.getByRole('log'))).toBeGreaterThanOrEqual(transcript);
        // Three lines.
        expect(await heightOf(page.locator('form textarea').last())).toBeGreaterThanOrEqual(60);
        // A zoom of 200 % leaves this size.
        await page.setViewportSize({ width: 640, height: 400 });
        expect(await heightOf(page.getByRole('log'))).toBeGreaterThanOrEqual(180);
        expect(await tooWide(page)).toEqual([]);
      },
    );
  });

  it('one menu has all filters and shows how many are active', async () => {
    await givenConversation('Filtered', 'Hello');
    const page = await at('/conversations');
    const opener = page.getByRole('button', { name: 'Filters' });
    await opener.press('Enter');
    const menu = page.getByRole('dialog', { name: 'Filters' });
    await menu.getByRole('combobox', { name: 'State' }).selectOption({ label: 'With the agent' });
    await page.waitForURL((url) => url.searchParams.get('status') === 'open');
    await menu.getByRole('combobox', { name: 'Channel' }).selectOption({ label: 'Sandbox' });
    await page.waitForURL((url) => url.searchParams.has('channel_id'));
    await menu.getByRole('combobox', { name: 'Agent' }).click();
    await page.getByRole('option', { name: 'Concierge' }).click();
    await page.waitForURL((url) => url.searchParams.has('agent_id'));
    await settled(page);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/filters.png` });
    expect(await seriousFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Remove filter: Agent: Concierge' }).waitFor();
  });

  it('the transcript shows the actions of members, and the menu of an answer explains it', async () => {
    const id = await givenConversation('History', 'Hello');
    await expect.poll(async () => (await read(id)).messages.length).toBeGreaterThan(1);
    await make(`/conversations/${id}/take-over`, {});
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await journey.api(`PUT /organizations/${orgId}/conversations/${id}/snooze`, { until }, cookie);
    await make(`/conversations/${id}/hand-back`, {});
    const { page } = await journey.open(`/conversations/${id}`, { as: OWNER, viewport: { width: 1280, height: 800 } });
    await settled(page);
    await make(`/conversations/${id}/resolve`, {});
    const lines = page.getByRole('log').locator('[data-change]');
    await lines.getByText('Asha Rao resolved the conversation').waitFor();
    const types = await lines.evaluateAll((found) => found.map((one) => one.dataset['change']));
    expect(types).toEqual(['run_started', 'taken_over', 'snoozed', 'handed_back', 'resolved']);

    const opener = page.getByRole('button', { name: 'More about this answer' }).first();
    await opener.waitFor();
    const isSeen = () => page.evaluate(`getComputedStyle(document.querySelector('${BUTTON}')).opacity === '1'`);
    await page.mouse.move(0, 0);
    expect(await isSeen()).toBe(false);
    await opener.focus();
    expect(await isSeen()).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Why this answer?' }).and(page.locator(':focus')).waitFor();
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/answer-menu.png` });
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('Answered by').waitFor();
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/why.png` });
    expect(await seriousFaults(page)).toEqual([]);
  });

  it('a row omits the assignee in the view Mine', async () => {
    const id = await givenConversation('Plain', 'Where is my parcel?');
    await make(`/conversations/${id}/take-over`, {});
    const page = await at('/conversations?view=mine');
    await row(page, id).getByText('Waiting now').waitFor();
    const words = async () => (await row(page, id).innerText()).split('\n').filter(Boolean);
    expect(await words()).toEqual([
      'P',
      'New messages.',
      'Plain',
      expect.any(String),
      'Where is my parcel?',
      'Waiting now',
    ]);
    await make(`/conversations/${id}/reply`, { text: 'On its way.' });
    await row(page, id).getByText('On its way.').waitFor();
    await row(page, id).getByText('You:').waitFor();
    expect(await row(page, id).innerText()).not.toMatch(/With people|Waiting|Sandbox|Concierge/);
    await make(`/conversations/${id}/resolve`, {});
    await follow(page, '/conversations');
    await row(page, id).getByText('Resolved').waitFor();
    await page.goto(`${journey.app.url}/conversations?status=resolved`);
    await row(page, id).waitFor();
    expect(await row(page, id).getByText('Resolved').count()).toBe(0);
  });

  it('the list marks the text that matches a search', async () => {
    const id = await givenConversation('Maya', 'For three days I have waited for my parcel with the blue ribbon');
    await make(`/conversations/${id}/reply`, { text: 'I will look for the green ribbon.' });
    const page = await at('/conversations');
    await page.getByRole('searchbox').fill('Blue ribbon');
    await row(page, id).locator('mark').waitFor();
    expect(await row(page, id).locator('mark').innerText()).toBe('blue ribbon');
    const seen = `(${SEEN})(document.querySelector('[data-row="${id}"]'), 'blue ribbon')`;
    expect(await page.evaluate(seen)).toEqual([true, true]);
    expect(await row(page, id).getByText('Team:').count()).toBe(0);
    await page.getByRole('searchbox').fill('Green ribbon');
    await row(page, id).getByText('green ribbon').waitFor();
    await row(page, id).getByText('Team:').waitFor();
  });

  it('a search shows the text that it found in full, also in a conversation that waits', async () => {
    const id = await givenConversation(
      'Waiting Maya',
      'For three days I have waited for the violet ribbon that I ordered',
    );
    await make(`/conversations/${id}/take-over`, {});
    const { page } = await journey.open('/conversations?text=the+violet+ribbon+that+I+ordered', {
      as: OWNER,
      viewport: { width: 1280, height: 800 },
    });
    await row(page, id).locator('mark').waitFor();
    const seen = `(${SEEN})(document.querySelector('[data-row="${id}"]'), 'the violet ribbon')`;
    expect(await page.evaluate(seen)).toEqual([true, true]);
  });

  it.each(['en', 'ar'])('a long name shows its start in each writing direction (%s)', async (language) => {
    for (const name of [
      'محمد عبد الرحمن بن خالد آل ثاني الكبير بن عبد الله',
      'Bartholomew Featherstonehaugh Wolfe the Elder',
    ]) {
      const id = await givenConversation(`${name} ${language}`, 'Hello');
      const viewport = { width: 1000, height: 800 };
      const { page } = await journey.open(`/conversations/${id}`, { as: OWNER, liked: { language }, viewport });
      await settled(page);
      await row(page, id).waitFor();
      for (const part of [`[data-row="${id}"] bdi`, 'main h1 bdi'])
        expect(await page.evaluate(`(${STARTS})(document.querySelector('${part}'))`), part).toBe(true);
    }
  });

  it('the details of a conversation leave its buttons in view on every screen', async () => {
    const id = await givenConversation('Details', 'Hello');
    await make(`/conversations/${id}/take-over`, {});
    const { end_user } = await read(id);
    const attributes = { a_long_name_of_an_attribute_from_another_system_of_the_company: 'x' };
    const tags = Array.from({ length: 30 }, (_, n) => `tag-of-the-person-${n}`);
    await journey.api(`PATCH /organizations/${orgId}/end-users/${end_user.id}`, { attributes, tags }, cookie);
    const page = await at(`/conversations/${id}`);
    for (const [width, height] of [
      [390, 844],
      [1024, 768],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.getByRole('button', { name: 'Details', exact: true }).click();
      for (const name of ['Hand back to the agent', 'Snooze', 'Resolve'])
        // A click fails if another element covers the button.
        await page.getByRole('button', { name, exact: true }).click({ trial: true });
      const side = page.locator('main aside');
      await side.getByText('a_long_name', { exact: false }).first().waitFor();
      expect(await side.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
      expect(
        (await side.getByText('tag-of-the-person-0').locator('xpath=ancestor::*[4]').boundingBox())!.height,
      ).toBeLessThan(200);
      await page.getByRole('button', { name: 'Details', exact: true }).click();
    }
  });

  it('the desktop notifies of a hand-off after the member has allowed it', async () => {
    const { page } = await journey.open('/conversations', { as: OWNER });
    await page.addInitScript(NOTICES);
    await page.reload();
    await settled(page);
    const notices = () => page.evaluate<string[]>('shown');
    const handOver = async (name: string) => {
      const id = await givenConversation(name, 'Hello');
      const counted = page.waitForResponse(async (response) => {
        if (!response.url().endsWith('/conversations/counts')) return false;
        return ((await response.json()) as ConversationCounts).newest?.id === id;
      });
      await make(`/conversations/${id}/take-over`, undefined);
      await counted;
      await row(page, id).getByText('Waiting now').waitFor();
    };
    await handOver('Ali');
    expect(await page.evaluate('[asked, shown]')).toEqual([0, []]);
    await page.getByRole('button', { name: 'Notify me', pressed: false }).click();
    await page.getByRole('button', { name: 'Notify me', pressed: true }).waitFor();
    expect(await page.evaluate('asked')).toBe(1);
    await handOver('Zain');
    await expect.poll(notices).toEqual(['A conversation waits for your team']);
    await page.getByRole('button', { name: 'Notify me' }).click();
    await handOver('Dana');
    expect(await notices()).toHaveLength(1);
  });

  it.each(['en', 'ar'])(
    'a private note is not sent as a reply, and its author can delete it (%s)',
    async (language) => {
      const say = (en: string, ar: string) => (language === 'en' ? en : ar);
      const id = await givenConversation(`Nada ${language}`, 'Hello');
      const page = await at(`/conversations/${id}`, { language });
      const reply = page.getByRole('textbox', {
        name: say('Write as the end user', 'اكتب كما يكتب المستخدم النهائي'),
      });
      await reply.fill('Half a reply');
      await page.getByText(say('Private note', 'ملاحظة خاصة'), { exact: true }).click();
      const field = page.getByRole('textbox', { name: say('Write a note for your team', 'اكتب ملاحظة لفريقك') });
      expect(await field.inputValue()).toBe('');
      await field.fill('She is upset.');
      await field.press('Enter');
      const note = page.locator('[data-note]');
      await note.getByText('She is upset.').waitFor();
      const read = async () =>
        (await journey.api(`GET /organizations/${orgId}/conversations/${id}`, undefined, cookie)).body;
      expect(await read()).toMatchObject({ status: 'open', assignee_id: null, notes: [{ text: 'She is upset.' }] });
      expect(JSON.stringify((await read()).messages)).not.toContain('upset');
      await note.getByRole('button').click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: say('Delete the note', 'حذف الملاحظة') })
        .click();
      await note.waitFor({ state: 'detached' });
      expect((await read()).notes).toEqual([]);
      await expect.poll(() => isFocused(page.getByRole('log'))).toBe(true);
    },
  );

  it('the keys j and k open conversations, a slash moves to the search, and arrow keys move in the list', async () => {
    for (const name of ['Key one', 'Key two', 'Key three']) await givenConversation(name, 'Keys please');
    const sql = journey.app.db.$client;
    const open = `SELECT count(*)::int AS many FROM run WHERE status IN ('queued', 'running')`;
    await expect.poll(async () => (await sql.query(open)).rows[0].many).toBe(0);
    // The list has stopped moving.
    await sql.query("UPDATE conversation SET status = 'resolved'");
    const page = await at('/conversations?status=resolved');
    const shown = await page.locator('[data-row]').evaluateAll((rows) => rows.map((one) => one.dataset['row']));
    const [first, second, third] = shown as [string, string, string];
    const opened = () => new URL(page.url()).pathname.split('/').at(-1);
    for (const [key, id] of [
      ['j', first],
      ['j', second],
      ['j', third],
      ['k', second],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(opened).toBe(id);
      await expect.poll(() => row(page, id).getAttribute('aria-current')).toBe('page');
    }
    // An opened element gets the focus a moment after it appears.
    await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor();
    const inFocus = (id: string) => row(page, id).and(page.locator(':focus')).waitFor();
    await row(page, first).focus();
    for (const [key, id] of [
      ['ArrowDown', second],
      ['End', shown.at(-1)!],
      ['ArrowDown', shown.at(-1)!],
      ['Home', first],
      ['ArrowUp', first],
    ] as const) {
      await page.keyboard.press(key);
      await inFocus(id);
    }
    await page.keyboard.press('/');
    await page.keyboard.type('jk/');
    const search = page.getByRole('searchbox', { name: 'Search' });
    expect(await search.inputValue()).toBe('jk/');
    expect(opened()).toBe(second);
  });
});

const BUTTON = '[aria-label="More about this answer"]';

/** How many rows are whole in their list. */
const ROWS = `(() => {
  const rows = [...document.querySelectorAll('[data-row]')];
  const { top, bottom } = rows[0].closest('ul').parentElement.getBoundingClientRect();
  return rows.filter((row) => {
    const box = row.getBoundingClientRect();
    return box.top >= top && box.bottom <= bottom + 1;
  }).length;
})()`;

/** Buttons and fields of the page that are outside the window, or under another one. */
const OVERLAPS = `[...document.querySelectorAll('main :is(button, textarea, input, select)')].flatMap((one) => {
  if (!one.checkVisibility({ opacityProperty: true })) return [];
  // What a part scrolls may be outside the part.
  for (let part = one.parentElement; part; part = part.parentElement)
    if (part.scrollHeight > part.clientHeight + 1 && getComputedStyle(part).overflowY === 'auto') return [];
  const box = one.getBoundingClientRect();
  if (box.width < 3) return [];
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const hit = document.elementFromPoint(x, y);
  const isFree = hit && (one.contains(hit) || hit.contains(one) || hit.closest('label')?.control === one);
  const isInside =
    box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight;
  return isFree && isInside ? [] : [one.ariaLabel || one.innerText || one.outerHTML.slice(0, 80)];
})`;

/** True if the first and the last character of the text that starts like this are inside their box. */
const SEEN = `(row, start) => {
  const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) if (texts.currentNode.data.startsWith(start)) break;
  const text = texts.currentNode;
  const { left, right, bottom } = text.parentElement.closest('span').getBoundingClientRect();
  return [0, text.length - 2].map((at) => {
    const range = new Range();
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    const box = range.getBoundingClientRect();
    return box.left >= left - 1 && box.right <= right + 1 && box.top < bottom;
  });
}`;

/** True if the first letter of the text is inside its box. */
const STARTS = `(box) => {
  const range = new Range();
  range.setStart(box.firstChild, 0);
  range.setEnd(box.firstChild, 1);
  const [letter, around] = [range, box.parentElement].map((one) => one.getBoundingClientRect());
  return letter.left >= around.left - 1 && letter.right <= around.right + 1;
}`;

/** Replaces the notifications of the desktop. */
const NOTICES = `
  globalThis.asked = 0;
  globalThis.shown = [];
  globalThis.Notification = class {
    static permission = 'default';
    static async requestPermission() { asked++; return (Notification.permission = 'granted'); }
    constructor(title) { shown.push(title); }
    addEventListener() {}
    close() {}
  };`;
