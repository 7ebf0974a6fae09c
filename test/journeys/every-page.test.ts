import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CHROMIUM,
  contrastFaults,
  follow,
  type Journey,
  OWNER,
  PASSWORD,
  seriousFaults,
  settled,
  startJourney,
  tooWide,
  wordFaults,
} from './dashboard-browser.ts';
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

  test('the checks with axe-core find a button without a name and a text without contrast', async () => {
    const { page } = await journey.open('/sign-in');
    await settled(page);
    await page.evaluate(PLANT);
    const [unnamed, pale] = [expect.stringMatching(/^button-name: /), expect.stringMatching(/^color-contrast: /)];
    expect(await seriousFaults(page)).toEqual([unnamed, pale]);
    expect(await wordFaults(page)).toEqual([unnamed]);
    expect(await contrastFaults(page)).toEqual([pale]);
    expect(await seriousFaults(page, 'main button:empty')).toEqual([unnamed]);
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

  test('no page shows a viewer an enabled control whose action the server refuses', LONG, async () => {
    const invited = await journey.api(
      `POST ${subjects['org']}/invitations`,
      { email: 'vera@example.com', role: 'viewer' },
      subjects['cookie'],
    );
    const token = new URL(invited.body.url).pathname.split('/').at(-1);
    await journey.api(`POST /invitations/${token}`, { name: 'Vera', password: PASSWORD });
    const { page, faults } = await journey.open('/', { as: 'vera@example.com' });
    const found: string[] = [];
    for (const path of paths.filter((one) => !isFront(one) && !OWN.test(one))) {
      await follow(page, path);
      await settled(page);
      const controls = await page.evaluate<string[]>(ENABLED);
      found.push(...controls.filter((one) => !ONLY_READS.test(one)).map((one) => `${path}: ${one}`));
    }
    expect([...found, ...faults]).toEqual([]);
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

/** Pages for the account and the access tokens of the viewer, which the viewer may change. */
const OWN = /^\/(?:settings\/(?:sessions|access-tokens)|verify)/;

/** Enabled controls of the page: the tag and the name. Tabs, and the parts that a closed menu hides, are left out. */
const ENABLED = `[...document.querySelectorAll('main :is(button:not([role=tab]), input, textarea, select, [role=switch])')]
  .filter((one) => one.checkVisibility() && !one.disabled && !one.readOnly && one.ariaDisabled !== 'true')
  .map((one) => one.tagName.toLowerCase() + ' ' + (one.ariaLabel || one.innerText || one.labels?.[0]?.innerText || one.placeholder || one.outerHTML.slice(0, 80)).replaceAll('\\n', ' '))`;

/** Controls that only read, filter, copy, or change what this window shows. A new one needs a line, or a role. */
const ONLY_READS = new RegExp(
  `^(?:${[
    'button (?:Copy|Show|Hide|Next|Previous|Columns|Filters|Notify|Keyboard|Details|More about|Clear|curl|TypeScript|Python|Not now)',
    'button (?:Mine|Unassigned|Waiting|Snoozed|Mentions|All|Changes|Definition|Any language|Arabic|Hindi|Leave)\\b',
    'input (?:Search|Agent|Channel|Member|Trigger|Campaign|Tag|Attribute|Key|Request|From|Until|Event|Custom)\\b',
    'input (?:\\d+ (?:hours|days)|On my website|From my backend|Show revoked|Show ended|Blocked only|Their)',
    // These open a record of makeSubjects.
    'button (?:Shop guide|day|Refund|lookup|webhook[.]|message[.])',
    'select (?:English|Group by|Sum by|Scope|Permissions|Language|Status|State)',
  ].join('|')})`,
);

const PLANT = `{
  const text = document.createElement('p');
  text.textContent = 'Pale';
  Object.assign(text.style, { color: '#999', background: '#aaa' });
  document.querySelector('main').append(document.createElement('button'), text);
}`;
