import type { Locator, Page } from '@playwright/test';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { givenMessage } from '../factories.ts';
import {
  CHROMIUM,
  OWNER,
  PASSWORD,
  follow,
  seriousFaults,
  settled,
  startJourney,
  tooWide,
  type Journey,
  type Owner,
} from './dashboard-browser.ts';

const SHOTS = process.env['TEST_SHOTS'];
/** A reply is sent after five seconds. A shorter interval only reads the conversation more often. */
const SENT = { timeout: 15_000, interval: 500 };

/** Answering conversations with the usual actions of a working day. */
describe.skipIf(!CHROMIUM)('answering in a conversation', () => {
  let journey: Journey;
  let orgId: string;
  let trigger: string;

  let call: Owner['call'];
  const givenConversation = async (name: string): Promise<string> => {
    const end_user = { external_id: name, name };
    return (await call(`POST /triggers/${trigger}/test`, { end_user, message: 'Hello' })).conversation_id;
  };

  beforeAll(async () => {
    journey = await startJourney();
    ({ orgId, call } = await journey.owner());
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
  const reply = (page: Page): Locator => page.getByRole('textbox', { name: 'Write a reply' });
  const focused = (locator: Locator) => locator.and(locator.page().locator(':focus')).waitFor();

  it('single-key shortcuts work, except while a text field or a dialog is active', async () => {
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

  it('a note mentions a member, who finds it in the view of mentions', async () => {
    const id = await givenConversation('Lina');
    const { url } = await call('POST /invitations', { email: 'noor@example.com', role: 'member' });
    const token = new URL(url).pathname.split('/').at(-1)!;
    const noor = await journey.api(`POST /invitations/${token}`, { name: 'Noor Saleh', password: PASSWORD });
    const page = await at(id);
    await page.keyboard.press('n');
    const note = page.getByRole('combobox', { name: 'Write a note for your team' });
    await page.keyboard.type('Please look, @no');
    await page.getByRole('option', { name: 'Noor Saleh' }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.keyboard.type('today');
    await page.keyboard.press('Enter');
    await page.locator('[data-role=note] b').getByText('@Noor Saleh').waitFor();
    expect(await note.count()).toBe(0);
    expect((await call(`GET /conversations/${id}`)).notes).toMatchObject([
      { text: 'Please look, @Noor Saleh today', mentions: [noor.body.user.id] },
    ]);
    const { page: hers } = await journey.open('/conversations', { as: 'noor@example.com' });
    const views = hers.getByRole('group', { name: 'Views' });
    await views.getByRole('button', { name: 'Mentions 1' }).press('Enter');
    await hers.locator(`[data-row="${id}"]`).press('Enter');
    await views.getByRole('button', { name: 'Mentions 0' }).waitFor();
    await hers.locator(`[data-row="${id}"]`).waitFor();
  });

  it('tags are added in place, one by one and with a comma, and removed', async () => {
    const id = await givenConversation('Huda');
    const page = await at(id);
    const stored = async () => (await call(`GET /conversations/${id}`)).tags;
    const field = page
      .getByRole('combobox', { name: 'Tags' })
      .or(page.getByRole('textbox', { name: 'Tags' }))
      .first();
    await field.fill('refund');
    await field.press('Enter');
    await expect.poll(stored).toEqual(['refund']);
    await field.pressSequentially('vip,');
    await expect.poll(stored).toEqual(['refund', 'vip']);
    await field.press('Backspace');
    await expect.poll(stored).toEqual(['refund']);
    // The page reads the tags after the first of two saves, and keeps the second tag, which is still being saved.
    let release = (): void => {};
    const isRead = new Promise<void>((resolve) => (release = resolve));
    let isSaved = Promise.resolve();
    await page.route('**/tags', async (route) => {
      const tags = route.request().postData() ?? '';
      if (tags.includes('third')) await isSaved;
      else if (tags.includes('second'))
        return (isSaved = isRead.then(async () => route.fulfill({ response: await route.fetch() })));
      return route.continue();
    });
    await field.fill('first');
    await field.press('Enter');
    await field.fill('second');
    await field.press('Enter');
    await page.getByRole('log').getByText('first', { exact: true }).waitFor();
    await field.fill('third');
    await field.press('Enter');
    release();
    await expect.poll(stored).toEqual(['refund', 'first', 'second', 'third']);
    await page.unroute('**/tags');
    for (let many = 3; many > 0; many--) await field.press('Backspace');
    await expect.poll(stored).toEqual(['refund']);
    await page.reload();
    await page.getByRole('complementary').getByText('refund', { exact: true }).waitFor();
    // Several changes in a row are one line of the transcript.
    expect(await page.getByRole('log').locator('[data-change=tagged]').allInnerTexts()).toEqual([
      expect.stringMatching(/^Asha Rao added the tag refund · /),
    ]);
    expect(await seriousFaults(page)).toEqual([]);
  });

  it('single-key shortcuts can be turned off and on again', async () => {
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

  it('single-key shortcuts use the position of the key on other keyboard layouts, and pause during text composition', async () => {
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

  const textsOf = async (id: string): Promise<string[]> =>
    (await call(`GET /conversations/${id}`)).messages
      .filter(({ role }: { role: string }) => role === 'member')
      .map(({ content }: { content: { text: string } }) => content.text);
  const answerAs = async (page: Page): Promise<Locator> => {
    await page.keyboard.press('r');
    await focused(reply(page));
    return reply(page);
  };

  it('a slash inserts a saved reply in the language of the person, by keyboard only', async () => {
    await call('POST /saved-replies', {
      name: 'Greeting',
      shortcut: 'hi',
      text: { default: 'Hello {{name|there}}, {{member.name}} here.' },
    });
    await call('POST /saved-replies', { name: 'Hours', shortcut: 'hours', text: { default: 'We open at nine.' } });
    const id = await givenConversation('Dalia');
    const page = await at(id);
    const field = await answerAs(page);
    await page.keyboard.type('and/or /');
    const list = page.getByRole('listbox', { name: 'Saved replies' });
    await list.waitFor();
    const box = page.getByRole('combobox', { name: 'Write a reply' });
    const active = async () => page.locator(`[id="${await box.getAttribute('aria-activedescendant')}"]`).innerText();
    await expect.poll(active).toContain('Greeting');
    await page.keyboard.press('ArrowDown');
    await expect.poll(active).toContain('Hours');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expect.poll(active).toContain('Manage saved replies');
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    expect(await field.inputValue()).toBe('and/or /');
    await field.fill('');
    await page.keyboard.type('/gree');
    await list.getByRole('option', { name: 'Greeting' }).waitFor();
    expect(await list.getByRole('option', { name: 'Hours' }).count()).toBe(0);
    await page.keyboard.press('Enter');
    await expect.poll(() => field.inputValue()).toBe('Hello Dalia, Asha Rao here.');
    await list.waitFor({ state: 'detached' });
    expect(await textsOf(id)).toEqual([]);
    // A text like a shortcut without a saved reply is not sent by mistake.
    await field.fill('');
    await page.keyboard.type('//zzz');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('//zzz').waitFor();
    await field.fill('');
    await page.keyboard.type('/zzz');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('/zzz').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Send without changes' }).click();
    await expect.poll(() => textsOf(id), SENT).toEqual(['/zzz']);
  });

  it('a button opens the saved replies, and the search text is not sent', async () => {
    await call('POST /saved-replies', { name: 'Opening', shortcut: 'dep', text: { default: 'We open soon.' } });
    const id = await givenConversation('Amal');
    const page = await at(id);
    const field = await answerAs(page);
    const list = page.getByRole('listbox', { name: 'Saved replies' });
    const open = () => page.getByRole('button', { name: 'Saved replies' }).click();
    await open();
    await list.waitFor();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    expect(await field.inputValue()).toBe('');
    await page.keyboard.type('/dep');
    await list.getByRole('option', { name: 'Opening' }).waitFor();
    await page.keyboard.press('Escape');
    await field.fill('Hello ');
    await open();
    await page.keyboard.type('absent');
    await list.getByText('No saved reply found.').waitFor();
    await page.keyboard.press('Enter');
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await page.keyboard.press('Control+Shift+ArrowLeft');
    await page.keyboard.type('dep');
    await list.getByRole('option', { name: 'Opening' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => field.inputValue()).toBe('Hello We open soon.');
    expect(await textsOf(id)).toEqual([]);
  });

  it('a dialog names an empty variable before the text is sent', async () => {
    const text = { default: 'Your order {{end_user.order}} is on its way.' };
    await call('POST /saved-replies', { name: 'Parcel', shortcut: 'parcel', text });
    const id = await givenConversation('Maha');
    const page = await at(id);
    const field = await answerAs(page);
    await page.keyboard.type('/parcel');
    await page.getByRole('option', { name: 'Parcel' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => field.inputValue()).toBe('Your order {{end_user.order}} is on its way.');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('{{end_user.order}}').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    // The text is selected, so the next letters replace it.
    await page.keyboard.type('42');
    expect(await field.inputValue()).toBe('Your order 42 is on its way.');
    await page.keyboard.press('Enter');
    await expect.poll(() => textsOf(id), SENT).toEqual(['Your order 42 is on its way.']);
  });

  it('sending a saved reply runs all its actions, and Undo stops all of them', async () => {
    const { page: settings } = await journey.open('/settings/saved-replies', { as: OWNER });
    await settled(settings);
    await settings.getByRole('button', { name: 'Add saved reply' }).click();
    const dialog = settings.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Close');
    await dialog.getByRole('textbox', { name: 'Shortcut' }).fill('close');
    await dialog.getByRole('textbox', { name: 'Text', exact: true }).fill('All done.');
    await dialog.getByRole('combobox', { name: 'Add tags' }).fill('done');
    await dialog.getByRole('combobox', { name: 'Add tags' }).press('Enter');
    await dialog.getByRole('switch', { name: 'Resolve the conversation' }).check({ force: true });
    expect(await seriousFaults(settings)).toEqual([]);
    if (SHOTS) await settings.screenshot({ path: `${SHOTS}/macro-dialog.png` });
    await dialog.getByRole('button', { name: 'Add saved reply' }).click();
    await settings.getByText('+ tag done and resolve').waitFor();

    const id = await givenConversation('Macro');
    const page = await at(id);
    const field = await answerAs(page);
    const choose = async () => {
      await page.keyboard.type('/close');
      await page.getByRole('option', { name: 'Close' }).waitFor();
      await page.keyboard.press('Enter');
      await expect.poll(() => field.inputValue()).toBe('All done.');
    };
    await choose();
    const line = page.getByText('When you send: tag done and resolve');
    await line.waitFor();
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/macro.png` });
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Undo' }).click();
    await line.waitFor();
    expect(await call(`GET /conversations/${id}`)).toMatchObject({ status: 'open', tags: [] });
    await page.keyboard.press('Enter');
    await expect
      .poll(() => call(`GET /conversations/${id}`), SENT)
      .toMatchObject({ status: 'resolved', tags: ['done'] });
    expect(await textsOf(id)).toEqual(['All done.']);
  });

  it('saved replies are created, changed and deleted on their page', async () => {
    const { page, faults } = await journey.open('/settings/saved-replies', { as: OWNER });
    await settled(page);
    await page.getByRole('button', { name: 'Add saved reply' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add saved reply' }).click();
    await dialog.getByText('Write the text in at least one language.').waitFor();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Refund');
    await dialog.getByRole('textbox', { name: 'Shortcut' }).fill('refund');
    await dialog.getByRole('textbox', { name: 'Text', exact: true }).fill('We refund {{name');
    await dialog.getByRole('button', { name: 'Add saved reply' }).click();
    await dialog.getByText('that is not closed', { exact: false }).waitFor();
    await dialog.getByRole('textbox', { name: 'Text', exact: true }).fill('We refund it.');
    await dialog.getByRole('button', { name: 'Add saved reply' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('We refund it.').waitFor();
    await page.getByRole('button', { name: 'Change Refund' }).click();
    // The form loads after the dialog has opened.
    await focused(dialog.getByRole('textbox', { name: 'Name' }));
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Money back');
    // Another member changes the text.
    const { data } = await call('GET /saved-replies');
    const { id } = data.find(({ name }: { name: string }) => name === 'Refund');
    await call(`PATCH /saved-replies/${id}`, { text: { default: 'We refund all of it.' } });
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('We refund all of it.').waitFor();
    await page.getByRole('button', { name: 'Delete Money back' }).click();
    await dialog.getByRole('button', { name: 'Delete the saved reply' }).click();
    await page.getByText('We refund all of it.').waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  it('a reply can be undone for five seconds, and is then sent', async () => {
    const id = await givenConversation('Yara');
    const page = await at(id);
    const field = await answerAs(page);
    await page.keyboard.type('Too soon');
    await page.keyboard.press('Enter');
    expect(await field.inputValue()).toBe('');
    await page.getByRole('status').getByText('Your reply is sent in 5 seconds.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await focused(field);
    expect(await field.inputValue()).toBe('Too soon');
    await field.fill('Better');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+z');
    expect(await field.inputValue()).toBe('Better');
    await page.keyboard.press('Enter');
    await expect.poll(() => textsOf(id), SENT).toEqual(['Better']);
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
  });

  it('Send, Undo and the end of the transcript stay visible with long replies', async () => {
    const id = await givenConversation('Reem');
    for (const part of ['first', 'second'])
      await call(`POST /conversations/${id}/reply`, { text: `${part} `.repeat(300) });
    const long = 'A reply of two thousand characters. '.repeat(56).slice(0, 2_000);
    const page = await at(id);
    for (const width of [1440, 1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      const field = await answerAs(page);
      await field.fill(long);
      await expect.poll(() => toEnd(page.getByRole('log'))).toBeLessThan(2);
      expect(await inSight(page.getByRole('button', { name: 'Send' }))).toEqual([true, true]);
      await page.keyboard.press('Enter');
      const undo = page.getByRole('button', { name: 'Undo' });
      expect(await inSight(undo)).toEqual([true, true]);
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/held-${width}.png` });
      expect(await tooWide(page)).toEqual([]);
      await undo.press('Enter');
      const note = page.getByText('The reply was not sent. Your text is in the field again.');
      expect(await coveredBy(note)).toEqual([]);
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/note-${width}.png` });
      await field.fill('');
      await note.waitFor({ state: 'detached' });
    }
    // The list of members does not cover the choice between reply and note.
    const { url } = await call('POST /invitations', { email: 'rana@example.com', role: 'member' });
    const token = new URL(url).pathname.split('/').at(-1)!;
    await journey.api(`POST /invitations/${token}`, { name: 'Rana Said', password: PASSWORD });
    await page.reload();
    await settled(page);
    await page.getByText('Private note', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Write a note for your team' }).fill('@');
    await page.getByRole('listbox', { name: 'Members' }).waitFor();
    expect(await inSight(page.getByText('Private note', { exact: true }))).toEqual([true, true]);
    if (SHOTS) {
      await page.screenshot({ path: `${SHOTS}/mentions.png` });
      const dark = await at(id, { language: 'ar', theme: 'dark' });
      await dark.setViewportSize({ width: 390, height: 844 });
      await dark.getByRole('textbox').last().fill(long);
      await dark.keyboard.press('Enter');
      await dark.getByRole('button', { name: 'تراجع' }).waitFor();
      await dark.screenshot({ path: `${SHOTS}/held-ar-dark.png` });
      await dark.goto(`${journey.app.url}/conversations?view=waiting`);
      await settled(dark);
      await dark.screenshot({ path: `${SHOTS}/list-ar-dark.png` });
    }
  });

  it('leaving the conversation or closing the window sends the waiting reply, and only once', async () => {
    const [one, two] = [await givenConversation('Lina'), await givenConversation('Sara')];
    const page = await at(one);
    await answerAs(page);
    await page.keyboard.type('First');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Second');
    await page.keyboard.press('Enter');
    await page.locator(`[data-row="${two}"]`).click();
    await page.getByRole('heading', { level: 1, name: 'Sara' }).waitFor();
    await expect.poll(() => textsOf(one)).toEqual(['First', 'Second']);
    await answerAs(page);
    await page.keyboard.type('Before I go');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.reload();
    await expect.poll(() => textsOf(two)).toEqual(['Before I go']);
    await page.getByRole('log').getByText('Before I go').waitFor();
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    expect(await reply(page).inputValue()).toBe('');
    expect([await textsOf(one), await textsOf(two)]).toEqual([['First', 'Second'], ['Before I go']]);
  });

  it('a reply without a connection is sent when the connection is back, also after another conversation was opened', async () => {
    const [one, two] = [await givenConversation('Ola'), await givenConversation('Aya')];
    const page = await at(one);
    await page.locator(`[data-row="${two}"]`).click();
    await page.getByRole('heading', { level: 1, name: 'Aya' }).waitFor();
    await page.locator(`[data-row="${one}"]`).click();
    await page.getByRole('heading', { level: 1, name: 'Ola' }).and(page.locator(':focus')).waitFor();
    await answerAs(page);
    await page.context().setOffline(true);
    await page.keyboard.type('On a train');
    await page.keyboard.press('Enter');
    const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/reply'));
    await page.locator(`[data-row="${two}"]`).click();
    await failed;
    await page.context().setOffline(false);
    await expect.poll(() => textsOf(one), SENT).toEqual(['On a train']);
    await page.locator(`[data-row="${one}"]`).click();
    await page.getByRole('log').getByText('On a train').waitFor();
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    expect([await reply(page).inputValue(), await textsOf(one)]).toEqual(['', ['On a train']]);
  });

  it('a reply that was refused after another conversation was opened is reported, and returns to its field', async () => {
    const [one, two] = [await givenConversation('Ranim'), await givenConversation('Tala')];
    const page = await at(one);
    const problem = (code: string) => ({
      status: 409,
      contentType: 'application/problem+json',
      body: JSON.stringify({ code }),
    });
    let refuse = (): void => {};
    const isLeft = new Promise<void>((resolve) => (refuse = resolve));
    await page.route('**/notes', (route) => void isLeft.then(() => route.fulfill(problem('internal_error'))));
    await page.keyboard.press('n');
    const note = page.getByRole('textbox', { name: 'Write a note for your team' });
    await focused(note);
    await page.keyboard.type('She is upset');
    await page.keyboard.press('Enter');
    await page.locator(`[data-row="${two}"]`).click();
    await page.getByRole('heading', { level: 1, name: 'Tala' }).and(page.locator(':focus')).waitFor();
    refuse();
    await page.getByText('Your text for the conversation with Ranim was not saved.', { exact: false }).waitFor();
    await page.locator(`[data-row="${one}"]`).click();
    await page.getByRole('heading', { level: 1, name: 'Ranim' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('n');
    await focused(note);
    expect(await note.inputValue()).toBe('She is upset');
    // The text that was typed during the saving stays too.
    await page.unroute('**/notes');
    await page.route('**/notes', (route) => void isTyped.then(() => route.fulfill(problem('internal_error'))));
    let typed = (): void => {};
    const isTyped = new Promise<void>((resolve) => (typed = resolve));
    await page.keyboard.press('Enter');
    await page.keyboard.type('Next');
    typed();
    await expect.poll(() => note.inputValue()).toBe('She is upset\n\nNext');
    await note.blur();
    await answerAs(page);
    await page.keyboard.type('Too late');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.route('**/reply*', (route) => route.fulfill(problem('reply_outdated')));
    await page.locator(`[data-row="${two}"]`).click();
    await page.getByText('Your reply to Ranim was not sent.', { exact: false }).waitFor();
    await page.locator(`[data-row="${one}"]`).click();
    await page.getByRole('heading', { level: 1, name: 'Ranim' }).and(page.locator(':focus')).waitFor();
    await answerAs(page);
    await expect.poll(() => reply(page).inputValue()).toBe('Too late');
    expect(await textsOf(one)).toEqual([]);
  });

  it('files and text that another conversation interrupts are sent, and files that wait stay', async () => {
    const [one, two] = [await givenConversation('Ward'), await givenConversation('Yara')];
    const page = await at(one);
    const field = await answerAs(page);
    const choose = async (count: number): Promise<void> => {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Attach files' }).click();
      const file = (_: unknown, n: number) => ({ name: `${n}.txt`, mimeType: 'text/plain', buffer: Buffer.from('A') });
      await (await chooser).setFiles(Array.from({ length: count }, file));
    };
    const chosen = page.getByRole('list', { name: 'Files of the reply' }).getByRole('listitem');
    await choose(12);
    await expect.poll(() => chosen.count()).toBe(12);
    // Files above the limit are not dropped silently.
    expect(await chosen.filter({ hasText: 'Send this file with the next reply.' }).count()).toBe(2);
    await page.locator(`[data-row="${two}"]`).click();
    await page.getByRole('heading', { level: 1, name: 'Yara' }).waitFor();
    await page.locator(`[data-row="${one}"]`).click();
    await page.getByRole('heading', { level: 1, name: 'Ward' }).and(page.locator(':focus')).waitFor();
    await answerAs(page);
    expect(await chosen.count()).toBe(12);
    await field.fill('Here they are');
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/files*', async (route) => {
      await held;
      await route.continue();
    });
    const asked = page.waitForRequest('**/files*');
    await field.press('Enter');
    await asked;
    await page.locator(`[data-row="${two}"]`).click();
    await page.getByRole('heading', { level: 1, name: 'Yara' }).waitFor();
    release();
    await expect.poll(async () => (await textsOf(one)).at(-1), SENT).toBe('Here they are');
    expect(await textsOf(one)).toHaveLength(11);
    await page.locator(`[data-row="${one}"]`).click();
    await page.getByRole('heading', { level: 1, name: 'Ward' }).and(page.locator(':focus')).waitFor();
    await answerAs(page);
    expect([await field.inputValue(), await chosen.count()]).toEqual(['', 2]);
  });

  it('a state that another member changes does not change the author of a begun text, and an own reply is in view', async () => {
    const id = await givenConversation('Bayan');
    for (let n = 0; n < 25; n++) await call(`POST /conversations/${id}/reply`, { text: `Line ${n}` });
    const page = await at(id);
    const field = await answerAs(page);
    await page.keyboard.type('Half a re');
    await call(`POST /conversations/${id}/hand-back`);
    await page.getByText('With the agent').first().waitFor();
    await page.keyboard.type('ply');
    expect(await field.inputValue()).toBe('Half a reply');
    const log = page.getByRole('log');
    await log.evaluate((box) => (box.scrollTop = 0));
    await page.keyboard.press('Enter');
    await log.getByText('Half a reply').waitFor();
    await expect.poll(() => toEnd(log)).toBeLessThan(2);
    expect((await textsOf(id)).at(-1)).toBe('Half a reply');
  });

  it('earlier messages load above the shown ones, which keep their place, and a new message removes none', async () => {
    const id = await givenConversation('Salma');
    const idle = async () => (await call(`GET /conversations/${id}`)).runs[0].status;
    await expect.poll(idle, SENT).toBe('waiting_for_user');
    const { messages } = await call(`GET /conversations/${id}`);
    const all: string[] = [];
    const start = Date.now() - 86_400_000;
    for (let n = 0; n < 450; n++) {
      const content = { type: 'text' as const, text: `Line ${n}` };
      const row = { content, at: start + n, createdAt: new Date(start + n) };
      all.push(await givenMessage(journey.app.db, orgId, id, row));
    }
    all.push(...messages.map((message: { id: string }) => message.id));
    // A note and a change are between the earlier messages.
    const { id: noteId } = await call(`POST /conversations/${id}/notes`, { text: 'Ask the depot.' });
    const early = new Date(start + 100).toISOString();
    await journey.app.db.execute(sql`UPDATE conversation_note SET created_at = ${early} WHERE id = ${noteId}`);
    await journey.app.db.execute(sql`INSERT INTO audit (org_id, id, actor, action, subject_id, created_at)
      VALUES (${orgId}, 'audit_early', 'system', 'conversation.resolved', ${id}, ${early})`);
    const page = await at(id);
    const log = page.getByRole('log');
    const line = log.getByText('Parley resolved the conversation');
    const note = log.getByText('Ask the depot.');
    const shown = () =>
      page.locator('[data-message]').evaluateAll((found) => found.map((one) => one.getAttribute('data-message')));
    const topOf = (one: string) =>
      page.locator(`[data-message="${one}"]`).evaluate((found) => Math.round(found.getBoundingClientRect().top));
    expect(await shown()).toEqual(all.slice(-200));
    expect([await line.count(), await note.count()]).toEqual([0, 0]);
    const more = page.getByRole('button', { name: 'Show earlier messages' });

    await more.focus();
    const first = all.at(-200)!;
    const place = await topOf(first);
    await page.route('**/conversations/*?before=*', (route) => route.abort(), { times: 2 });
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByRole('alert').waitFor();
    await focused(more);
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Earlier messages shown: 200').waitFor();
    expect(await shown()).toEqual(all.slice(-400));
    expect(await topOf(first)).toBe(place);
    await focused(page.locator(`[data-message="${first}"]`));
    expect(await seriousFaults(page)).toEqual([]);

    await call(`POST /conversations/${id}/say`, { text: 'One more' });
    const { messages: newest } = await call(`GET /conversations/${id}`);
    const added = newest.map((message: { id: string }) => message.id).filter((one: string) => !all.includes(one));
    expect(added.length).toBeGreaterThan(0);
    all.push(...added);
    await page.locator(`[data-message="${all.at(-1)!}"]`).waitFor();
    expect(await shown()).toEqual(all.slice(-400 - added.length));
    expect(await topOf(first)).toBe(place);

    await more.click();
    const rest = all.length - 400 - added.length;
    await page.getByRole('status').getByText(`Earlier messages shown: ${rest}`).waitFor();
    expect(await shown()).toEqual(all);
    expect(await more.count()).toBe(0);
    await focused(page.locator(`[data-message="${all[rest]!}"]`));
    // The lines are between their neighbours, and the loaded part follows changes.
    const order = await log.innerText();
    const placeOf = (text: string): number => order.search(new RegExp(`${text}\\b`));
    expect(placeOf('Line 99')).toBeLessThan(placeOf('Ask the depot'));
    expect(placeOf('Parley resolved the conversation')).toBeLessThan(placeOf('Line 101'));
    await journey.app.db.execute(sql`UPDATE message SET status = 'failed' WHERE id = ${all[0]!}`);
    await call(`DELETE /conversations/${id}/notes/${noteId}`);
    await page.locator(`[data-message="${all[0]!}"]`).getByText('not delivered').waitFor();
    await note.waitFor({ state: 'detached' });
  });

  it('Escape leaves the reply field, so that the single keys work again', async () => {
    const page = await at(await givenConversation('Esraa'));
    const field = await answerAs(page);
    await page.keyboard.type('A draft');
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await focused(page.getByRole('textbox', { name: 'Write a note for your team' }));
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    await focused(field);
    expect(await field.inputValue()).toBe('A draft');
  });

  it('a waiting reply is sent before the conversation is resolved', async () => {
    const id = await givenConversation('Nour');
    const page = await at(id);
    await answerAs(page);
    await page.keyboard.type('Goodbye');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Resolve' }).click();
    await expect.poll(async () => (await call(`GET /conversations/${id}`)).status).toBe('resolved');
    expect(await textsOf(id)).toEqual(['Goodbye']);
  });

  it('a reply that could not be sent returns to the field, before the text that is already there', async () => {
    const id = await givenConversation('Hala');
    const page = await at(id);
    const field = await answerAs(page);
    await page.route('**/reply*', (route) => route.abort());
    await page.keyboard.type('Lost?');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Next');
    await expect.poll(() => field.inputValue(), SENT).toBe('Lost?\n\nNext');
    await page.getByText('The connection was lost').first().waitFor();
    // A message that a closed window could not send is there when the tab is opened again.
    const stored = JSON.stringify({ text: 'Offline', after: '' });
    await field.fill('');
    await page.evaluate(`sessionStorage.setItem('parley.held.${id}', ${JSON.stringify(stored)})`);
    await page.reload();
    await settled(page);
    await answerAs(page);
    await expect.poll(() => field.inputValue(), { timeout: 15_000 }).toContain('Offline');
    expect(await textsOf(id)).toEqual([]);
  });

  it('two members see each other and who is typing, and only the first reply is sent', async () => {
    const id = await givenConversation('Dana');
    const { url } = await call('POST /invitations', { email: 'omar@example.com', role: 'member' });
    const token = new URL(url).pathname.split('/').at(-1);
    const omar = await journey.api(`POST /invitations/${token}`, { name: 'Omar Aziz', password: PASSWORD });
    const mine = await at(id);
    const { page: theirs } = await journey.open(`/conversations/${id}`, { as: 'omar@example.com' });
    await settled(theirs);
    await mine.getByRole('img', { name: 'Also here: Omar Aziz' }).waitFor();
    await theirs.getByRole('img', { name: 'Also here: Asha Rao' }).waitFor();
    const typing = mine.getByRole('status').getByText('Omar Aziz is typing…');
    const field = await answerAs(theirs);
    await field.pressSequentially('Let me');
    await typing.waitFor();
    const own = await answerAs(mine);
    await own.fill('From Asha');
    const warning = mine.getByRole('alert');
    await warning.getByText('Omar Aziz is writing too.', { exact: false }).waitFor();
    // Both drafts, side by side.
    for (const draft of ['Let me', 'From Asha']) await warning.getByText(draft, { exact: true }).waitFor();
    if (SHOTS) await mine.screenshot({ path: `${SHOTS}/drafts.png` });
    // The cut of a long draft does not leave half of an emoji, which the server refuses.
    await field.fill(`${'x'.repeat(3_999)}😀 and more`);
    expect(await seriousFaults(mine)).toEqual([]);
    await warning.getByText('x'.repeat(3_999), { exact: true }).waitFor();
    const path = `POST /organizations/${orgId}/conversations/${id}/reply`;
    await mine.route(
      '**/reply*',
      async (route) => {
        await journey.api(path, { text: 'From Omar' }, omar.cookie);
        await route.continue();
      },
      { times: 1 },
    );
    await own.press('Enter');
    await mine.getByRole('alert').getByText('Another member has replied').waitFor();
    expect(await own.inputValue()).toBe('From Asha');
    expect(await textsOf(id)).toEqual(['From Omar']);
    await mine.getByText('Assigned to Omar Aziz.', { exact: false }).waitFor();
    await own.press('Enter');
    await expect.poll(() => textsOf(id), SENT).toEqual(['From Omar', 'From Asha']);
    expect((await call(`GET /conversations/${id}`)).assignee_id).toBe(omar.body.user.id);
    await field.fill('');
    await typing.waitFor({ state: 'detached' });
    await follow(theirs, '/agents');
    const faces = mine.getByRole('img', { name: /^Also here/ });
    await faces.waitFor({ state: 'detached' });
    expect(await faces.count()).toBe(0);
  });
});

/** Whether the window shows the whole element, and nothing covers its centre. */
const inSight = (element: Locator): Promise<boolean[]> =>
  element.evaluate((one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const { innerWidth, innerHeight } = one.ownerDocument.defaultView!;
    const isInside = left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
    return [isInside, one.contains(one.ownerDocument.elementFromPoint((left + right) / 2, (top + bottom) / 2))];
  });
/** The distance in pixels between the visible part of the box and its end. */
const toEnd = (box: Locator): Promise<number> =>
  box.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);
/** Lists the parts of the conversation that the notification covers. */
const coveredBy = (note: Locator): Promise<string[]> =>
  note.evaluate((one) => {
    const box = one.getBoundingClientRect();
    const covers = (other: typeof box): boolean =>
      other.left < box.right && other.right > box.left && other.top < box.bottom && other.bottom > box.top;
    return ['form[data-side]', 'main h1', '[role=log]'].filter((part) =>
      covers(one.ownerDocument.querySelector(part)!.getBoundingClientRect()),
    );
  });
