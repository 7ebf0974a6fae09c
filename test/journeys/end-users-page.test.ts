import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, follow, OWNER, seriousFaults, settled, startJourney, type Journey } from './dashboard-browser.ts';

/** People and their files in a real browser, with the complete program. */
describe.skipIf(!CHROMIUM)('end users in the dashboard', () => {
  let journey: Journey;
  let org: string;
  let cookie: string;
  let folder: string;

  beforeAll(async () => {
    journey = await startJourney();
    const owner = await journey.owner();
    cookie = owner.cookie;
    org = `/organizations/${owner.orgId}`;
    folder = mkdtempSync(path.join(tmpdir(), 'parley-people-'));
  });
  afterAll(async () => {
    await journey?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const given = async (name: string, content: string | Buffer): Promise<string> => {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    return file;
  };

  it('an import maps the columns, makes a dry run, stores the people and returns the failed rows', async () => {
    const { page, faults } = await journey.open('/end-users', { as: OWNER });
    // The link in the header disappears when the list is known to be empty.
    await settled(page);
    await page.getByRole('link', { name: 'Import CSV' }).first().click();
    const file = await given(
      'people.csv',
      'Customer;Full name;E-mail;Plan\r\nw-1;ليلى;layla@example.qa;gold\r\nw-2;आशा;not an address;gold\r\nw-3;Omar;omar@example.qa;\r\n',
    );
    // A user who leaves the page during the upload stays on the other page and finds the file in the list of imports.
    const gone = Promise.withResolvers<void>();
    await page.route('**/pieces/**', async (route) => {
      await gone.promise;
      await route.continue();
    });
    const sent = page.waitForResponse(/pieces/);
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('Sending').waitFor();
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    gone.resolve();
    await sent;
    await page.goBack();
    expect(new URL(page.url()).search).toBe('');
    await page.getByRole('link', { name: 'people.csv' }).click();
    await page.getByRole('heading', { name: 'Map the columns' }).waitFor();
    // A reload loses nothing.
    await page.reload();
    const becomes = (column: string) => page.getByLabel(`Field for column ${column}`);
    expect(await becomes('E-mail').inputValue()).toBe('email');
    await becomes('E-mail').selectOption('');
    await page.getByRole('button', { name: 'Import now' }).click();
    await page.getByText('Choose a column for external ID').waitFor();
    await becomes('E-mail').selectOption('email');
    await becomes('Customer').selectOption('external_id');
    await becomes('Plan').selectOption('attributes.Plan');
    expect(await seriousFaults(page)).toEqual([]);

    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByRole('heading', { name: 'Result of the dry run' }).waitFor();
    const failed = page.getByRole('table', { name: 'Rows that failed' });
    await failed.getByText('Must be an e-mail address.').waitFor();
    expect((await journey.api(`GET ${org}/end-users`, undefined, cookie)).body.data).toEqual([]);

    // The choice is stored.
    expect(await becomes('Customer').inputValue()).toBe('external_id');
    await page.getByRole('button', { name: 'Import now' }).click();
    await page.getByRole('heading', { name: 'The import is done' }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download failed rows (CSV)' }).click();
    const saved = readFileSync(await (await download).path(), 'utf8');
    expect(saved).toContain('w-2,आशा,not an address,gold,3,email: Must be an e-mail address.');

    await page.getByRole('link', { name: 'Show end users' }).click();
    await page.getByRole('link', { name: 'ليلى' }).waitFor();
    await page.getByLabel('Attribute').fill('Plan=gold');
    await page.getByRole('link', { name: 'Omar' }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('attribute')).toBe('Plan=gold');
    expect(faults).toEqual([]);
  });

  it(
    'an import reports that a file is not UTF-8, and then reads it in its own encoding',
    { tags: ['long'] },
    async () => {
      const { page } = await journey.open('/end-users/import', { as: OWNER });
      const file = await given(
        'old.csv',
        Buffer.concat([
          Buffer.from('external_id,name\no-1,'),
          Buffer.from([0xc3, 0xcd, 0xe3, 0xcf]),
          Buffer.from('\n'),
        ]),
      );
      await page.locator('input[type=file]').setInputFiles(file);
      await page.getByText('The file is not text in UTF-8').first().waitFor();
      // Waiting files use limited storage, so a user cancels an import explicitly.
      await page.getByRole('link', { name: 'End users' }).last().click();
      await settled(page);
      await page.getByRole('link', { name: 'Import CSV' }).first().click();
      const row = page.getByRole('row', { name: /old\.csv/ });
      await row.getByText('Not imported yet').waitFor();
      await row.getByRole('link').click();
      await page.getByRole('button', { name: 'Discard this file' }).click();
      await page.getByRole('heading', { name: 'Choose a CSV file' }).waitFor();
      await row.getByText('Stopped').waitFor();
      await page.locator('input[type=file]').setInputFiles(file);
      await page.getByText('The file is not text in UTF-8').first().waitFor();
      await page.getByLabel('Encoding').selectOption('windows-1256');
      await page.getByText('أحمد').waitFor();
      await page.getByRole('button', { name: 'Import now' }).click();
      await page.getByRole('heading', { name: 'The import is done' }).waitFor();
      const { body } = await journey.api(`GET ${org}/end-users?text=o-1`, undefined, cookie);
      expect(body.data).toMatchObject([{ external_id: 'o-1', name: 'أحمد' }]);
    },
  );

  it('a person is created and changed, has a recorded consent, and is exported and erased', async () => {
    const { page, faults } = await journey.open('/end-users?create=', { as: OWNER });
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add end user' }).click();
    await dialog.getByText('Enter an external ID, an e-mail address or a phone number.').waitFor();
    await dialog.getByLabel('Name').fill('Noor');
    await dialog.getByLabel('External ID').fill('noor-1');
    await dialog.getByLabel('Phone').fill('12');
    await dialog.getByRole('button', { name: 'Add end user' }).click();
    await dialog.getByText('Must be a phone number').waitFor();
    await dialog.getByLabel('Phone').fill('+97430001111');
    await dialog.getByLabel('Tags').fill('vip، gold');
    await dialog.getByLabel('Attributes').fill('{"plan": "gold", "seats": 3}');
    await dialog.getByRole('button', { name: 'Add end user' }).click();
    await page.getByRole('heading', { name: 'Noor', level: 1 }).waitFor();

    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Attributes').fill('{"plan": "silver"}');
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('silver').waitFor();
    expect(await page.getByText('seats').count()).toBe(0);

    // The dialog does not undo a change that a backend made while it was open.
    const id = new URL(page.url()).pathname.split('/').at(-1)!;
    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Name').fill('Noor A.');
    const change = { locale: 'ar-QA-u-nu-latn', tags: ['vip', 'gold', 'new'], attributes: { city: 'Doha' } };
    await journey.api(`PATCH ${org}/end-users/${id}`, change, cookie);
    await page.getByRole('button', { name: 'Opted in', includeHidden: true }).dispatchEvent('click');
    await page.getByText('Doha').waitFor({ state: 'attached' });
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: 'Noor A.', level: 1 }).waitFor();
    const { body: changed } = await journey.api(`GET ${org}/end-users/${id}`, undefined, cookie);
    expect(changed).toMatchObject({ locale: 'ar-QA-u-nu-latn', attributes: { plan: 'silver', city: 'Doha' } });
    await page.getByText('Arabic (Qatar)').waitFor();
    expect(changed.tags.toSorted()).toEqual(['gold', 'new', 'vip']);

    await page.getByLabel('Kind of channel').selectOption('whatsapp');
    await page.getByRole('button', { name: 'Opted out' }).click();
    await page.getByText('The consent was saved.').waitFor();
    await page.locator('dd').getByText('Opted out').waitFor();
    expect(await seriousFaults(page)).toEqual([]);

    // While the conversations of another person load, those of the first person are not shown for the other one.
    const make = async (path: string, sent: object) => (await journey.api(`POST ${org}${path}`, sent, cookie)).body;
    const { id: agent_id } = await make('/agents', { name: 'Concierge', definition: {} });
    const trigger = await make('/triggers', { agent_id, name: 'Chat' });
    const talk = { end_user: { external_id: 'noor-1' }, message: 'Where is my order?' };
    await make(`/triggers/${trigger.id}/test`, talk);
    const other = (await make('/end-users', { external_id: 'omar-1', name: 'Omar' })).id;
    const loading = Promise.withResolvers<void>();
    await page.route(`**/conversations?end_user_id=${other}*`, async (route) => {
      await loading.promise;
      await route.continue();
    });
    const rows = page.getByRole('table', { name: 'Conversations' });
    await follow(page, `/end-users/${other}`);
    await page.getByRole('heading', { name: 'Omar', level: 1 }).waitFor();
    await follow(page, `/end-users/${id}`);
    await rows.waitFor();
    await follow(page, `/end-users/${other}`);
    await page.getByRole('heading', { name: 'Omar', level: 1 }).waitFor();
    expect(await rows.count()).toBe(0);
    loading.resolve();
    await follow(page, `/end-users/${id}`);
    await rows.waitFor();

    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download data' }).click();
    const saved = JSON.parse(readFileSync(await (await download).path(), 'utf8'));
    expect(saved.end_user).toMatchObject({ external_id: 'noor-1', consent: { whatsapp: { status: 'opted_out' } } });

    await page.getByRole('button', { name: 'Erase' }).click();
    await dialog.getByRole('textbox').fill('Nor');
    await dialog.getByRole('button', { name: 'Erase' }).click();
    expect(await dialog.isVisible()).toBe(true);
    await dialog.getByRole('textbox').fill('Noor A.');
    await dialog.getByRole('button', { name: 'Erase' }).click();
    await page.getByText('The end user was erased.').waitFor();
    await page.goBack();
    await page.getByText('No such end user').waitFor();
    expect(await page.locator('body').innerText()).not.toContain('+97430001111');
    const { body } = await journey.api(`GET ${org}/end-users?text=noor-1`, undefined, cookie);
    expect(body.data).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('the name stays readable next to an address and an ID without spaces', async () => {
    const long = {
      external_id: 'a4d1c2b3-'.repeat(20),
      email: `${'q'.repeat(60)}@${'w'.repeat(60)}.example`,
      name: 'Maria José',
    };
    expect((await journey.api(`POST ${org}/end-users`, long, cookie)).status).toBe(201);
    const { page } = await journey.open('/end-users', { as: OWNER });
    const row = page.getByRole('row', { name: /Maria José/ });
    const height = (await row.boundingBox())!.height;
    const table = await page.getByRole('table', { name: 'End users' }).boundingBox();
    expect([height < 250, table!.x + table!.width <= 1280]).toEqual([true, true]);
  });
});
