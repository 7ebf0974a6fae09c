import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, OWNER, settled, startJourney, type Journey } from './dashboard-browser.ts';

const HIDDEN_PX = `(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('nav'))`;

/** Small promises of single pages, measured in a real browser: what fits, what stays in its place, what can be typed. */
describe.skipIf(!CHROMIUM)('details of the pages', () => {
  let journey: Journey;
  let orgId: string;
  let cookie: string;
  let agent: { id: string; sandbox_channel_id: string };

  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into freely
  const make = async (path: string, body: unknown): Promise<any> => {
    const answer = await journey.api(`POST /organizations/${orgId}${path}`, body, cookie);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };

  beforeAll(async () => {
    journey = await startJourney();
    ({ cookie, orgId } = await journey.owner());
    agent = await make('/agents', { name: 'Concierge', definition: { instructions: 'Be brief.' } });
  });
  afterAll(() => journey?.stop());

  const at = async (path: string, liked?: object): Promise<Page> => {
    const { page } = await journey.open(path, {
      as: OWNER,
      viewport: { width: 1280, height: 800 },
      ...(liked && { liked }),
    });
    await settled(page);
    return page;
  };
  const box = async (one: Locator) => (await one.boundingBox())!;

  it.each(['en', 'ar'])('shows all entries of the sidebar without scrolling (%s)', async (language) => {
    const page = await at('/', { language });
    const navigation = page.locator('nav').first();
    await navigation.locator('a').last().waitFor();
    expect(await page.evaluate(HIDDEN_PX)).toBe(0);
  });

  it.each(['en', 'ar'])('keeps the buttons below an edited agent on one line (%s)', async (language) => {
    const page = await at(`/agents/${agent.id}`, { language });
    await page.locator('textarea').first().fill('Be very brief.');
    const buttons = page.locator('[role=region] button');
    await expect.poll(() => buttons.count()).toBe(3);
    const tops = await Promise.all([0, 1, 2].map(async (index) => (await box(buttons.nth(index))).y));
    expect(new Set(tops).size).toBe(1);
  });

  it('fills the bar of a funnel to its end', async () => {
    const campaign = await make('/campaigns', {
      agent_id: agent.id,
      channel_id: agent.sandbox_channel_id,
      name: 'Autumn',
    });
    await make(`/campaigns/${campaign.id}/start`, undefined);
    const key = await make('/keys', {
      label: 'Push',
      scope: 'campaign',
      campaign_id: campaign.id,
      permissions: ['campaigns'],
    });
    const pushed = await journey.app.call('POST', `/api/campaigns/${campaign.id}/recipients`, {
      key: key.value,
      body: { recipients: [{ end_user: { external_id: 'one' } }, { end_user: { external_id: 'two' } }] },
    });
    expect(pushed.status).toBeLessThan(300);
    const page = await at(`/campaigns/${campaign.id}`);
    const bar = page.locator('main [role=img]');
    await bar.waitFor();
    const whole = await box(bar);
    const last = await box(bar.locator('span').last());
    expect(last.x + last.width).toBeCloseTo(whole.x + whole.width, 0);
  });

  it('leaves heading and filters of Conversations in place when one is opened', async () => {
    const trigger = await make('/triggers', { agent_id: agent.id, name: 'Order update' });
    await make(`/triggers/${trigger.id}/test`, { end_user: { external_id: 'crm-42', name: 'Asha' }, message: 'Hello' });
    const page = await at('/conversations');
    const heading = page.locator('main').getByText('Conversations', { exact: true }).first();
    const search = page.getByPlaceholder('Search people and words');
    const before = [await box(heading), await box(search)].map(({ x, y }) => ({ x, y }));
    const { height } = await box(heading);
    await page.locator('[data-row]').first().click();
    await page.getByRole('heading', { level: 1, name: 'Asha' }).waitFor();
    expect([await box(heading), await box(search)].map(({ x, y }) => ({ x, y }))).toEqual(before);
    expect((await box(heading)).height).toBe(height);
  });

  it.each([
    ['Arabic', '٤٥'],
    ['Persian', '۴۵'],
  ])('takes the digits of an %s keyboard in a field for a number', async (_, typed) => {
    const page = await at('/settings/organization');
    await page.getByLabel('Erase old conversations').check();
    const days = page.getByLabel('Days without activity');
    await days.fill('');
    await days.pressSequentially(typed);
    expect(await days.inputValue()).toBe('45');
    // In the middle, the caret stays behind the digit.
    await days.press('Home');
    await days.pressSequentially('١٢');
    expect(await days.inputValue()).toBe('1245');
  });

  it('offers the color of a web chat to be picked', async () => {
    const chat = await make('/channels', { kind: 'web_chat', name: 'Shop', agent_id: agent.id, settings: {} });
    const page = await at(`/channels/${chat.id}`);
    await page.getByLabel('Choose the color').fill('#aa3355');
    expect(await page.getByLabel('Color', { exact: true }).inputValue()).toBe('#aa3355');
  });

  it('says what comes next once all first steps are done', async () => {
    const trigger = await make('/triggers', { agent_id: agent.id, name: 'Delivery' });
    const key = await make('/keys', { label: 'CRM', scope: 'agent', agent_id: agent.id, permissions: ['triggers'] });
    const called = await journey.app.call('POST', `/api/triggers/${agent.id}/${trigger.id}`, {
      key: key.value,
      body: { message: 'Hello', end_user: { external_id: 'crm-7' } },
    });
    expect(called.status).toBe(202);
    const page = await at('/');
    await page.getByRole('region', { name: 'What next' }).waitFor();
    await page.getByRole('link', { name: 'Add your own documents' }).click();
    await page.getByRole('tab', { name: 'Knowledge', selected: true }).waitFor();
  });

  // The last one: a window that opens later may open in the other organization.
  it('names who answers if the model does not, and the server says what is missing at its field', async () => {
    const modelled = await make('/agents', {
      name: 'Modelled',
      definition: { provider: 'openai', model: 'large', fallback: [{ provider: 'hand_off', when: ['budget'] }] },
    });
    const page = await at(`/agents/${modelled.id}`);
    await page.getByRole('button', { name: 'Add a stand-in' }).click();
    await page.getByLabel('Answered by').first().click();
    await page.getByRole('option', { name: 'Anthropic' }).click();
    await page.getByText('it is too slow', { exact: true }).click();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('list').getByText('Name the model for this provider.').waitFor();
    await page.getByLabel('Model').last().fill('small');
    await page.getByRole('button', { name: 'Move “Anthropic: small” up' }).click();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await expect
      .poll(async () => {
        const { body } = await journey.api(`GET /organizations/${orgId}/agents/${modelled.id}`, undefined, cookie);
        return body.definition.fallback;
      })
      .toEqual([
        { provider: 'anthropic', model: 'small', when: ['slow'] },
        { provider: 'hand_off', when: ['budget'] },
      ]);
  });

  it('offers to switch to the organization of a link', async () => {
    const other = await journey.api('POST /organizations', { name: 'Southwind' }, cookie);
    expect(other.status).toBe(201);
    const page = await at('/agents');
    await page.getByRole('button', { name: /Switch organization/ }).click();
    await page.getByRole('menuitem', { name: /Southwind/ }).click();
    await page.getByRole('heading', { name: 'First steps', level: 1 }).waitFor();
    // The window stays in its organization; the link is of the other one.
    await page.goto(`${journey.app.url}/agents/${agent.id}`);
    await page.getByRole('button', { name: /Switch to .*Northwind/ }).click();
    await page.getByRole('heading', { name: 'Concierge', level: 1 }).waitFor();
    // What is nowhere is offered nowhere.
    await page.goto(`${journey.app.url}/agents/${agent.id.slice(0, -4)}0000`);
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('button', { name: /Switch to/ }).count()).toBe(0);
  });
});
