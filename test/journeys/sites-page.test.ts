import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Site, sitePage, startSite } from '../fakes/site.ts';
import { CHROMIUM, OWNER, seriousFaults, settled, startJourney, tooWide, type Journey } from './dashboard-browser.ts';

const SHOTS = process.env['TEST_SHOTS'];
/** More pages of a site than one page of the list shows. */
const MANY = 60;

/** A site as a source of answers, in a real browser: added, read, inspected, changed. */
describe.skipIf(!CHROMIUM)('the sites of an agent', () => {
  let journey: Journey;
  let site: Site;
  let agent: string;

  beforeAll(async () => {
    site = await startSite();
    site.pages.set('/help/', sitePage('Help', 'The shop opens at nine.', ['/help/gone']));
    site.pages.set('/help/gone', { status: 500 });
    journey = await startJourney({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
    const { orgId, cookie } = await journey.owner();
    agent = (await journey.api(`POST /organizations/${orgId}/agents`, { name: 'Concierge' }, cookie)).body.id;
  });
  afterAll(async () => {
    await journey?.stop();
    await site?.stop();
  });

  it('a site is added and read, its web pages are listed by state, and its schedule is changed', async () => {
    const { page, faults } = await journey.open(`/agents/${agent}?tab=knowledge`, { as: OWNER });
    const sites = page.getByRole('region', { name: 'Sites' });
    await sites.getByRole('button', { name: 'Add a site' }).click();
    const adding = page.getByRole('dialog');
    await adding.getByLabel('Address').fill(`${site.url}/help/`);
    await adding.getByRole('button', { name: 'Add a site' }).click();
    await sites.getByText('Up to date').waitFor();
    await sites.getByText('1 of 2').waitFor();

    await sites.getByRole('button', { name: /^Change: / }).click();
    const editing = page.getByRole('dialog');
    expect(await editing.getByRole('combobox', { name: 'Read again' }).inputValue()).toBe('Every week');
    await editing.getByRole('combobox', { name: 'Read again' }).click();
    await page.getByRole('option', { name: 'Every day' }).click();
    await editing.getByLabel('Maximum number of pages').fill('7');
    await settled(page);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/site-change.png` });
    expect(await seriousFaults(page)).toEqual([]);
    await editing.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The site was changed.').waitFor();
    const stored = async () =>
      (await journey.app.db.execute(sql`SELECT schedule, max_pages FROM document_source`)).rows;
    expect(await stored()).toEqual([{ schedule: 'daily', max_pages: 7 }]);
    // Another member changes the schedule.
    await sites.getByRole('button', { name: /^Change: / }).click();
    await editing.getByLabel('Maximum number of pages').fill('8');
    await journey.app.db.execute(sql`UPDATE document_source SET schedule = 'weekly'`);
    await editing.getByRole('button', { name: 'Save' }).click();
    await editing.waitFor({ state: 'detached' });
    expect(await stored()).toEqual([{ schedule: 'weekly', max_pages: 8 }]);

    await journey.app.db.execute(sql`INSERT INTO document_page (org_id, source_id, url, found)
      SELECT org_id, id, ${site.url} || '/help/z' || to_char(n, 'FM000'), 1 FROM document_source, generate_series(1, ${MANY}) n`);
    await sites
      .getByRole('button', { name: `${site.url}/help/` })
      .first()
      .click();
    const pages = page.getByRole('dialog');
    await pages.getByText('/help/z001', { exact: false }).waitFor();
    await pages.getByRole('button', { name: 'Next', exact: true }).click();
    await pages.getByText('/help/z060', { exact: false }).waitFor();
    expect(await pages.getByText('/help/z001', { exact: false }).count()).toBe(0);
    await pages.getByRole('button', { name: 'Previous' }).click();
    await pages.getByText('/help/z001', { exact: false }).waitFor();
    await pages.getByLabel('State').selectOption('Fault');
    await pages.getByText('/help/gone', { exact: false }).waitFor();
    await pages.getByText('/help/z001', { exact: false }).waitFor({ state: 'detached' });
    await pages.getByLabel('State').selectOption('The page is the same as another page');
    await pages.getByText('No page in this state').waitFor();
    expect(await tooWide(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
