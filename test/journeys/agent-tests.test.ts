import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CHROMIUM,
  focusIn,
  OWNER,
  seriousFaults,
  settled,
  startJourney,
  tooWide,
  type Journey,
} from './dashboard-browser.ts';

const SHOTS = process.env['TEST_SHOTS'];

/** Tests of an agent in a real browser: written, run, failed, and required for publishing. */
describe.skipIf(!CHROMIUM)('the tests of an agent', () => {
  let journey: Journey;
  let at: string;
  let agent: string;
  let cookie: string;

  beforeAll(async () => {
    journey = await startJourney();
    const owner = await journey.owner();
    ({ cookie } = owner);
    at = `/organizations/${owner.orgId}/agents`;
    const definition = { opening: { en: 'Welcome to Doha Books.' } };
    agent = (await journey.api(`POST ${at}`, { name: 'Concierge', definition }, cookie)).body.id;
    const text = 'We open at 9:00 and close at 18:00, every day except Friday.';
    await journey.api(`POST ${at}/${agent}/documents`, { name: 'Opening hours', text }, cookie);
  });
  afterAll(() => journey?.stop());

  it('a test is written with the keyboard, fails with the reason, is fixed and passes', async () => {
    const { page, faults } = await journey.open(`/agents/${agent}?tab=tests`, { as: OWNER });
    await page.getByText('No tests yet').waitFor();
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/agent-tests-empty.png` });
    await page.getByRole('button', { name: 'Add a test' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.locator('[data-autofocus]:focus').waitFor();
    await page.keyboard.type('Opening hours');
    const turn = dialog.getByRole('group', { name: 'Turn 1' });
    await turn.getByRole('textbox', { name: 'The person writes' }).fill('When do you open?');
    await turn.getByRole('combobox', { name: 'The answer contains all of these texts' }).fill('8:00');
    await page.keyboard.press('Enter');
    await turn.getByRole('combobox', { name: 'The answer cites these documents' }).fill('opening HOURS');
    await page.keyboard.press('Enter');
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/agent-tests-dialog.png` });
    expect(await seriousFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).press('Enter');
    const row = page.getByRole('listitem').filter({ hasText: 'Opening hours' });
    await row.getByText('Not run').waitFor();
    await page.getByRole('button', { name: 'Run all' }).press('Enter');
    await page.getByText('1 test failed.').waitFor();
    await row.getByText('Answer 1 should contain “8:00”. The agent answered: “').waitFor();
    await settled(page);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/agent-tests-failed.png` });
    expect(await seriousFaults(page)).toEqual([]);

    await row.getByRole('button', { name: 'Edit' }).click();
    const says = dialog.getByRole('combobox', { name: 'The answer contains all of these texts' });
    await says.press('Backspace');
    await says.fill('9:00');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('The test passed.').waitFor();
    expect((await journey.api(`GET ${at}/${agent}/suite`, undefined, cookie)).body).toMatchObject({
      open: [],
      cases: [{ name: 'Opening hours', turns: [{ expect: { says: ['9:00'], cites: ['opening HOURS'] } }] }],
    });
    expect(faults).toEqual([]);
  });

  it('a change of one test keeps the tests that another member has changed since', async () => {
    const suite = `${at}/${agent}/suite`;
    const stored = async () => (await journey.api(`GET ${suite}`, undefined, cookie)).body;
    const put = async (cases: unknown) => journey.api(`PUT ${suite}`, { cases, required: false }, cookie);
    const one = (name: string, say = name) => ({ name, turns: [{ say, expect: { says: ['9:00'] } }] });
    const { cases: before } = await stored();
    await put([one('Parking'), one('Wrapping'), one('Payment')]);
    const { page, faults } = await journey.open(`/agents/${agent}?tab=tests`, { as: OWNER });
    const row = (name: string) => page.getByRole('listitem').filter({ hasText: name });
    const dialog = page.getByRole('dialog');
    await row('Payment').waitFor();
    await put([one('Parking'), one('Wrapping', 'Do you wrap gifts?'), one('Payment'), one('Delivery')]);
    await page.getByRole('switch', { name: 'Publishing requires that all tests pass' }).press('Space');
    await expect.poll(async () => (await stored()).required).toBe(true);
    expect((await stored()).cases).toHaveLength(4);

    // Another member removes the first test while the dialog of a later test is open.
    await row('Payment').getByRole('button', { name: 'Edit' }).click();
    await dialog.getByRole('textbox', { name: 'The person writes' }).fill('Can I pay by card?');
    await put([one('Wrapping', 'Do you wrap gifts?'), one('Payment'), one('Delivery')]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await row('Parking').waitFor({ state: 'detached' });
    const after = [one('Wrapping', 'Do you wrap gifts?'), one('Payment', 'Can I pay by card?'), one('Delivery')];
    expect((await stored()).cases).toEqual(after);

    // Another member changes the test that is open.
    await row('Delivery').getByRole('button', { name: 'Edit' }).click();
    await dialog.getByRole('textbox', { name: 'The person writes' }).fill('Do you deliver to Doha?');
    await put([one('Delivery', 'What does delivery cost?')]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row('Delivery (2)').waitFor();
    await row('Delivery (2)').getByRole('button', { name: 'Remove' }).click();
    await put([
      one('Delivery', 'What does delivery cost?'),
      one('Delivery (2)', 'Do you deliver to Doha?'),
      one('Hours'),
    ]);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await row('Hours').waitFor();
    expect((await stored()).cases).toEqual([one('Delivery', 'What does delivery cost?'), one('Hours')]);
    await put(before);
    expect(faults).toEqual([]);
  });

  it('publishing that requires passing tests is refused, and works with a reason', async () => {
    const body = { cases: [{ name: 'Greets', turns: [{ expect: { says: 'Welcome' } }] }], required: true };
    await journey.api(`PUT ${at}/${agent}/suite`, body, cookie);
    await journey.api(`PATCH ${at}/${agent}`, { definition: { opening: { en: 'Hello.' } }, publish: false }, cookie);
    const { page } = await journey.open(`/agents/${agent}?tab=tests`, { as: OWNER });
    await page.getByRole('switch', { name: 'Publishing requires that all tests pass' }).waitFor();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Tests of the agent have failed or were not run').waitFor();
    await page.getByRole('button', { name: 'Run the tests' }).click();
    await page.getByText('1 test failed.').first().waitFor();
    const gate = page.getByRole('region', { name: 'Publish' });
    await gate.getByText('Answer 1 should contain “Welcome”. The agent answered: “Hello.”').waitFor();
    await gate.getByRole('link', { name: 'Change the tests' }).waitFor();
    await settled(page);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/agent-tests-refused.png` });
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'Why publish without the tests?' }).fill('A new greeting');
    await page.getByRole('button', { name: 'Publish without tests' }).click();
    await page.getByText('Live: version 2').first().waitFor();
    const { body: read } = await journey.api(`GET ${at}/${agent}`, undefined, cookie);
    expect(read.published.opening.en).toBe('Hello.');
  });

  it('a new document does not count as a change of the draft, but a changed draft does', async () => {
    const made = (await journey.api(`POST ${at}`, { name: 'Draft', definition: {} }, cookie)).body.id as string;
    const { page } = await journey.open(`/agents/${made}`, { as: OWNER });
    await page.getByRole('textbox', { name: 'Instructions' }).fill('Be brief.');
    await page.getByText('Changes that are not saved yet').first().waitFor();
    await journey.api(`POST ${at}/${made}/documents`, { name: 'Hours', text: 'We open at nine.' }, cookie);
    await page.reload();
    await settled(page);
    await page.getByText('Changes that are not saved yet').first().waitFor();
    const conflict = page.getByText('Another person changed this agent', { exact: false });
    expect(await conflict.count()).toBe(0);
    const definition = { instructions: 'Be polite.' };
    await journey.api(`PATCH ${at}/${made}`, { definition, publish: false }, cookie);
    // The open page does not know yet that another person saved. The first press shows it, and the second one saves.
    const draft = async () => (await journey.api(`GET ${at}/${made}`, undefined, cookie)).body.definition.instructions;
    await page.getByRole('button', { name: 'Save draft' }).click();
    await conflict.waitFor();
    expect(await draft()).toBe('Be polite.');
    await page.reload();
    await conflict.waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('The draft was saved').waitFor();
    expect(await draft()).toBe('Be brief.');
  });

  it('the tests of an agent fit a phone in Arabic', async () => {
    const viewport = { width: 390, height: 844 };
    const { page } = await journey.open(`/agents/${agent}?tab=tests`, {
      as: OWNER,
      liked: { language: 'ar' },
      viewport,
    });
    await page.getByRole('button', { name: 'تشغيل الكل' }).click();
    await page.getByText('فشل من الاختبارات: 1.').waitFor();
    await settled(page);
    expect(await tooWide(page)).toEqual([]);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/agent-tests-ar.png`, fullPage: true });
  });

  it('real conversations are replayed with the draft, and each difference is next to the recorded answer', async () => {
    const rules = [{ name: 'parking', words: ['parking'], reply: { en: 'You can park behind the shop.' } }];
    const definition = { opening: { en: 'Welcome to Doha Books.' }, rules };
    const made = (await journey.api(`POST ${at}`, { name: 'Porter', definition }, cookie)).body.id as string;
    const organization = at.replace('/agents', '');
    const trigger = (await journey.api(`POST ${organization}/triggers`, { agent_id: made, name: 'Hello' }, cookie))
      .body;
    const { value: key } = await journey.app.key(organization.split('/')[2]!);
    for (const [name, text] of [
      ['Asha', 'Is there parking?'],
      ['Omar', 'Thanks!'],
    ]) {
      const body = { end_user: { external_id: name, name } };
      const started = await journey.app.call('POST', `/api/triggers/${made}/${trigger.id}`, {
        key,
        body,
        headers: { prefer: 'wait=20' },
      });
      await journey.api(`POST ${organization}/conversations/${started.body.conversation_id}/say`, { text }, cookie);
    }
    const changed = [{ ...rules[0]!, reply: { en: 'You can park in front of the shop.' } }];
    await journey.api(`PATCH ${at}/${made}`, { definition: { ...definition, rules: changed }, publish: false }, cookie);
    const { page, faults } = await journey.open(`/agents/${made}?tab=tests`, { as: OWNER });
    const card = page.getByRole('region', { name: 'Replay of conversations' });
    await card.getByRole('button', { name: 'Replay' }).press('Enter');
    await card.getByText('1 the same, 1 changed by the draft').waitFor();
    const row = card.getByRole('listitem').filter({ hasText: 'Asha' });
    expect(await row.getByRole('region', { name: 'Then' }).innerText()).toContain('behind the shop');
    expect(await row.getByRole('region', { name: 'Now' }).locator('ins').allInnerTexts()).toEqual(['in', 'front of ']);
    expect(await card.getByRole('listitem').count()).toBe(1);
    await settled(page);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/replay.png`, fullPage: true });
    expect(await seriousFaults(page)).toEqual([]);
    expect(await tooWide(page)).toEqual([]);
    await journey.api(`POST ${at}/${made}/publish`, undefined, cookie);
    await card.getByRole('button', { name: 'Replay' }).click();
    await card.getByText('1 changed earlier').waitFor();
    expect(faults).toEqual([]);
  });

  it('two clicks create a test from a real conversation, and it is erased with its person', async () => {
    const organization = at.replace('/agents', '');
    const definition = { opening: { en: 'Welcome {{end_user.name}}.' } };
    const made = (await journey.api(`POST ${at}`, { name: 'Clerk', definition }, cookie)).body.id as string;
    const trigger = (await journey.api(`POST ${organization}/triggers`, { agent_id: made, name: 'Hello' }, cookie))
      .body;
    const { value: key } = await journey.app.key(organization.split('/')[2]!);
    const body = { end_user: { external_id: 'leila', name: 'Leila' } };
    const headers = { prefer: 'wait=20' };
    const started = await journey.app.call('POST', `/api/triggers/${made}/${trigger.id}`, { key, body, headers });
    const { conversation_id: id, end_user_id: person } = started.body;
    // The name of the test ends within the emoji.
    const question = `Do you repair watches? ${'x'.repeat(176)}😀`;
    await journey.api(`POST ${organization}/conversations/${id}/say`, { text: question }, cookie);

    const { page, faults } = await journey.open(`/conversations/${id}`, { as: OWNER });
    // The page moves the focus to its heading when it opens.
    await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor();
    const opener = page.getByRole('button', { name: 'More about this answer' }).last();
    const correct = async () => {
      await opener.press('Enter');
      const menu = page.locator('[role=menu]:popover-open');
      await focusIn(menu);
      await menu.getByRole('menuitem', { name: 'The answer should have been …' }).press('Enter');
    };
    await correct();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('becomes a test of the agent').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('More about this answer');
    await correct();
    await dialog.getByText('becomes a test of the agent').waitFor();
    await settled(page);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/should-have-been.png` });
    expect(await seriousFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('The tests are saved.').waitFor();
    const stored = async () => (await journey.api(`GET ${at}/${made}/suite`, undefined, cookie)).body.cases;
    const [one] = await stored();
    expect(one).toMatchObject({
      name: question.slice(0, 199),
      from: person,
      turns: [{}, { say: question }],
    });
    expect(one.turns[1].expect.says_not).toHaveLength(1);
    expect(JSON.stringify(one)).not.toContain('Leila');
    const run = (await journey.api(`POST ${at}/${made}/test`, { case: one }, cookie)).body;
    expect(run).toMatchObject({ passed: false, turns: [{}, { faults: [{ expectation: 'says_not' }] }] });
    await journey.api(`DELETE ${organization}/end-users/${person}`, undefined, cookie);
    expect(await stored()).toEqual([]);
    expect(faults).toEqual([]);
  });
});
