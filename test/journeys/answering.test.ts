import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, OWNER, settled, startJourney, type Journey } from './dashboard-browser.ts';

/** Answering in a conversation as people do it all day. */
describe.skipIf(!CHROMIUM)('answering in a conversation', () => {
  let journey: Journey;
  let orgId: string;
  let cookie: string;
  let trigger: string;

  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into freely
  const call = async (path: string, body?: unknown): Promise<any> => {
    const [method, rest] = path.split(' ') as [string, string];
    const answer = await journey.api(`${method} /organizations/${orgId}${rest}`, body, cookie);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  const givenConversation = async (name: string): Promise<string> => {
    const end_user = { external_id: name, name };
    return (await call(`POST /triggers/${trigger}/test`, { end_user, message: 'Hello' })).conversation_id;
  };

  beforeAll(async () => {
    journey = await startJourney();
    ({ cookie, orgId } = await journey.owner());
    const agent = await call('POST /agents', { name: 'Concierge', definition: { instructions: 'Be brief.' } });
    trigger = (await call('POST /triggers', { agent_id: agent.id, name: 'Order update' })).id;
  });
  afterAll(() => journey?.stop());

  const at = async (id: string, liked?: object): Promise<Page> => {
    const { page } = await journey.open(`/conversations/${id}`, { as: OWNER, ...(liked && { liked }) });
    await settled(page);
    await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor();
    return page;
  };
  const reply = (page: Page): Locator => page.getByRole('textbox', { name: 'Answer as a person' });
  const focused = (locator: Locator) => locator.and(locator.page().locator(':focus')).waitFor();

  it('is worked by single keys, which rest where letters are typed and while a dialog is open', async () => {
    const id = await givenConversation('Rima');
    const page = await at(id);
    await page.keyboard.press('n');
    const note = page.getByRole('textbox', { name: 'Write a note for your team' });
    await focused(note);
    await page.keyboard.type('rena');
    expect(await note.inputValue()).toBe('rena');
    await note.fill('');
    await note.blur();
    await page.keyboard.press('Control+r');
    await page.keyboard.press('Shift+R');
    await page.getByRole('heading', { level: 1, name: 'Rima' }).waitFor();
    expect(await note.count()).toBe(1);
    await page.keyboard.press('r');
    await focused(reply(page));
    expect(await reply(page).inputValue()).toBe('');
    await reply(page).blur();
    await page.keyboard.press('a');
    await focused(page.getByRole('combobox', { name: 'Assigned to' }));
    await page.getByRole('option', { name: 'Asha Rao (you)' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Assigned to' }).blur();

    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await list.getByRole('cell', { name: 'Resolve the conversation' }).waitFor();
    await page.keyboard.press('e');
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    expect((await call(`GET /conversations/${id}`)).status).toBe('open');
    await page.keyboard.press('e');
    await page.getByText('The conversation is resolved.', { exact: false }).waitFor();
    expect((await call(`GET /conversations/${id}`)).status).toBe('resolved');
  });

  it('has no single keys for who turned them off, and a way to turn them on', async () => {
    const page = await at(await givenConversation('Salma'));
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await page.getByRole('switch', { name: 'Use single keys' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await page.keyboard.press('?');
    await page.reload();
    await settled(page);
    await page.keyboard.press('n');
    expect(await page.getByRole('textbox', { name: 'Write a note for your team' }).count()).toBe(0);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await page.getByRole('switch', { name: 'Use single keys' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: 'Write a note for your team' }).waitFor();
  });

  it('takes the place of the key on a keyboard with other letters, and not while a word is composed', async () => {
    const page = await at(await givenConversation('Tala'), { language: 'ar' });
    const note = page.getByRole('textbox', { name: 'اكتب ملاحظة لفريقك' });
    const press = (init: object) =>
      page.evaluate(
        `document.dispatchEvent(new KeyboardEvent('keydown', ${JSON.stringify({ bubbles: true, ...init })}))`,
      );
    await press({ key: 'ى', code: 'KeyN', isComposing: true });
    await press({ key: 'ى', code: 'KeyN', ctrlKey: true });
    expect(await note.count()).toBe(0);
    await press({ key: 'ى', code: 'KeyN' });
    await focused(note);
  });
});
