import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../src/kernel/standard-webhooks.ts';
import { json, type OwnCode, says, startOwnCode } from '../fakes/own-code.ts';
import { CHROMIUM, OWNER, seriousFaults, settled, startJourney, tooWide, type Journey } from './dashboard-browser.ts';

const SHOTS = process.env['TEST_SHOTS'];

describe.skipIf(!CHROMIUM)('own code in the editor', () => {
  let journey: Journey;
  let code: OwnCode;
  let org: string;
  let cookie: string;

  beforeAll(async () => {
    code = await startOwnCode();
    journey = await startJourney({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
    const owner = await journey.owner();
    ({ cookie } = owner);
    org = `/organizations/${owner.orgId}`;
  });
  afterAll(async () => {
    await journey?.stop();
    await code?.close();
  });

  it('own code is chosen with its URL, gets a secret, and answers in the test chat', async () => {
    const { id } = (await journey.api(`POST ${org}/agents`, { name: 'Concierge' }, cookie)).body;
    const { page, faults } = await journey.open(`/agents/${id}`, { as: OWNER });
    await page.getByRole('combobox', { name: 'Provider', exact: true }).click();
    await page.getByRole('option', { name: 'Your code' }).click();
    await page.getByRole('textbox', { name: 'URL of your code' }).fill(code.url);
    await page.getByRole('textbox', { name: 'Time limit of a call' }).fill('600');
    const signing = page.getByRole('region', { name: 'Signature of turns' });
    await signing.getByText('There is no secret for this address').waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await expect
      .poll(async () => (await journey.api(`GET ${org}/agents/${id}`, undefined, cookie)).body.definition)
      .toMatchObject({ provider: 'http', url: code.url, time_limit_seconds: 600 });
    // The page shows its response too, and does not change below the pointer any more.
    await page.getByText('The draft is saved.').waitFor();
    await signing.getByRole('button', { name: 'Create signing secret' }).click();
    const secret = await page.getByLabel('Signing secret', { exact: true }).inputValue();
    await page.getByRole('button', { name: 'I have saved this secret' }).click();
    await signing.getByText('are signed.').waitFor();
    await settled(page);
    expect(await seriousFaults(page)).toEqual([]);
    expect(await tooWide(page)).toEqual([]);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/own-code.png`, fullPage: true });

    code.script(json(says('Your order ships on Monday.')));
    const tried = await journey.api(`POST ${org}/agents/${id}/playground`, { messages: [] }, cookie);
    expect(tried.body.messages[0].content.text).toBe('Your order ships on Monday.');
    const [{ headers, raw }] = code.received as [(typeof code.received)[number]];
    expect(verifyWebhook(secret, headers as Record<string, string>, Buffer.from(raw), Date.now())).toBe(true);

    await signing.getByRole('button', { name: 'Replace secret' }).click();
    await page.getByRole('button', { name: 'I have saved this secret' }).click();
    await signing.getByText('both the old and the new secret').waitFor();
    expect(faults).toEqual([]);
  });
});
