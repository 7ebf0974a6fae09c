import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAKE_MODEL_KEY, type FakeModel, startFakeModel } from '../fakes/model.ts';
import {
  CHROMIUM,
  OWNER,
  seriousFaults,
  settled,
  startJourney,
  tooWide,
  type Journey,
  type Owner,
} from './dashboard-browser.ts';

const SHOTS = process.env['TEST_SHOTS'];

/** Summaries, drafts and translations, with a model over a real socket and without one. */
describe.skipIf(!CHROMIUM)('help for members', () => {
  let journey: Journey;
  let model: FakeModel;
  let orgId: string;
  let cookie: string;

  let call: Owner['call'];
  const givenAgent = async (definition: object): Promise<string> => {
    const agent = await call('POST /agents', {
      name: 'Concierge',
      definition: { instructions: 'Be brief.', ...definition },
    });
    await call(`POST /agents/${agent.id}/documents`, { name: 'Hours', text: 'The shop opens at nine in the morning.' });
    return (await call('POST /triggers', { agent_id: agent.id, name: 'Question' })).id;
  };
  const givenConversation = async (trigger: string, name: string): Promise<string> => {
    const end_user = { external_id: name, name };
    const message = 'When does the shop open?';
    const { conversation_id: id } = await call(`POST /triggers/${trigger}/test`, { end_user, message });
    const answered = async () => (await call(`GET /conversations/${id}`)).messages.length;
    await expect.poll(answered, { timeout: 20_000 }).toBe(2);
    await call(`POST /conversations/${id}/take-over`);
    return id;
  };
  const ofTeam = async (id: string) =>
    (await call(`GET /conversations/${id}`)).messages.filter(({ role }: { role: string }) => role === 'member');

  beforeAll(async () => {
    model = await startFakeModel();
    journey = await startJourney({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
    ({ cookie, orgId, call } = await journey.owner());
  });
  afterAll(async () => {
    await journey?.stop();
    await model?.close();
  });

  it('an agent without a model drafts the best passage', async () => {
    const id = await givenConversation(await givenAgent({}), 'Noor');
    const { page } = await journey.open(`/conversations/${id}`, { as: OWNER });
    await settled(page);
    await page.getByRole('button', { name: 'Draft an answer' }).click();
    const field = page.getByRole('textbox', { name: 'Write a reply' });
    await expect.poll(() => field.inputValue()).toContain('The shop opens at nine in the morning.');
    await page.getByText('A passage of your documents.', { exact: false }).waitFor();
    await page.getByText('From: Hours').waitFor();
    expect(await page.getByRole('button', { name: 'Translate', exact: false }).count()).toBe(0);
    expect([await ofTeam(id), model.calls.length]).toEqual([[], 0]);
  });

  it('a model summarizes, drafts with sources and translates only if owners turned this on', async () => {
    const account = { base_url: model.baseUrl('openai_compatible'), key: FAKE_MODEL_KEY };
    await call('PUT /models/openai_compatible', account);
    const trigger = await givenAgent({ provider: 'openai_compatible', model: 'local' });
    model.script({ text: 'I do not know.' });
    const id = await givenConversation(trigger, 'Sami');
    const off = await journey.api(
      `POST /organizations/${orgId}/conversations/${id}/summary?language=en`,
      undefined,
      cookie,
    );
    expect([off.status, model.calls.length]).toEqual([422, 1]);

    const { page: settings } = await journey.open('/settings/organization', { as: OWNER });
    await settled(settings);
    // The page does not undo a change that another member made after it was loaded.
    await call('PUT /member-help', { summary: false, draft: false, translation: true });
    for (const name of ['Summary at a hand-off', 'Drafted answers']) {
      await settings.getByRole('switch', { name }).click({ force: true });
      await settings.locator('input:checked').and(settings.getByRole('switch', { name })).waitFor();
      await settings.getByRole('switch', { name }).and(settings.locator(':enabled')).waitFor();
    }
    expect(await call('GET /member-help')).toEqual({ summary: true, draft: true, translation: true });
    if (SHOTS) await settings.screenshot({ path: `${SHOTS}/help-settings.png`, fullPage: true });

    model.script({ text: 'Sami asks when the shop opens. The agent did not know.' });
    const { page } = await journey.open(`/conversations/${id}`, { as: OWNER });
    await settled(page);
    await page.getByText('Sami asks when the shop opens.', { exact: false }).waitFor();
    model.script({ text: 'We open at nine.\nSOURCES: 1' });
    await page.getByRole('button', { name: 'Draft an answer' }).click();
    const field = page.getByRole('textbox', { name: 'Write a reply' });
    await expect.poll(() => field.inputValue()).toBe('We open at nine.');
    await page.getByText('From: Hours').waitFor();
    model.script({ text: 'نفتح الساعة التاسعة.' });
    await page.getByRole('button', { name: 'Translate the reply for the person' }).click();
    await expect.poll(() => field.inputValue()).toBe('نفتح الساعة التاسعة.');
    model.script({ text: 'When do you open?' });
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    await page.getByText('When do you open?').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    for (const [width, height] of [
      [1440, 900],
      [1280, 800],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      expect(await tooWide(page)).toEqual([]);
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/help-${width}.png` });
    }
    // Nothing was sent. A second visit costs no second summary, and each call is counted with the conversation.
    expect([await ofTeam(id), model.calls.length]).toEqual([[], 5]);
    await page.reload();
    await page.getByText('Sami asks when the shop opens.', { exact: false }).waitFor();
    expect(model.calls.length).toBe(5);
    const { models } = await call(`GET /conversations/${id}`);
    expect(models).toMatchObject([{ provider: 'openai_compatible', calls: 5 }]);
    // The messages are data for the task.
    const sent = JSON.stringify(model.calls[1]!.body);
    expect(sent).toContain('You summarize a conversation');
    expect(sent).toContain('When does the shop open?');
  });
});
