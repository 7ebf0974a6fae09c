import type { Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, type Journey, OWNER, PASSWORD, settled, startJourney, tooWide } from './dashboard-browser.ts';
import { HOSTILE } from './hostile-texts.ts';

/**
 * User text stays text, whatever it contains: planted through the API in every place that accepts text, then checked on
 * every list and on a page of each kind. No text runs as code, opens a prompt, causes a report, or breaks the page.
 */
describe.skipIf(!CHROMIUM)('hostile words', { tags: ['long'] }, () => {
  let journey: Journey;
  let org: string;
  let cookie: string;
  /** Pages of one record. A payload is the name of each record. */
  const details: string[] = [];

  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into freely
  const post = async (path: string, body: unknown): Promise<any> => {
    const answer = await journey.api(`POST ${org}${path}`, body, cookie);
    if (answer.status >= 300) throw new Error(`${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  beforeAll(async () => {
    journey = await startJourney();
    const owner = await journey.owner();
    cookie = owner.cookie;
    org = `/organizations/${owner.orgId}`;
    const home = await post('/agents', { name: HOSTILE[0] });
    const shared = await post('/triggers', { agent_id: home.id, name: HOSTILE[1]!.slice(0, 64) });
    const plant = async (words: string): Promise<string[]> => {
      const label = nameOf(words).slice(0, 64);
      // The API accepts every name of a field except this one.
      const field = label === '__proto__' ? 'proto' : label;
      const name = nameOf(words).slice(0, 200);
      const localized = { default: words };
      const agent = await post('/agents', {
        name,
        definition: {
          instructions: words,
          dont_know: localized,
          rules: [{ name: nameOf(words).slice(0, 100), words: [words.slice(0, 100)], reply: localized, tag: label }],
        },
      });
      const [trigger, key, campaign, channel] = await Promise.all([
        post('/triggers', {
          agent_id: home.id,
          name: label,
          variables: [{ name: 'order_id', type: 'string', default: words, description: words.slice(0, 500) }],
        }),
        post('/keys', { label, scope: 'agent', agent_id: agent.id, permissions: ['triggers'] }),
        post('/campaigns', { agent_id: home.id, channel_id: home.sandbox_channel_id, name: label }),
        post('/channels', {
          agent_id: home.id,
          kind: 'webhook',
          name: label,
          settings: { url: 'https://example.com/in' },
        }),
        post(`/agents/${home.id}/documents`, { name, text: words }),
      ]);
      const run = await post(`/triggers/${shared.id}/test`, {
        end_user: { external_id: words.slice(0, 255), name, attributes: { [field]: words } },
        message: words,
        metadata: { [field]: words.slice(0, 500) },
      });
      await post(`/conversations/${run.conversation_id}/take-over`, undefined);
      await post(`/conversations/${run.conversation_id}/reply`, { text: words });
      return [
        `/agents/${agent.id}`,
        `/triggers/${trigger.id}`,
        `/settings/integrations/api-keys/${key.id}`,
        `/campaigns/${campaign.id}`,
        `/channels/${channel.id}`,
        `/conversations/${run.conversation_id}`,
        `/end-users/${run.end_user_id}`,
      ];
    };
    const pages: string[][] = [];
    for (let from = 0; from < HOSTILE.length; from += 6)
      pages.push(...(await Promise.all(HOSTILE.slice(from, from + 6).map(plant))));
    // The lists show all of them. Every second detail page is checked, rotating over the kinds.
    details.push(...pages.filter((_, index) => index % 2 === 0).map((own, turn) => own[turn % own.length]!));

    const all = await journey.app.key(owner.orgId, { permissions: ['end_users', 'channels'] });
    const { body } = await journey.app.call('PUT', '/api/end-users', {
      key: all.value,
      body: {
        external_id: 'all',
        name: HOSTILE[3],
        tags: [...new Set(HOSTILE.map((words) => words.slice(0, 64)))],
        attributes: Object.fromEntries(HOSTILE.map((words, index) => [`a${index}`, words])),
      },
    });
    details.push(`/end-users/${body.id}`, `/agents/${home.id}?tab=knowledge`, `/triggers/${shared.id}`);
    const address = `/api/channels/${home.id}/${home.sandbox_channel_id}/messages`;
    for (const content of [
      { type: 'image', url: 'https://evil.example/pixel.png', text: HOSTILE[3] },
      { type: 'file', url: 'javascript:ran()', name: HOSTILE[4], text: HOSTILE[5] },
      { type: 'choices', text: HOSTILE[6], choices: [{ id: 'a', label: HOSTILE[7] }] },
    ]) {
      const sent = await journey.app.call('POST', address, {
        key: all.value,
        body: { to: { end_user: { external_id: 'all' } }, content },
      });
      if (sent.status === 202) details.push(`/conversations/${sent.body.conversation_id}`);
    }
    // A person who signs in can send any text as user agent.
    await fetch(`${journey.app.url}/dashboard/api/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': '<img src=x onerror=ran()>' },
      body: JSON.stringify({ email: OWNER, password: PASSWORD }),
    });
    await journey.api(`PATCH ${org}`, { name: HOSTILE[5] }, cookie);
  }, 240_000);
  afterAll(() => journey?.stop());

  const LISTS = [
    '/conversations',
    '/end-users',
    '/agents',
    '/triggers',
    '/channels',
    '/campaigns',
    '/settings/integrations/api-keys',
    '/activity',
  ];
  const OTHERS = [
    '/',
    '/settings/organization',
    '/settings/costs',
    '/settings/members',
    '/settings/sessions',
    '/settings/plan',
  ];

  test('every page shows hostile text as text, and runs none of its code', async () => {
    const { page, faults } = await journey.open('/', { as: OWNER });
    const seen: string[] = [];
    await page.addInitScript(WATCH);
    page.on('dialog', (asked) => {
      seen.push(`a dialog: ${asked.message()}`);
      void asked.dismiss();
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(journey.app.url)) seen.push(`a request to ${request.url()}`);
    });
    const look = async (path: string): Promise<void> => {
      seen.push(...(await page.evaluate<string[]>(LOOK)).map((found) => `${path}: ${found}`));
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        seen.push(...(await tooWide(page)).map((found) => `${path} at ${width}: ${found}`));
      }
    };
    for (const path of [...OTHERS, ...details]) {
      await page.goto(journey.app.url + path);
      await settled(page);
      await look(path);
    }
    for (const path of LISTS) {
      await page.goto(journey.app.url + path);
      await settled(page);
      await page.locator('[data-row]').first().waitFor();
      let text = '';
      for (let pages = 1; ; pages++) {
        text += await page.locator('main').textContent();
        await look(path);
        if (!(await turn(page)) || pages > 20) break;
      }
      if (path === '/activity') continue;
      const missing = HOSTILE.filter((words) => !flat(text).includes(flat(nameOf(words).slice(0, 40))));
      if (missing.length > 0) seen.push(`${path}: not shown as they are: ${JSON.stringify(missing)}`);
    }
    expect(seen).toEqual([]);
    expect(faults).toEqual([]);
  }, 400_000);
});

/** Goes to the next page of a list. False on the last page. */
async function turn(page: Page): Promise<boolean> {
  const next = page.getByRole('button', { name: 'Next' });
  if (!(await next.isVisible()) || (await next.isDisabled())) return false;
  const first = page.locator('[data-row]').first();
  const before = await first.getAttribute('data-row');
  await next.click();
  // The URL changes before the rows do.
  await expect.poll(() => first.getAttribute('data-row')).not.toBe(before);
  await page.locator('[data-stale]').first().waitFor({ state: 'detached' });
  return true;
}

/** A name is one line. The messages and texts contain the payloads unchanged. */
const nameOf = (words: string): string => words.replaceAll(/\p{Cc}+/gu, ' ').trim();

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();

const WATCH = `window.reports = []; window.ran = () => window.reports.push('a script ran');
document.addEventListener('securitypolicyviolation', (event) => window.reports.push('a CSP report: ' + event.violatedDirective + ' ' + event.blockedURI));`;

/** The reported violations, and elements or handlers that come from user text and not from our pages. */
const LOOK = `[
  ...window.reports.splice(0),
  ...[...document.querySelectorAll('iframe, object, embed, base, form[action], script:not([src]), marquee, math, video, [onerror], [onload], [onclick], [onfocus], [onblur], [ontoggle], [href^="javascript:" i], [href^="data:" i], [src*="evil"], [href*="evil"]')]
    .map((one) => 'an element: ' + one.outerHTML.slice(0, 120)),
]`;
