import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, everythingKept, follow, OWNER, startJourney, type Journey } from './dashboard-browser.ts';

/** The pages outside Settings in a real browser, with the complete program. */
describe.skipIf(!CHROMIUM)('the pages of the dashboard', () => {
  let journey: Journey;
  let org: string;
  let cookie: string;
  let agentId: string;

  beforeAll(async () => {
    journey = await startJourney();
    const owner = await journey.owner();
    cookie = owner.cookie;
    org = `/organizations/${owner.orgId}`;
    const agent = await journey.api(
      `POST ${org}/agents`,
      { name: 'Concierge', definition: { opening: { default: 'Hello {{end_user.name}}, about {{order_id}}.' } } },
      cookie,
    );
    agentId = agent.body.id;
    await journey.api(
      `POST ${org}/agents/${agentId}/documents`,
      { name: 'Shop guide', text: '# Delivery\nDelivery costs 15 riyals; it is free for orders above 200 riyals.' },
      cookie,
    );
  });
  afterAll(() => journey?.stop());

  const givenTrigger = async (name: string): Promise<string> => {
    const made = await journey.api(
      `POST ${org}/triggers`,
      { agent_id: agentId, name, variables: [{ name: 'order_id', type: 'string' }] },
      cookie,
    );
    return made.body.id;
  };
  const givenConversation = async (name: string): Promise<string> => {
    const trigger = await givenTrigger(`For ${name}`.slice(0, 60));
    const { body } = await journey.api(
      `POST ${org}/triggers/${trigger}/test`,
      { end_user: { external_id: name.slice(0, 200), name }, variables: { order_id: 'A-1' } },
      cookie,
    );
    return body.conversation_id;
  };

  it(
    'a form keeps its input when the only agent loads late, and shows a refusal that names no field',
    { tags: ['long'] },
    async () => {
      const { page } = await journey.open('/triggers', { as: OWNER });
      const known = Promise.withResolvers<void>();
      await page.route(/\/agents\?limit=100/, async (route) => {
        await known.promise;
        await route.continue();
      });
      await page.goto(new URL('/triggers?create=', page.url()).href);
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Typed early');
      known.resolve();
      await expect.poll(() => dialog.getByLabel('Agent').inputValue()).toBe('Concierge');
      expect(await dialog.getByLabel('Name').inputValue()).toBe('Typed early');

      const refused = {
        code: 'validation_failed',
        status: 422,
        title: 'The request has faults',
        detail: 'A newer server asks for more.',
        errors: [{ pointer: '/audience', detail: 'Is missing.' }],
      };
      await page.route('**/triggers', (route) =>
        route.request().method() === 'POST'
          ? route.fulfill({ status: 422, contentType: 'application/problem+json', body: JSON.stringify(refused) })
          : route.continue(),
      );
      await dialog.getByRole('button', { name: 'Create trigger' }).click();
      await dialog.getByRole('alert').getByText('A newer server asks for more.').waitFor();
    },
  );

  it('an agent is created, tested with unsaved changes, published, and restored to an earlier version', async () => {
    const { page, faults } = await journey.open('/agents', { as: OWNER });
    await page.getByRole('button', { name: 'Create agent' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create agent' }).click();
    await dialog.getByText('Give the agent a name.').waitFor();
    await dialog.getByLabel('Name').fill('Guide');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Guide', level: 1 }).waitFor();

    await page.getByLabel('Opening message', { exact: true }).fill('Welcome to the tour.');
    await page.getByRole('button', { name: 'Let the agent start' }).click();
    await page.getByRole('log').getByText('Welcome to the tour.').waitFor();
    await page.getByLabel('Opening message', { exact: true }).fill('Hello {{end_user.name}}, about {{order_id}}.');
    await page.getByRole('button', { name: 'Start again' }).click();
    await page.getByText('Language and variables').click();
    await page.getByLabel('Name of the person').fill('Asha');
    await page.getByLabel('order_id').fill('A-7');
    await page.getByRole('button', { name: 'Let the agent start' }).click();
    await page.getByRole('log').getByText('Hello Asha, about A-7.').waitFor();
    await page.getByLabel('Opening message', { exact: true }).fill('Welcome to the tour.');
    await page.getByText('Why this answer?').click();
    await page.getByText('Answered by').waitFor();
    await page.getByLabel('Write a message').fill('Can I talk to a human?');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('Handed over to your team', { exact: true }).waitFor({ state: 'attached' });
    // The code of the reason is not shown.
    expect(await page.getByRole('log').getByText('asked', { exact: true }).count()).toBe(0);

    // A reload loses nothing.
    await page.reload();
    await page.getByText('Changes that are not saved yet').waitFor();
    expect(await page.getByLabel('Opening message', { exact: true }).inputValue()).toBe('Welcome to the tour.');
    // Text that is typed during saving is not lost either.
    const typed = Promise.withResolvers<void>();
    await page.route('**/agents/agent_*', async (route) => {
      if (route.request().method() === 'PATCH') await typed.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByLabel('Instructions').fill('Answer in one sentence.');
    typed.resolve();
    await page.getByText('The draft was saved').waitFor();
    expect(await page.getByLabel('Instructions').inputValue()).toBe('Answer in one sentence.');
    await page.getByText('Changes that are not saved yet').waitFor();
    await page.getByRole('button', { name: 'What changes' }).click();
    await page.getByRole('dialog').getByRole('insertion').getByText('Answer in one sentence.').waitFor();

    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('Instructions').fill('');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Live: version 2.', { exact: true }).waitFor();

    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByText('Changed: opening message').waitFor();
    await page.getByRole('button', { name: 'Changes' }).first().click();
    await page.getByRole('insertion').getByText('Welcome to the tour.').waitFor();
    await page.getByLabel('Compare with').selectOption('Draft');
    await page.getByText('There is no difference.').waitFor();
    await page.getByRole('button', { name: 'Roll back to 1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await page.getByText('Rolled back: version 3 is live.').waitFor();
    await page.getByRole('tab', { name: 'Behaviour' }).click();
    expect(await page.getByLabel('Opening message', { exact: true }).inputValue()).toBe('');
    expect(faults).toEqual([]);
  });

  it('the server’s faults of a definition are next to its fields', async () => {
    const { page } = await journey.open(`/agents/${agentId}?tab=steps`, { as: OWNER });
    await page.getByRole('button', { name: 'Add step' }).click();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('tab', { name: 'Steps (has an error)' }).waitFor();
    await page.getByText('1 field has an error.').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Live: version 1.').waitFor();
    expect(await page.getByRole('list', { name: 'Steps' }).getByRole('listitem').count()).toBe(0);

    const arabic = await journey.open(`/agents/${agentId}?tab=steps`, { as: OWNER, liked: { language: 'ar' } });
    await arabic.page.getByRole('button', { name: 'إضافة خطوة' }).click();
    await arabic.page.getByRole('button', { name: 'نشر', exact: true }).click();
    await arabic.page.getByText('اكتب النص بلغة واحدة على الأقل، أو احذف الحقل.').first().waitFor();
    await arabic.close();

    await page.getByRole('tab', { name: 'Behaviour' }).click();
    await page.getByRole('combobox', { name: 'Provider' }).click();
    await page.getByRole('option', { name: 'OpenAI', exact: true }).click();
    await page.getByLabel('Temperature').pressSequentially('0.05');
    expect(await page.getByLabel('Temperature').inputValue()).toBe('0.05');
  });

  it('a trigger gets a variable, makes a dry run, sends a test message and shows its run', async () => {
    const id = await givenTrigger('Order update');
    const { page, faults } = await journey.open(`/triggers/${id}`, { as: OWNER });
    await page.getByText('Authorization: Bearer $PARLEY_API_KEY').waitFor();
    await page.getByRole('button', { name: 'Add variable' }).click();
    await page.getByLabel('Name of variable 2').fill('2nd');
    await page.getByRole('button', { name: 'Save changes' }).first().click();
    await page.getByText('Letters, digits and _').waitFor();
    // A fault does not stay at the fields after the changes are discarded.
    await page.getByLabel('Name of variable 1').fill('1st');
    await page.getByRole('button', { name: 'Save changes' }).first().click();
    await page.getByText('Letters, digits and _').first().waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByLabel('Name of variable 2').waitFor({ state: 'detached' });
    expect(await page.getByText('Letters, digits and _').count()).toBe(0);
    await page.getByRole('button', { name: 'Add variable' }).click();
    await page.getByLabel('Name of variable 2').fill('amount');
    await page.getByLabel('Default of variable 2').fill('"5"');
    await page.getByRole('button', { name: 'Save changes' }).first().click();
    await page.getByText('The variables were saved.').waitFor();
    await page.getByText('"amount":"5"').first().waitFor();
    const typed = Promise.withResolvers<void>();
    await page.route('**/triggers/trigger_*', async (route) => {
      if (route.request().method() === 'PATCH') await typed.promise;
      await route.continue();
    });
    await page.getByLabel('Description of variable 2').fill('In riyals');
    await page.getByRole('button', { name: 'Save changes' }).first().click();
    await page.getByLabel('Description of variable 2').fill('In riyals, without tax');
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
    typed.resolve();
    await saved;
    await page.getByRole('button', { name: 'Save changes' }).first().click();
    await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
    // The response to the first save does not replace text that was typed after it.
    expect(await page.getByLabel('Description of variable 2').inputValue()).toBe('In riyals, without tax');
    // A change of another member is shown before it is replaced.
    const stored = async () => (await journey.api(`GET ${org}/triggers/${id}`, undefined, cookie)).body.variables;
    await page.getByLabel('Description of variable 2').fill('In riyals, with tax');
    await journey.api(`PATCH ${org}/triggers/${id}`, { variables: [{ name: 'order_id', type: 'string' }] }, cookie);
    await page.getByRole('button', { name: 'Save changes' }).first().click();
    await page.getByText('Another member changed the variables.').waitFor();
    expect(await stored()).toHaveLength(1);
    await page.getByRole('button', { name: 'Save changes' }).first().click();
    await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
    expect(await stored()).toMatchObject([{ name: 'order_id' }, { description: 'In riyals, with tax' }]);

    // Unsaved declarations and the body of a test stay while the member looks at another page.
    await page.getByLabel('Description of variable 2').fill('In riyals');
    const body = page.getByLabel('Body', { exact: true });
    const example = await body.inputValue();
    await body.fill(example.replace('}', ' }'));
    await follow(page, '/agents');
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await page.goBack();
    await page.getByText('Unsaved changes').waitFor();
    expect(await page.getByLabel('Description of variable 2').inputValue()).toBe('In riyals');
    expect(await body.inputValue()).toBe(example.replace('}', ' }'));
    await page.getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('Hello Asha, about A-1043.').waitFor();
    await page.getByText('No runs yet.').waitFor();
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByText('Accepted: the run is').waitFor();
    await page.getByRole('table', { name: 'Latest runs' }).getByText('Waiting for the person').waitFor();

    await page.getByLabel('Body').fill('{"variables": {"unknown": 1}}');
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByText('/variables/unknown').waitFor();
    await page.getByLabel('Body').fill('{');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('This is not JSON').waitFor();
    expect(faults).toEqual([]);
  });

  it('a member writes as the end user and takes over, and another window shows both', async () => {
    const id = await givenConversation('Omar');
    const mine = await journey.open(`/conversations/${id}`, { as: OWNER });
    const other = await journey.open(`/conversations/${id}`, { as: OWNER });
    const log = mine.page.getByRole('log');
    await log.getByText('Hello Omar, about A-1.').waitFor();
    await mine.page.getByLabel('Write as the end user').fill('How much does delivery cost?');
    await mine.page.keyboard.press('Enter');
    await log.getByText('From Shop guide').waitFor();
    // Unfinished text is stored while the user opens another page.
    await other.page.getByLabel('Write as the end user').fill('Half a question');
    await other.page.getByRole('link', { name: 'Agents' }).click();
    await other.page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await other.page.goBack();
    const half = other.page.getByLabel('Write as the end user');
    await expect.poll(() => half.inputValue()).toBe('Half a question');
    await half.fill('');
    await other.page.getByRole('log').getByText('From Shop guide').waitFor();

    await mine.page.getByRole('button', { name: 'Take over' }).press('Enter');
    await other.page.getByRole('button', { name: 'Hand back to the agent' }).waitFor();
    // The button is disabled during its action, and has the focus afterwards.
    await mine.page.locator('button:focus').getByText('Hand back to the agent').waitFor();
    await mine.page.getByLabel('Write a reply').fill('This is Asha, I am here.');
    await mine.page.keyboard.press('Enter');
    await other.page.getByRole('log').getByText('This is Asha, I am here.').waitFor();
    await other.page.getByRole('button', { name: 'Hand back to the agent' }).click();
    await mine.page.getByRole('button', { name: 'Take over' }).waitFor();
    await mine.page.getByRole('button', { name: 'Resolve' }).click();
    await other.page.getByRole('button', { name: 'Resolve' }).waitFor({ state: 'detached' });
    expect([...mine.faults, ...other.faults]).toEqual([]);
  });

  it(
    'an offline page shows that it is not live, and returns unsent text to the field',
    { tags: ['long'] },
    async () => {
      const { page, context } = await journey.open(`/conversations/${await givenConversation('Noor')}`, { as: OWNER });
      await page.getByText('Live', { exact: true }).waitFor();
      await context.setOffline(true);
      await page.getByText('Not live: trying again…').waitFor();
      await page.getByLabel('Write as the end user').fill('Are you there?');
      await page.keyboard.press('Enter');
      await page.getByText('The connection was lost').first().waitFor();
      expect(await page.getByLabel('Write as the end user').inputValue()).toBe('Are you there?');
      await context.setOffline(false);
      await page.getByText('Live', { exact: true }).waitFor();
    },
  );

  it(
    'a page that cannot load offline explains this, and loads when the network is back',
    { tags: ['long'] },
    async () => {
      const { page, context } = await journey.open('/agents', { as: OWNER });
      await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
      await context.setOffline(true);
      const navigation = page.getByRole('navigation', { name: 'Main navigation' });
      await navigation.getByRole('link', { name: 'Triggers' }).click();
      await page.getByText('The connection was lost').waitFor();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('The connection was lost').waitFor();
      await context.setOffline(false);
      // The page may have retried already.
      await page
        .getByRole('button', { name: 'Try again' })
        .click({ timeout: 3_000 })
        .catch(() => {});
      await page.getByRole('heading', { name: 'Triggers', level: 1 }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/triggers');
    },
  );

  it('the secret of a webhook channel is shown once and stored nowhere in the browser', async () => {
    const { page, faults } = await journey.open(`/channels?agent_id=${agentId}&connect=`, { as: OWNER });
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Webhook' }).click();
    await dialog.getByLabel('Name').fill('Shop');
    await dialog.getByLabel('URL').fill('not an address');
    await dialog.getByRole('button', { name: 'Connect channel' }).click();
    await dialog.getByText('Must be a whole URL. Start with https://').waitFor();
    await dialog.getByLabel('URL').fill('https://shop.example/hook');
    await dialog.getByRole('button', { name: 'Connect channel' }).click();
    const secret = await dialog.getByLabel('Signing secret').inputValue();
    expect(secret).toMatch(/^whsec_/);
    await page.keyboard.press('Escape');
    await dialog.getByText('Close without saving the secret?').waitFor();
    await dialog.getByRole('button', { name: 'Keep it open' }).click();
    await dialog.getByRole('button', { name: 'I have saved this secret' }).click();
    await page.getByRole('heading', { name: 'Shop', level: 1 }).waitFor();
    await page.getByText('Waiting for the first message…').waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(await everythingKept(page)).not.toContain(secret);
    await page.getByRole('button', { name: 'Disconnect channel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect channel' }).click();
    await page.getByText('was disconnected').waitFor();
    expect(faults).toEqual([]);
  });

  /** A complete life cycle in two windows. */
  const LONG_MS = 240_000;

  it(
    'a campaign gets settings, a key and recipients, and shows its progress to the end',
    { tags: ['long'], timeout: LONG_MS },
    async () => {
      const { page, faults } = await journey.open(`/campaigns?agent_id=${agentId}`, { as: OWNER });
      await page.getByRole('button', { name: 'Create campaign' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Autumn');
      await dialog.getByRole('combobox', { name: 'Channel' }).or(dialog.getByLabel('Channel')).first().click();
      await page.getByRole('option').first().click();
      await dialog.getByRole('button', { name: 'Create campaign' }).click();
      await page.getByRole('heading', { name: 'Autumn', level: 1 }).waitFor();
      await page.getByRole('region', { name: 'To whom' }).waitFor();
      await page.getByRole('tab', { name: 'Progress' }).click();
      await page.getByText('Three steps to the first message').waitFor();

      await page.getByRole('tab', { name: 'Settings' }).click();
      await page.getByRole('region', { name: 'Preview' }).getByText('Hello').first().waitFor();
      await page.getByRole('radio', { name: 'A text of this campaign' }).check();
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('Enter the first message.').first().waitFor();
      await page.getByRole('textbox', { name: 'Text' }).fill('Hi {{end_user.name}}, use {{voucher}}');
      const preview = page.getByRole('region', { name: 'Preview' });
      await preview.getByLabel('voucher').fill('W-1');
      await preview.getByText('Hi Asha, use W-1').waitFor();
      // Unsaved settings stay while the user looks at another page.
      await follow(page, '/agents');
      await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
      await page.goBack();
      await page.getByText('Unsaved changes', { exact: true }).first().waitFor();
      expect(await page.getByRole('textbox', { name: 'Text' }).inputValue()).toBe(
        'Hi {{end_user.name}}, use {{voucher}}',
      );
      await preview.getByText('Immediately').waitFor();
      // The hours last one hour and start in twelve hours, so on the other side of the world it is another day.
      const clock = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
      await page.getByRole('switch', { name: 'Send only at certain hours' }).click();
      await page.getByLabel('From', { exact: true }).fill(clock(12));
      await page.getByLabel('Until', { exact: true }).fill(clock(13));
      await preview.getByText('in 11 hours').waitFor();
      await page.getByRole('switch', { name: 'Send only at certain hours' }).click();
      await preview.getByText('Immediately').waitFor();
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('The settings were saved.').waitFor();
      const trial = page.getByRole('region', { name: 'Send a test' });
      await trial.getByRole('button', { name: 'Send test' }).click();
      await trial.getByText('Enter an address.').waitFor();
      await trial.getByLabel('Name of the test person').fill('me');
      await trial.getByRole('button', { name: 'Send test' }).click();
      await trial.getByText('Delivered').waitFor();
      await trial.getByRole('link', { name: 'Open the conversation' }).waitFor();

      await page.getByRole('tab', { name: 'Rehearsal' }).click();
      await page.getByRole('button', { name: 'Add a reply' }).click();
      await page.getByRole('button', { name: 'Rehearse' }).click();
      await page.getByText('1,000 of 1,000 are messaged.').waitFor();
      await page.getByText('1,000 messages have an empty place:').waitFor();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download all rows' }).click(),
      ]);
      expect(readFileSync(await file.path(), 'utf8').split('\r\n').length).toBe(1_002);
      // The last chosen file counts, although the browser reads the first file more slowly.
      const rehearsal = page.getByRole('tabpanel', { name: 'Rehearsal' });
      const csvOf = (name: string, rows: string) => ({
        name,
        mimeType: 'text/csv',
        buffer: Buffer.from(`id\n${rows}`),
      });
      await page.evaluate(`{
        const { text } = Blob.prototype;
        Blob.prototype.text = async function () {
          if (this.name === 'slow.csv') await new Promise((resolve) => (self.readSlowFile = resolve));
          return text.call(this);
        };
      }`);
      await rehearsal.getByText('File', { exact: true }).click();
      await rehearsal.locator('input[type=file]').setInputFiles(csvOf('slow.csv', 'a-1\na-2\na-3\n'));
      await rehearsal.locator('input[type=file]').setInputFiles(csvOf('fast.csv', 'b-1\nb-2\n'));
      await page.evaluate(`readSlowFile()`);
      await page.getByRole('button', { name: 'Rehearse' }).click();
      await page.getByText('2 of 2 are messaged.').waitFor();
      await page.getByText('Waiting recipients', { exact: true }).click();
      await page.getByRole('button', { name: 'Rehearse' }).click();
      await page.getByText('No recipients are waiting.').waitFor();
      // The field of the file is empty again, so no file is rehearsed.
      await rehearsal.getByText('File', { exact: true }).click();
      expect(await page.getByRole('button', { name: 'Rehearse' }).isDisabled()).toBe(true);
      // The input stays while the user looks at another tab.
      await rehearsal.locator('input[type=file]').setInputFiles(csvOf('kept.csv', 'c-1\n'));
      await page.getByRole('tab', { name: 'Settings' }).click();
      await page.getByRole('tab', { name: 'Rehearsal' }).click();
      await rehearsal.getByText('kept.csv').waitFor();
      expect(await rehearsal.getByLabel('They write').inputValue()).toBe('stop');
      await page.getByRole('button', { name: 'Rehearse' }).click();
      await page.getByText('1 of 1 is messaged.').waitFor();

      await page.getByRole('tab', { name: 'API' }).click();
      await page.getByRole('button', { name: 'Create campaign key' }).click();
      await dialog.getByLabel('Label').fill('CRM');
      await page.keyboard.press('Enter');
      const value = await page.locator('[data-shown-once]').inputValue();
      expect((await journey.app.call('GET', '/api/me', { key: value })).body).toMatchObject({ scope: 'campaign' });
      await dialog.getByRole('button', { name: 'I have saved this key' }).click();
      const keys = page.getByRole('table', { name: 'Campaign key' });
      await keys.getByRole('link', { name: 'CRM' }).waitFor();
      await dialog.waitFor({ state: 'detached' });
      expect(await everythingKept(page)).not.toContain(value);

      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await dialog.getByRole('link', { name: 'Add end users, or review them first.' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('region', { name: 'To whom' }).waitFor();

      const move = async (name: string, notice: string): Promise<void> => {
        await page.getByRole('button', { name, exact: true }).click();
        await dialog.getByRole('button', { name, exact: true }).click();
        await page.getByText(notice, { exact: true }).waitFor();
      };
      await page.getByRole('tab', { name: 'Progress' }).click();
      await move('Start', 'The campaign is live.');
      await page.getByText('Waiting for your first recipients…').waitFor();
      // This is exactly the call that the page shows.
      await page.getByRole('tab', { name: 'API' }).click();
      const code = await page.getByRole('tabpanel', { name: 'curl' }).innerText();
      const body = JSON.parse(/-d '(.*)'/.exec(code)![1]!);
      expect(body.recipients[0].variables).toEqual({ voucher: 'text' });
      const url = new URL(/'(http[^']+)'/.exec(code)![1]!).pathname;
      expect((await journey.app.call('POST', url, { key: value, body })).status).toBe(202);
      await page.getByRole('tab', { name: 'Progress' }).click();
      const countOf = (status: string, count: number) =>
        page.locator(`[data-status=${status}] [data-count]`).getByText(String(count), { exact: true });
      await countOf('delivered', 2).waitFor();
      const send_at = new Date(Date.now() + 86_400_000).toISOString();
      const later = { end_user: { external_id: 'crm-44' }, ref: 'row-3', send_at };
      await journey.app.call('POST', url, { key: value, body: { recipients: [later] } });
      await countOf('pending', 1).waitFor();

      await page.getByRole('link', { name: 'Queued' }).click();
      const recipients = page.getByRole('table', { name: 'Recipients' });
      await recipients.getByText('Goes out tomorrow').or(recipients.getByText('Goes out in 23 hours')).waitFor();
      // The old rows stay until the filtered rows have loaded.
      await expect.poll(() => recipients.getByRole('row').count()).toBe(2);
      expect(new URL(page.url()).searchParams.get('status')).toBe('pending');
      await recipients.getByRole('button', { name: 'Cancel crm-44' }).click();
      await dialog.getByText('This campaign no longer messages this person').waitFor();
      await dialog.getByRole('button', { name: 'Cancel recipient' }).click();
      await page.getByText('Nothing matches these filters').waitFor();
      await countOf('cancelled', 1).waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).first().click();
      await recipients.getByText('row-2').waitFor();
      await page.getByRole('searchbox').fill('row-1');
      await recipients.getByText('row-2').waitFor({ state: 'detached' });
      await recipients.getByText('Delivered').waitFor();
      expect(await recipients.getByRole('row').count()).toBe(2);

      const arabic = await journey.open(new URL(page.url()).pathname, { as: OWNER, liked: { language: 'ar' } });
      await arabic.page.getByRole('heading', { name: 'المستلمون' }).waitFor();
      await arabic.page.getByText('3 مستلمين إجمالًا').waitFor();

      await move('Pause', 'The campaign is paused.');
      // The other window shows it without a reload.
      await arabic.page.getByRole('button', { name: 'استئناف', exact: true }).waitFor();
      const refused = await journey.app.call('POST', url, { key: value, body });
      expect([refused.status, refused.body.code]).toEqual([409, 'campaign_not_open']);
      await page.getByRole('button', { name: 'Resume', exact: true }).click();
      const review = dialog.getByRole('region', { name: 'Review of the recipients' });
      await review.getByText('0 recipients are messaged.').waitFor();
      await review.getByText('Skipped earlier: 1 (Cancelled)').waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await move('Resume', 'The campaign is live again.');
      await page.getByRole('tab', { name: 'To whom' }).click();
      const audience = page.getByRole('region', { name: 'To whom' });
      await audience.getByLabel('Name or identifier').fill('crm-42');
      await audience.getByRole('button', { name: 'Review' }).click();
      await audience.getByText('0 recipients are messaged.').waitFor();
      await audience.getByText('Skipped: 1 (Already in the campaign)').waitFor();
      await audience.getByText('File', { exact: true }).click();
      const csv = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from('id,ref\ncrm-90,f-1\n,f-2\n') };
      // The button of the field opens the browser's own dialog.
      await audience.locator('input[type=file]').setInputFiles(csv);
      await audience.getByRole('button', { name: 'Review' }).click();
      await audience.getByText('1 recipient is messaged.').waitFor();
      await audience.getByText('1 row cannot be added.').waitFor();
      await audience.getByRole('button', { name: 'Add as recipients' }).click();
      await page.getByRole('region', { name: 'Additions' }).getByText('1 person was added.').waitFor();
      await page.getByRole('button', { name: 'End', exact: true }).click();
      await dialog.getByText('Conversations that have started continue').waitFor();
      await dialog.getByRole('button', { name: 'End', exact: true }).click();
      await page.getByText('The campaign has ended.').first().waitFor();
      await arabic.page.getByText('منتهية', { exact: true }).waitFor();
      expect(arabic.faults).toEqual([]);
      await arabic.close();

      await page.getByRole('tab', { name: 'API' }).click();
      await keys.getByRole('button', { name: 'Revoke CRM' }).click();
      await dialog.getByRole('textbox').fill('CRM');
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await dialog.getByText('refused by all servers since').waitFor();
      expect((await journey.app.call('GET', '/api/me', { key: value })).status).toBe(401);

      // The list with the revoked keys starts at its first page.
      await page.keyboard.press('Escape');
      const made = async (path: string, sent: object) => (await journey.api(`POST ${org}${path}`, sent, cookie)).body;
      const { sandbox_channel_id: channel_id } = (await journey.api(`GET ${org}/agents/${agentId}`, undefined, cookie))
        .body;
      const winter = (await made('/campaigns', { agent_id: agentId, channel_id, name: 'Winter' })).id;
      for (let number = 1; number <= 11; number++)
        await made('/keys', { label: `Key ${number}`, scope: 'campaign', campaign_id: winter });
      await follow(page, `/campaigns/${winter}?tab=keys`);
      await keys.getByRole('link', { name: 'Key 11' }).waitFor();
      await page.getByRole('button', { name: 'Next' }).click();
      await keys.getByRole('link', { name: 'Key 1', exact: true }).waitFor();
      await page.getByRole('switch', { name: 'Show revoked' }).press('Space');
      await keys.getByRole('link', { name: 'Key 11' }).waitFor();
      expect(faults).toEqual([]);
    },
  );

  it('a long list is read page by page, and its state is in the URL', { tags: ['long'] }, async () => {
    for (let number = 1; number <= 25; number++)
      await journey.api(`POST ${org}/agents`, { name: `Paged ${String(number).padStart(2, '0')}` }, cookie);
    const { page } = await journey.open('/agents?text=Paged', { as: OWNER });
    await page.getByRole('link', { name: 'Paged 25' }).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('link', { name: 'Paged 01' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Paged 01' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Paged 25' }).waitFor();
    // After a pause between two words, the space is still there.
    await page.getByRole('searchbox').fill('nothing ');
    await page.getByText('Nothing matches these filters').waitFor();
    await page.getByRole('searchbox').pressSequentially('like it');
    await expect.poll(() => new URL(page.url()).searchParams.get('text')).toBe('nothing like it');
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await page.getByRole('link', { name: 'Paged 25' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  it('a viewer reads everything and changes nothing', async () => {
    const invited = await journey.api(`POST ${org}/invitations`, { email: 'vi@example.com', role: 'viewer' }, cookie);
    const token = new URL(invited.body.url).pathname.split('/').at(-1);
    await journey.api(`POST /invitations/${token}`, { name: 'Vi', password: 'correct horse battery' });
    const conversation = await givenConversation('Read only');
    const { page } = await journey.open(`/agents/${agentId}`, { as: 'vi@example.com' });
    await page.getByText('you can read this agent, but not change or test it').waitFor();
    expect(await page.getByRole('button', { name: /Publish|Let the agent start/ }).count()).toBe(0);
    expect(await page.getByLabel('Instructions').getAttribute('readonly')).not.toBeNull();
    await page.goto(`${journey.app.url}/conversations/${conversation}`);
    await page.getByText('you can read this conversation').waitFor();
    expect(await page.getByRole('button', { name: 'Take over' }).count()).toBe(0);
    for (const [path, button] of [
      ['/agents', 'Create agent'],
      ['/triggers', 'Create trigger'],
      ['/channels', 'Connect channel'],
    ]) {
      await page.goto(journey.app.url + path!);
      await page.getByRole('table').waitFor();
      expect(await page.getByRole('button', { name: button! }).count()).toBe(0);
    }
  });
});
