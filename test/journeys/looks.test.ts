import type { Page } from '@playwright/test';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, focusIn, follow, type Journey, OWNER, settled, startJourney } from './dashboard-browser.ts';
import { isFront, makeSubjects, pagesOf, type Subjects } from './dashboard-pages.ts';
import { coveredInDialog, looksOf } from './page-looks.ts';

const PHONE = { width: 390, height: 844 };
const ARABIC = 'عبد الرحمن بن محمد';

/** Rules for the look of every page, checked with an unpublished agent, large numbers and long values. */
describe.skipIf(!CHROMIUM)('the look of the pages', () => {
  let journey: Journey;
  let subjects: Subjects;

  beforeAll(async () => {
    journey = await startJourney();
    subjects = await makeSubjects(journey);
    const call = async (line: string, body: object): Promise<void> => {
      const [method, path] = line.split(' ');
      const answer = await journey.api(`${method} ${subjects['org']}${path}`, body, subjects['cookie']);
      if (answer.status >= 300) throw new Error(`${line}: ${JSON.stringify(answer.body)}`);
    };
    const agent = subjects['agent_id']!;
    await call(`PUT /agents/${agent}/suite`, {
      cases: [{ name: 'Delivery', turns: [{ say: 'Do you deliver?' }] }],
    });
    await call(`PATCH /agents/${agent}`, { definition: { instructions: 'Be brief and friendly.' } });
    await call('PUT /budgets', { subject: 'organization', period: 'month', unit: 'QAR', amount: 1_234_567 });
    await call('PUT /model-prices', {
      provider: 'openai',
      model: 'gpt-test',
      price: { input: 12.5, output: 25, currency: 'QAR' },
    });
    await call('POST /end-users', {
      name: 'Noor',
      external_id: 'crm-7',
      phone: '+97455500007',
      email: 'noor@shop.example',
    });
    await journey.app.db.execute(sql`INSERT INTO model_usage
      (org_id, day, agent_id, key_id, campaign_id, provider, model, currency, turns, calls, input_tokens, output_tokens, cached_tokens, milliseconds, cost)
      SELECT org_id, now(), id, '', '', 'openai', 'gpt-test', 'QAR', 28707, 28707, 1234567890, 7654321, 1000000, 54321000, 131.000094
      FROM agent WHERE id = ${agent}`);
    const trigger = subjects['trigger_id']!;
    const asked = { end_user: { external_id: 'crm-7' }, variables: { order_id: 'A-7' }, message: 'Is parking free?' };
    await call(`POST /triggers/${trigger}/test`, asked);
    const { value: key } = await journey.app.key(subjects['org']!.split('/').at(-1)!, { permissions: ['triggers'] });
    const sent = await journey.app.call('POST', `/api/triggers/${agent}/${trigger}`, { key, body: asked });
    if (sent.status !== 202) throw new Error(`The call was refused: ${sent.status}`);
    await journey.app.db.execute(sql`UPDATE key_usage SET accepted = 28707364`);
  });
  afterAll(() => journey?.stop());

  const at = async (path: string, more: object = {}): Promise<Page> => {
    const { page } = await journey.open(path, { as: OWNER, ...more });
    await settled(page);
    return page;
  };

  test('the check of the look finds a second main button and numbers that are hard to read', async () => {
    const page = await at('/agents');
    await page.evaluate(PLANT);
    expect(await looksOf(page)).toEqual([
      'main buttons: Create agent | Other',
      'digits without groups: 28707364 calls',
      'too many digits: 131.000094 QAR',
      'broken number: 1,234,567',
    ]);
  });

  test('each page has at most one main button and shows large numbers in groups on one line', async () => {
    const page = await at('/', { viewport: PHONE });
    const found: string[] = [];
    for (const path of pagesOf(subjects).filter((one) => !isFront(one))) {
      await follow(page, path);
      await settled(page);
      found.push(...(await looksOf(page)).map((fault) => `${path}: ${fault}`));
    }
    expect(found).toEqual([]);
  });

  test.each([
    ['/triggers/$trigger_id', 'Name'],
    ['/channels/$channel_id', 'Name'],
    ['/campaigns/$campaign_id?tab=settings', 'Conversations per minute'],
    ['/agents/$agent_id', 'Instructions'],
    ['/settings/organization', 'Name'],
  ])('the page %s has one main button after an edit of the field %s', async (declared, label) => {
    const page = await at(declared.replace(/\$(\w+)/, (_, name: string) => subjects[name]!));
    const field = page.getByRole('main').getByRole('textbox', { name: label, exact: true }).first();
    await field.fill('7');
    await page
      .getByRole('button', { name: /^(?:Save|Publish)/ })
      .and(page.locator(':enabled'))
      .first()
      .waitFor();
    expect(await looksOf(page)).toEqual([]);
  });

  test.each([
    ['/settings/costs', 'Set price', 'Set price'],
    ['/settings/integrations/api-keys', 'Create API key', 'Create API key'],
    ['/agents', 'Create agent', 'Create agent'],
    ['/end-users', 'Add end user', 'Add end user'],
  ])(
    'in a low window, the dialog on %s shows its title and the label of the faulty field',
    async (path, opener, act) => {
      for (const language of ['en', 'ar']) {
        const page = await at(path, { viewport: { width: 390, height: 420 }, liked: { language } });
        const names = language === 'en' ? [opener, act] : [];
        const button = page.getByRole('main').getByRole('button', { name: names[0] }).first();
        await button.click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('heading').first().waitFor();
        expect(await coveredInDialog(page)).toEqual([]);
        await dialog.locator('button[type=submit]').click();
        await dialog.locator('[aria-invalid=true]:focus').waitFor();
        expect([await coveredInDialog(page), await looksOf(page)]).toEqual([[], []]);
      }
    },
  );

  test('Home, End and letters move through a menu and through an open select', async () => {
    const page = await at(`/triggers/${subjects['trigger_id']}`);
    const opener = page.getByRole('button', { name: /^Your menu/ });
    await opener.press('Enter');
    await focusIn(page.locator('[role=menu]:popover-open'));
    const focused = (): Promise<string> => page.locator(':focus').innerText();
    const reached: string[] = [];
    for (const key of ['End', 'Home', 's', 'a']) {
      await page.keyboard.press(key);
      reached.push(await focused());
    }
    expect(reached).toEqual(['Sign out', 'Your account', 'System', 'API reference']);
    await page.keyboard.press('Escape');
    expect(await focused()).toBe(await opener.innerText());

    // The listener loads while the page is idle.
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const select = page.getByRole('combobox', { name: 'Type of variable 1' });
    await select.press('ArrowDown');
    const options = page.getByRole('option');
    await options.first().waitFor();
    const names = await options.allInnerTexts();
    expect(names.length).toBeGreaterThan(2);
    const active = page.locator('[role=option][data-combobox-selected]');
    for (const [key, name] of [
      ['End', names.at(-1)],
      ['Home', names[0]],
      ['n', 'number'],
      ['End', names.at(-1)],
    ]) {
      await select.press(key!);
      await expect.poll(() => active.innerText()).toBe(name);
    }
    await select.press('Escape');
    expect(await select.getAttribute('aria-expanded')).toBe('false');
  });

  test('forced colors keep switches, chosen options and bars visible', async () => {
    const page = await at('/?period=7d', { forcedColors: 'active' });
    const outline = page.locator('main .mantine-SegmentedControl-label[data-active]').first();
    const style = (target: typeof outline, name: string): Promise<string> =>
      target.evaluate((one, of) => one.ownerDocument.defaultView!.getComputedStyle(one).getPropertyValue(of), name);
    await outline.waitFor();
    expect(await style(outline, 'outline-style')).toBe('solid');
    expect(await style(page.locator('nav [aria-current=page]').first(), 'outline-style')).toBe('solid');
    const bar = page.locator('main [data-what=second]').first();
    expect(await style(bar, 'background-color')).not.toBe(await style(page.locator('body'), 'background-color'));
    await follow(page, '/end-users');
    await settled(page);
    expect(await style(page.locator('main .mantine-Switch-track').first(), 'border-top-style')).toBe('solid');
  });

  test('the facts of an unanswered question have space between them', async () => {
    const page = await at('/', { viewport: PHONE });
    const facts = page
      .getByText(/^Asked /)
      .first()
      .locator('..');
    expect(await facts.evaluate((one) => one.ownerDocument.defaultView!.getComputedStyle(one).columnGap)).toBe('10px');
  });

  test('the IDs of a request begin at the side of the drawer in Arabic', async () => {
    const page = await at('/activity?tab=requests', { liked: { language: 'ar' } });
    const row = page.locator('[data-row]').filter({ hasText: '/api/triggers' });
    await row.locator(':is(a, button)').first().click();
    const ids = page.getByRole('dialog').locator('a[href*="agent_"], a[href*="trigger_"]');
    await ids.first().waitFor();
    const ends = await ids.evaluateAll((links) =>
      links.map((link) => {
        const text = link.ownerDocument.createRange();
        text.selectNodeContents(link);
        return Math.round(text.getBoundingClientRect().right);
      }),
    );
    expect(ends.length).toBe(2);
    expect(new Set(ends).size).toBe(1);
  });

  test('an import shows an Arabic value at the side of its column', async () => {
    const page = await at('/end-users/import');
    const buffer = Buffer.from(`name,external_id\n${ARABIC},crm-1\n`);
    await page.locator('input[type=file]').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
    const cell = page.getByRole('cell', { name: ARABIC }).locator('[dir=auto]');
    await cell.waitFor();
    const style = (name: string): Promise<string> =>
      cell.evaluate((one, of) => one.ownerDocument.defaultView!.getComputedStyle(one).getPropertyValue(of), name);
    expect([await style('direction'), await style('text-align')]).toEqual(['rtl', 'left']);
  });

  test('the reference keeps the codes of problems whole on a phone', async () => {
    const { page } = await journey.open('/docs/problems', { viewport: PHONE });
    const codes = await page.evaluate<string[]>(BROKEN_CODES);
    expect(codes).toEqual([]);
  });
});

const PLANT = `{
  const main = document.querySelector('main');
  const add = (text) => {
    const part = document.createElement('p');
    part.textContent = text;
    main.append(part);
    return part;
  };
  const [button] = main.querySelectorAll('.mantine-Button-root');
  const other = button.cloneNode(true);
  other.querySelector('.mantine-Button-label').textContent = 'Other';
  main.append(other);
  add('28707364 calls');
  add('131.000094 QAR');
  Object.assign(add('1,234,567').style, { width: '4ch', overflowWrap: 'anywhere' });
}`;

/** The codes in tables that take more lines than their words need. */
const BROKEN_CODES = `[...document.querySelectorAll('td a > code')].filter((code) => code.getClientRects().length > 1)
  .map((code) => code.textContent)`;
