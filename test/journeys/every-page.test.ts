import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, follow, type Journey, OWNER, settled, startJourney, tooWide } from './dashboard-browser.ts';
import { isFront, makeSubjects, pagesOf, type Subjects } from './dashboard-pages.ts';
import { faultsOfPages, faultsOfPopups } from './page-checks.ts';

/** Checks every page, and every dialog that a page opens. The list of pages comes from routes.tsx. */
describe.skipIf(!CHROMIUM)('the pages of the dashboard', () => {
  const LONG = { tags: ['long'], timeout: 400_000 };
  let journey: Journey;
  let subjects: Subjects;
  let paths: string[];
  beforeAll(async () => {
    journey = await startJourney();
    subjects = await makeSubjects(journey);
    paths = pagesOf(subjects);
  });
  afterAll(() => journey?.stop());

  test('the pages open through links and fit a phone', async () => {
    const { page, faults } = await journey.open('/', { as: OWNER, viewport: { width: 320, height: 700 } });
    const found: string[] = [];
    for (const path of paths.filter((one) => !isFront(one))) {
      await follow(page, path);
      await settled(page);
      if ((await page.getByRole('heading', { level: 1 }).count()) === 0) found.push(`${path}: no heading`);
      found.push(...(await tooWide(page)).map((fault) => `${path}: ${fault}`));
    }
    expect([...found, ...faults]).toEqual([]);
  });

  test('the pages have no serious axe-core faults in English and Arabic, light and dark', async () => {
    const some = ['/agents', `/end-users/${subjects['end_user_id']}`, '/sign-in'];
    expect(paths).toEqual(expect.arrayContaining(some));
    expect(await faultsOfPages(journey, some)).toEqual([]);
  });

  test('the dialogs and menus of the pages have no serious axe-core faults and return the focus', async () => {
    const { found, opened } = await faultsOfPopups(journey, [`/triggers/${subjects['trigger_id']}`]);
    expect(found).toEqual([]);
    expect(opened.length).toBeGreaterThan(3);
  });

  test(
    'all pages have no serious axe-core faults in English and Arabic, light and dark, and fit a phone',
    LONG,
    async () => {
      expect(await faultsOfPages(journey, paths)).toEqual([]);
    },
  );

  test('all dialogs and menus have no serious axe-core faults, fit a phone, and return the focus', LONG, async () => {
    const { found, opened } = await faultsOfPopups(journey, paths);
    expect(found).toEqual([]);
    expect(opened.length).toBeGreaterThan(20);
  });
});
