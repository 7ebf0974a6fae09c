import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  CHROMIUM,
  follow,
  isFocused,
  OWNER,
  seriousFaults,
  settled,
  startJourney,
  tooWide,
  type Journey,
  type Owner,
} from './dashboard-browser.ts';

const HIDDEN_PX = `(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('nav'))`;

/** Small details of single pages, measured in a real browser: sizes, stable positions, typing. */
describe.skipIf(!CHROMIUM)('details of the pages', () => {
  let journey: Journey;
  let orgId: string;
  let cookie: string;
  let agent: { id: string; sandbox_channel_id: string };

  let make: Owner['make'];

  beforeAll(async () => {
    journey = await startJourney();
    ({ cookie, orgId, make } = await journey.owner());
    agent = await make('/agents', { name: 'Concierge', definition: { instructions: 'Be brief.' } });
  });
  afterAll(() => journey?.stop());

  const at = async (path: string, liked?: object): Promise<Page> => {
    const { page } = await journey.open(path, {
      as: OWNER,
      viewport: { width: 1280, height: 800 },
      ...(liked && { liked }),
    });
    await settled(page);
    return page;
  };
  const box = async (one: Locator) => (await one.boundingBox())!;

  it.each(['en', 'ar'])('the sidebar shows all its entries without scrolling (%s)', async (language) => {
    const page = await at('/', { language });
    const navigation = page.locator('nav').first();
    await navigation.locator('a').last().waitFor();
    expect(await page.evaluate(HIDDEN_PX)).toBe(0);
    // The frame of the focused entry is drawn outside of it, so the list must not cut it.
    const first = await box(navigation.locator('a').first());
    expect(first.y).toBeGreaterThan((await box(navigation)).y);
    expect(first.height).toBe(28);
  });

  it.each(['en', 'ar'])(
    'all tabs of an agent fit next to the test chat, and its IDs fit on one line (%s)',
    async (language) => {
      const page = await at(`/agents/${agent.id}?tab=settings`, { language });
      const row = page.getByRole('tablist').first();
      expect(await row.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
      const id = page.locator('[data-copy-source]').filter({ hasText: agent.id }).first();
      expect((await box(id)).height).toBeLessThan(24);
    },
  );

  it('the first Tab key on a page with tabs reaches the link that skips the navigation', async () => {
    const page = await at(`/agents/${agent.id}?tab=settings`);
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
  });

  it('a field of tags shows its focus like other fields', async () => {
    const page = await at(`/agents/${agent.id}?tab=rules`);
    await page.getByRole('button', { name: 'Add rule' }).click();
    const field = page.locator('.mantine-PillsInputField-field').first();
    await field.focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    const frame = page.locator('.mantine-TagsInput-input').first();
    expect(await frame.evaluate((one) => one.ownerDocument.defaultView!.getComputedStyle(one).outlineWidth)).toBe(
      '2px',
    );
    expect(await frame.evaluate((one) => one.ownerDocument.defaultView!.getComputedStyle(one).outlineStyle)).toBe(
      'solid',
    );
  });

  it('badges are lighter than their background in the dark theme', async () => {
    const page = await at(`/agents/${agent.id}`, { theme: 'dark' });
    await page.locator('.mantine-Badge-root').first().waitFor({ state: 'attached' });
    const light = await page.evaluate<number>(
      `Math.max(...getComputedStyle(document.querySelector('.mantine-Badge-root')).backgroundColor.match(/\\d+/g))`,
    );
    expect(light).toBeGreaterThan(50);
  });

  it.each(['en', 'ar'])('the buttons above an edited agent stay visible on one line (%s)', async (language) => {
    const page = await at(`/agents/${agent.id}`, { language });
    await page.locator('textarea').first().fill('Be very brief.');
    const buttons = page.locator('[role=region] button.mantine-Button-root');
    await expect.poll(() => buttons.count()).toBe(3);
    const tops = await Promise.all([0, 1, 2].map(async (index) => (await box(buttons.nth(index))).y));
    expect(new Set(tops).size).toBe(1);
    expect(tops[0]).toBeLessThan((await box(page.locator('textarea').first())).y);
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await expect.poll(async () => (await box(buttons.first())).y).toBeLessThan(60);
  });

  it('rows of lists have a height of 40 px and open by a click anywhere', async () => {
    const page = await at('/agents');
    const row = page.locator('tbody tr').first();
    expect((await box(row)).height).toBeLessThanOrEqual(41);
    await row
      .locator('td')
      .last()
      .click({ position: { x: 4, y: 4 } });
    await page.getByRole('heading', { level: 1, name: 'Concierge' }).waitFor();
    expect(await page.evaluate("getComputedStyle(document.querySelector('h1')).fontSize")).toBe('22px');
  });

  it('a Ctrl-click opens a row in a new tab like its link, and text can be selected', async () => {
    const page = await at('/agents');
    const cell = page.locator('tbody tr td').last();
    // Headless Chromium does not report every new tab: after a click on a plain link, 5 of 30 were missing.
    const tab = await vi.waitFor(
      async () => {
        const opened = page.context().waitForEvent('page', { timeout: 2_000 });
        const [found] = await Promise.all([
          opened,
          cell.click({ modifiers: ['ControlOrMeta'], position: { x: 4, y: 4 } }),
        ]);
        return found;
      },
      { timeout: 30_000 },
    );
    // A new tab is blank at first.
    await expect.poll(() => new URL(tab.url()).pathname).toMatch(/^\/agents\/agent_/);
    await page.getByText('Built-in engine').first().selectText();
    await page.locator('tbody tr td').last().dispatchEvent('click');
    expect(new URL(page.url()).pathname).toBe('/agents');
  });

  it('the test chat shows a fault of the draft at its field until it is fixed', async () => {
    const page = await at(`/agents/${agent.id}?tab=rules`);
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByRole('button', { name: 'Let the agent start' }).click();
    const refusal = page.getByRole('log').getByRole('alert');
    await refusal.waitFor();
    const faulty = page.locator('[role=tab][data-fault]');
    await faulty.waitFor();
    expect(await faulty.innerText()).toContain('Rules');
    await page.getByRole('button', { name: 'Discard' }).click();
    await refusal.waitFor({ state: 'detached' });
    expect(await faulty.count()).toBe(0);
  });

  it('a template creates an agent with documents and tests, and continues after a failure', async () => {
    const page = await at('/agents?create=');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Help');
    await dialog.getByLabel('Online shop').check();
    let documents = 0;
    await page.route('**/documents', (route) => (documents++ === 1 ? route.abort() : route.continue()));
    const make = dialog.getByRole('button', { name: 'Create agent' });
    await make.click();
    await dialog.getByText('The connection was lost').waitFor();
    expect(await dialog.getByLabel('Clinic').isDisabled()).toBe(true);
    await make.click();
    await page.getByRole('heading', { level: 1, name: 'Help' }).waitFor();
    await page.getByRole('tab', { name: 'Tests' }).click();
    await page.getByText('Damaged goods go to a person').waitFor();
    await page.getByRole('tab', { name: 'Knowledge' }).click();
    await page.getByText('Returns and payment').first().waitFor();
    expect(documents).toBe(3);
  });

  it('a page has an explanation on the first visits only', async () => {
    const page = await at('/agents');
    const shown: boolean[] = [];
    for (let visit = 0; visit < 4; visit++) {
      await page.reload();
      await settled(page);
      shown.push(await page.getByText('Each agent has instructions, knowledge and a model').isVisible());
    }
    expect(shown).toEqual([true, true, false, false]);
  });

  it('the last bar of a funnel is filled completely', async () => {
    const campaign = await make('/campaigns', {
      agent_id: agent.id,
      channel_id: agent.sandbox_channel_id,
      name: 'Autumn',
    });
    await make(`/campaigns/${campaign.id}/start`, undefined);
    const key = await make('/keys', {
      label: 'Push',
      scope: 'campaign',
      campaign_id: campaign.id,
      permissions: ['campaigns'],
    });
    const pushed = await journey.app.call('POST', `/api/campaigns/${campaign.id}/recipients`, {
      key: key.value,
      body: { recipients: [{ end_user: { external_id: 'one' } }, { end_user: { external_id: 'two' } }] },
    });
    expect(pushed.status).toBeLessThan(300);
    const page = await at(`/campaigns/${campaign.id}`);
    const bar = page.locator('main [role=img]');
    await bar.waitFor();
    const whole = await box(bar);
    const last = await box(bar.locator('span').last());
    expect(last.x + last.width).toBeCloseTo(whole.x + whole.width, 0);
  });

  it('search and views stay in place when a conversation is opened', async () => {
    const trigger = await make('/triggers', { agent_id: agent.id, name: 'Order update' });
    await make(`/triggers/${trigger.id}/test`, { end_user: { external_id: 'crm-42', name: 'Asha' }, message: 'Hello' });
    const page = await at('/conversations');
    await page.locator('[data-row]').first().waitFor();
    const search = page.getByPlaceholder('People and messages');
    const views = page.getByRole('group', { name: 'Views' });
    await views.getByRole('button', { name: /^All \d/ }).waitFor();
    const before = [await box(search), await box(views)];
    await page.locator('[data-row]').first().click();
    await page.getByRole('heading', { level: 1, name: 'Asha' }).waitFor();
    expect([await box(search), await box(views)]).toEqual(before);
  });

  it.each([
    ['Arabic', '٤٥'],
    ['Persian', '۴۵'],
  ])('a number field accepts the digits of an %s keyboard', async (_, typed) => {
    const page = await at('/settings/organization');
    await page.getByLabel('Erase old conversations').check();
    const days = page.getByLabel('Days without activity');
    await days.fill('');
    await days.pressSequentially(typed);
    expect(await days.inputValue()).toBe('45');
    // In the middle of the text, the caret stays behind the typed digit.
    await days.press('Home');
    await days.pressSequentially('١٢');
    expect(await days.inputValue()).toBe('1245');
  });

  it('the color of a web chat has a color picker', async () => {
    const chat = await make('/channels', { kind: 'web_chat', name: 'Shop', agent_id: agent.id, settings: {} });
    const page = await at(`/channels/${chat.id}`);
    await page.getByLabel('Choose the color').fill('#aa3355');
    expect(await page.getByLabel('Color', { exact: true }).inputValue()).toBe('#aa3355');
  });

  it('a web chat is previewed with unsaved fields, and saves its avatar and first questions', async () => {
    const settings = { translations: { ar: { title: 'المتجر' } } };
    const chat = await make('/channels', { kind: 'web_chat', name: 'Shop', agent_id: agent.id, settings });
    const page = await at(`/channels/${chat.id}`);
    const HEAD_COLOR = `getComputedStyle(document.querySelector('[role=img][aria-label^="The chat"] [dir=auto]')).color`;
    const preview = page.getByRole('img', { name: 'The chat with these settings' });
    await page.getByLabel('Title').fill('Shop <b>help</b>');
    await page.getByLabel('Avatar').fill('LS');
    await page.getByLabel('First questions').fill('Where is my order?\n\nHow do I return it?');
    for (const [color, on] of [
      ['#ffee88', 'rgb(0, 0, 0)'],
      ['#552200', 'rgb(255, 255, 255)'],
    ]) {
      await page.getByLabel('Choose the color').fill(color!);
      await expect.poll(() => page.evaluate(HEAD_COLOR)).toBe(on);
    }
    for (const text of ['LS', 'Where is my order?', 'How do I return it?']) await preview.getByText(text).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    expect(await tooWide(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save changes' }).last().click();
    const stored = async () =>
      (await journey.api(`GET /organizations/${orgId}/channels/${chat.id}`, undefined, cookie)).body.settings;
    await expect.poll(async () => (await stored()).avatar).toBe('LS');
    expect(await stored()).toEqual({
      ...settings,
      title: 'Shop <b>help</b>',
      suggestions: ['Where is my order?', 'How do I return it?'],
      color: '#552200',
      avatar: 'LS',
    });
  });

  it('two braces in a text of an agent open a list of the known variables', async () => {
    const porter = await make('/agents', { name: 'Porter of variables' });
    await make('/triggers', {
      agent_id: porter.id,
      name: 'Delivery',
      variables: ['order_id', 'voucher'].map((name) => ({ name, type: 'string' })),
    });
    const page = await at(`/agents/${porter.id}`);
    const instructions = page.getByLabel('Instructions');
    const options = page.getByRole('listbox', { name: 'Variables' }).getByRole('option');
    await instructions.pressSequentially('Order {{');
    await expect
      .poll(() => options.allTextContents())
      .toEqual(['{{end_user.name}}', '{{agent.name}}', '{{order_id}}', '{{voucher}}']);
    expect(await instructions.getAttribute('aria-expanded')).toBe('true');
    await instructions.press('ArrowDown');
    const active = page.locator(`[id="${await instructions.getAttribute('aria-activedescendant')}"]`);
    expect(await active.textContent()).toBe('{{agent.name}}');
    expect(await seriousFaults(page)).toEqual([]);
    await instructions.press('Escape');
    expect(await options.count()).toBe(0);
    await instructions.pressSequentially('o');
    expect(await options.count()).toBe(0);
    // Two new braces open the list again.
    await instructions.pressSequentially(' {{ORD');
    await options.first().waitFor();
    await instructions.press('Enter');
    expect(await instructions.inputValue()).toBe('Order {{o {{order_id}}');
    const opening = page.getByLabel('Opening message', { exact: true });
    await opening.fill('it, {{end_user.name|there}}.');
    await opening.press('Home');
    await opening.pressSequentially('Use {{vou');
    await options.first().click();
    expect(await opening.inputValue()).toBe('Use {{voucher}}it, {{end_user.name|there}}.');
    // Inside an existing variable, Enter inserts a new line.
    for (let key = 0; key < 'it, {{end'.length; key++) await opening.press('ArrowRight');
    expect(await options.count()).toBe(0);
  });

  it('Home shows the next steps after all first steps are done', async () => {
    // The steps refer to the newest agent.
    const newest = await make('/agents', { name: 'Porter' });
    const trigger = await make('/triggers', { agent_id: newest.id, name: 'Delivery' });
    const key = await make('/keys', { label: 'CRM', scope: 'agent', agent_id: newest.id, permissions: ['triggers'] });
    const called = await journey.app.call('POST', `/api/triggers/${newest.id}/${trigger.id}`, {
      key: key.value,
      body: { message: 'Hello', end_user: { external_id: 'crm-7' } },
    });
    expect(called.status).toBe(202);
    const page = await at('/');
    await page.getByRole('button', { name: 'Show the first steps' }).click();
    await page.getByRole('region', { name: 'What next' }).waitFor();
    await page.getByRole('link', { name: 'Add your own documents' }).click();
    await page.getByRole('tab', { name: 'Knowledge', selected: true }).waitFor();
  });

  // This organization is the last one used, so a window that opens later may open in the other one.
  it('the fallback of a model is shown, with the server’s faults at its fields', async () => {
    const modelled = await make('/agents', {
      name: 'Modelled',
      definition: { provider: 'openai', model: 'large', fallback: [{ provider: 'hand_off', when: ['budget'] }] },
    });
    const page = await at(`/agents/${modelled.id}`);
    await page.getByRole('button', { name: 'Add a fallback' }).click();
    await page.getByLabel('Answered by').first().click();
    await page.getByRole('option', { name: 'Anthropic' }).click();
    await page.getByText('it is too slow', { exact: true }).click();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('list').getByText('Name the model for this provider.').waitFor();
    await page
      .getByLabel(/^Model/)
      .last()
      .fill('small');
    await page.getByRole('button', { name: 'Move “Anthropic: small” up' }).click();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await expect
      .poll(async () => {
        const { body } = await journey.api(`GET /organizations/${orgId}/agents/${modelled.id}`, undefined, cookie);
        return body.definition.fallback;
      })
      .toEqual([
        { provider: 'anthropic', model: 'small', when: ['slow'] },
        { provider: 'hand_off', when: ['budget'] },
      ]);
  });

  it('the history of an OpenAI client is shown collapsed above the message', async () => {
    await make('/triggers', { agent_id: agent.id, name: 'Chat' });
    const key = await make('/keys', { label: 'Chat', scope: 'organization', permissions: ['triggers'] });
    const messages = [
      { role: 'user', content: 'My order is A-1043.' },
      { role: 'assistant', content: 'Thank you.' },
      { role: 'user', content: 'When does it ship?' },
    ];
    const page = await at('/');
    const { origin } = new URL(page.url());
    const answer = await fetch(`${origin}/api/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.value}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: agent.id, messages }),
    });
    const { parley } = (await answer.json()) as { parley: { conversation_id: string } };
    await page.goto(`${origin}/conversations/${parley.conversation_id}`);
    const earlier = page.locator('details').filter({ hasText: 'Earlier messages sent by the caller: 2' });
    await earlier.locator('summary').waitFor();
    expect(await earlier.getByText('Thank you.').isVisible()).toBe(false);
    await earlier.locator('summary').click();
    await earlier.getByText('Thank you.').waitFor();
    expect(await earlier.locator('li').allInnerTexts()).toEqual([
      expect.stringMatching(/My order is A-1043\.$/),
      expect.stringMatching(/^Agent\s+Thank you\.$/),
    ]);
  });

  it('the buttons of a dialog that is higher than the window stay in view', async () => {
    for (const [path, open, act] of [
      ['/end-users', 'Add end user', 'Add end user'],
      ['/settings/integrations/api-keys', 'Create API key', 'Create API key'],
    ] as const) {
      const page = await at(path);
      await page.setViewportSize({ width: 1280, height: 520 });
      await page.getByRole('button', { name: open }).first().click();
      const dialog = page.getByRole('dialog');
      const button = dialog.getByRole('button', { name: act });
      await button.waitFor();
      await settled(page);
      const dialogBottom = await dialog.evaluate((element) => element.getBoundingClientRect().bottom);
      const place = await button.evaluate((element) => element.getBoundingClientRect().bottom);
      expect(place, path).toBeLessThan(dialogBottom);
      // The last field is not behind the buttons when it has the focus.
      const last = dialog.locator('input:visible, textarea:visible, summary:visible').last();
      await last.focus();
      const [field, actions] = await Promise.all([
        last.evaluate((element) => element.getBoundingClientRect().bottom),
        dialog.locator('[data-actions]').evaluate((element) => element.getBoundingClientRect().top),
      ]);
      expect(field, path).toBeLessThanOrEqual(actions);
    }
  });

  it('the focus stays at a text after one of its languages is removed', async () => {
    const page = await at(`/agents/${agent.id}`);
    const add = page.getByRole('combobox', { name: 'Add language: Opening message' });
    await add.or(page.getByRole('textbox', { name: 'Add language: Opening message' })).click();
    await page.getByRole('listbox').getByRole('option', { name: 'Arabic', exact: true }).click();
    await page.getByRole('textbox', { name: 'Opening message (Arabic)' }).fill('مرحبًا');
    await page.getByRole('button', { name: 'Remove Arabic' }).press('Enter');
    await expect.poll(() => isFocused(page.getByRole('textbox', { name: 'Opening message', exact: true }))).toBe(true);
  });

  it('the time zone of the organization follows a change of another member', async () => {
    const page = await at('/settings/organization');
    const zone = page.locator('input[aria-label="Time zone"]');
    await journey.api(`PATCH /organizations/${orgId}`, { time_zone: 'Asia/Kolkata' }, cookie);
    // The page reads the organization again after a change.
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Northwind Traders');
    await name.press('Enter');
    await page.getByText('Northwind Traders').first().waitFor();
    await expect.poll(() => zone.inputValue()).toBe('Asia/Kolkata');
  });

  it('the failure of an action is shown after the user has left its page', async () => {
    const page = await at('/settings/organization');
    // The page watches for failures as soon as it is idle.
    const names = `performance.getEntriesByType('resource').map(({ name }) => name).join()`;
    await expect.poll(() => page.evaluate<string>(names)).toContain('/report-failures-');
    const isLeft = Promise.withResolvers<void>();
    await page.route(`**/organizations/${orgId}`, async (route) => {
      await isLeft.promise;
      await route.abort();
    });
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Southwind');
    await name.press('Enter');
    await page.locator('button[data-loading]').waitFor();
    await follow(page, '/agents');
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    isLeft.resolve();
    await page.getByRole('status').getByText('An action failed after you left its page').waitFor();
  });

  it('a dialog stays open during its request, so that its failure is shown and its input stays', async () => {
    const page = await at('/end-users?create=');
    const dialog = page.getByRole('dialog');
    const tried = Promise.withResolvers<void>();
    await page.route(
      '**/end-users',
      async (route) => {
        await tried.promise;
        await route.abort();
      },
      { times: 1 },
    );
    await dialog.getByLabel('External ID').fill('noor-1');
    await dialog.getByRole('button', { name: 'Add end user' }).click();
    await dialog.locator('button[data-loading]').waitFor();
    expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Close' }).click();
    tried.resolve();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByLabel('External ID').inputValue()).toBe('noor-1');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });

  it('a link to another organization offers to switch to it', async () => {
    const other = await journey.api('POST /organizations', { name: 'Southwind' }, cookie);
    expect(other.status).toBe(201);
    const page = await at('/agents');
    await page.getByRole('button', { name: /Switch organization/ }).click();
    await page.getByRole('menuitem', { name: /Southwind/ }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    // The window stays in its organization, but the link belongs to the other one.
    await page.goto(`${journey.app.url}/agents/${agent.id}`);
    await page.getByRole('button', { name: /Switch to .*Northwind/ }).click();
    await page.getByRole('heading', { name: 'Concierge', level: 1 }).waitFor();
    // For an ID that exists in no organization, nothing is offered.
    await page.goto(`${journey.app.url}/agents/${agent.id.slice(0, -4)}0000`);
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('button', { name: /Switch to/ }).count()).toBe(0);
    // The advice is for a reader of the page, and another try would have the same result.
    await page.getByRole('alert').getByText('It may have been deleted, or the link is wrong.').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });
});
