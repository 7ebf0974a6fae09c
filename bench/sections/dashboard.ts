import { chromium, type Page } from '@playwright/test';
import { hashPassword } from 'better-auth/crypto';
import { newId } from '../../src/kernel/ids.ts';
import { insertMember } from '../../src/store/members/members.ts';
import { insertPerson } from '../../src/store/accounts/accounts.ts';
import { CHROMIUM } from '../../test/journeys/find-chromium.ts';
import type { Plan } from '../compare.ts';
import { type Program, startProgram } from '../program.ts';

const ROWS = 10_000;
const TURNS = 25;
const OPENINGS = 15;
const OWNER = { name: 'Asha Rao', email: 'asha@example.com', password: 'correct horse battery' };

/**
 * Measures the dashboard with lists of ten thousand rows in a real browser: the time from a click to the next frame or
 * page of rows, and layout shifts.
 */
export async function dashboard(plan: Plan): Promise<string[]> {
  if (!CHROMIUM) throw new Error('Install Chromium for this section: apt-get install chromium-headless-shell.');
  await using program = await startProgram('api');
  const rows = Math.max(100, Math.round(ROWS * plan.scale));
  const triggerId = await fill(program, rows);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--headless'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.addInitScript(WATCH);
    await signIn(page, program.origin);
    const lines: string[] = [];
    for (const [name, path] of [
      ['API keys', '/settings/integrations/api-keys'],
      ['end users', '/end-users'],
      ['conversations', '/conversations'],
      ['runs', `/triggers/${triggerId}`],
    ] as const)
      lines.push(await turnPages(page, program.origin + path, `${rows.toLocaleString('en')} ${name}`));
    for (const path of ['/', '/agents', '/channels', '/campaigns', '/activity', '/settings/members', '/settings/plan'])
      lines.push(await onlyLoad(page, program.origin + path, path));
    lines.push(await openConversations(page, program.origin, rows));
    return lines;
  } finally {
    await browser.close();
  }
}

/** Measures the three numbers of a list that the top of this file explains. */
async function turnPages(page: Page, url: string, name: string): Promise<string> {
  await load(page, url);
  const shift = await shifted(page);
  const next = page.getByRole('button', { name: 'Next' });
  const waits: number[] = [];
  for (let turn = 0; turn < TURNS && (await next.isEnabled().catch(() => false)); turn++) {
    const before = await firstRow(page);
    const begun = performance.now();
    await next.click();
    while ((await firstRow(page)) === before) if (performance.now() - begun > 10_000) throw new Error(`${url} stays`);
    waits.push(performance.now() - begun);
  }
  const presses = await page.evaluate<number[]>('window.presses');
  const [press, wait] = [spread(presses), spread(waits)];
  return `${name}: press to next frame ${press}, press to next rows ${wait} (${waits.length} pages), layout shift ${shift}`;
}

/** Measures the time from a press on a row of the inbox until the transcript shows the messages of that conversation. */
async function openConversations(page: Page, origin: string, rows: number): Promise<string> {
  await load(page, `${origin}/conversations`);
  const ids = await page.evaluate<string[]>(
    `[...document.querySelectorAll('[data-row]')].map((row) => row.dataset.row)`,
  );
  const waits: number[] = [];
  for (const id of ids.slice(0, OPENINGS)) waits.push(await page.evaluate<number>(`(${OPEN})(${JSON.stringify(id)})`));
  return `inbox with ${rows.toLocaleString('en')} conversations: press to messages ${spread(waits)} (${waits.length} conversations)`;
}

async function onlyLoad(page: Page, url: string, name: string): Promise<string> {
  await load(page, url);
  return `${name}: layout shift ${await shifted(page)}`;
}

async function load(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.locator('h1').first().waitFor();
  await page.locator('[aria-busy=true], .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
  // Content that arrives late causes late layout shifts.
  await page.waitForTimeout(1_000);
}

const firstRow = (page: Page): Promise<string | null> =>
  page.evaluate<string | null>(`document.querySelector('[data-row]')?.dataset.row ?? null`);
const shifted = async (page: Page): Promise<string> => (await page.evaluate<number>('window.shift')).toFixed(4);
const spread = (all: readonly number[]): string => {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (share: number): string => `${Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)} ms`;
  return `${at(0.5)} (p95 ${at(0.95)}, most ${at(1)})`;
};

/** The browser does not report an event shorter than 16 ms, because it took less than a frame. */
const WATCH = `
window.shift = 0; window.presses = [];
new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) window.shift += one.value; })
  .observe({ type: 'layout-shift', buffered: true });
new PerformanceObserver((list) => { for (const one of list.getEntries()) if (one.name === 'click') window.presses.push(one.duration); })
  .observe({ type: 'event', buffered: true, durationThreshold: 16 });`;

/** The browser measures the time, because each command of the driver takes some milliseconds. */
const OPEN = `(id) => new Promise((resolve) => {
  const begun = performance.now();
  const look = () => document.querySelector('[data-message="msg_of_' + id + '"]')
    ? requestAnimationFrame(() => resolve(performance.now() - begun))
    : requestAnimationFrame(look);
  document.querySelector('[data-row="' + id + '"]').click();
  look();
})`;

async function signIn(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/sign-in`);
  await page.getByLabel('E-mail address').fill(OWNER.email);
  await page.getByLabel('Password', { exact: true }).fill(OWNER.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
}

/** This function inserts rows directly into the tables, with one second between their times. */
async function fill({ db, orgId, triggerPath }: Program, rows: number): Promise<string> {
  const person = await insertPerson(db, { ...OWNER, passwordHash: await hashPassword(OWNER.password) });
  await insertMember(db, orgId, person.id, 'owner');
  const [agentId, triggerId] = triggerPath.split('/').slice(-2) as [string, string];
  const begun = Date.now() - rows * 1_000;
  const times = Array.from({ length: rows }, (_, index) => new Date(begun + index * 1_000));
  const ids = (prefix: Parameters<typeof newId>[0]) => times.map((at) => newId(prefix, at.getTime()));
  const [keys, people, conversations, runs] = [ids('key'), ids('enduser'), ids('conv'), ids('run')];
  const into = (text: string, values: unknown[]) => db.$client.query(text, [orgId, times, ...values]);
  await into(
    `INSERT INTO api_key (org_id, id, label, prefix, scope, permissions, created_at)
     SELECT $1, id, 'Backend ' || n, 'parley_us_abcdef', 'organization', ARRAY['triggers'], at
     FROM unnest($3::text[], $2::timestamptz[]) WITH ORDINALITY AS t (id, at, n)`,
    [keys],
  );
  await into(
    `INSERT INTO end_user (org_id, id, name, external_id, created_at)
     SELECT $1, id, 'Person ' || n, 'crm-' || n, at
     FROM unnest($3::text[], $2::timestamptz[]) WITH ORDINALITY AS t (id, at, n)`,
    [people],
  );
  await into(
    `INSERT INTO conversation (org_id, id, agent_id, channel_id, end_user_id, created_at, updated_at)
     SELECT $1, t.id, $5, c.id, person, at, at
     FROM unnest($3::text[], $4::text[], $2::timestamptz[]) AS t (id, person, at),
       (SELECT id FROM channel WHERE org_id = $1 AND agent_id = $5 LIMIT 1) AS c`,
    [conversations, people, agentId],
  );
  await into(
    `INSERT INTO run (org_id, id, trigger_id, conversation_id, status, input, created_at)
     SELECT $1, t.id, $5, conversation, 'completed', '{}', at
     FROM unnest($3::text[], $4::text[], $2::timestamptz[]) AS t (id, conversation, at)`,
    [runs, conversations, triggerId],
  );
  await into(
    `INSERT INTO message (org_id, id, conversation_id, role, content, created_at)
     SELECT $1, 'msg_of_' || id, id, 'end_user', jsonb_build_object('type', 'text', 'text', 'Where is order ' || n || '?'), at
     FROM unnest($3::text[], $2::timestamptz[]) WITH ORDINALITY AS t (id, at, n)`,
    [conversations],
  );
  await db.$client.query('ANALYZE');
  return triggerId;
}
