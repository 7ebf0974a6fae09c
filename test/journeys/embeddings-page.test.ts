import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeOllama, startFakeOllama } from '../fakes/ollama.ts';
import { CHROMIUM, OWNER, seriousFaults, settled, startJourney, tooWide, type Journey } from './dashboard-browser.ts';

const SHOTS = process.env['TEST_SHOTS'];
const TEXT = Array.from({ length: 90 }, (_, at) => `Room ${at} has a window to the garden.`).join('\n\n');

/** Embeddings in a real browser: chosen, checked, created, failed and retried. */
describe.skipIf(!CHROMIUM)('the embeddings of an agent', () => {
  let journey: Journey;
  let ollama: FakeOllama;
  let org: string;
  let cookie: string;
  let agent: string;

  beforeAll(async () => {
    ollama = await startFakeOllama();
    journey = await startJourney({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
    const owner = await journey.owner();
    ({ cookie } = owner);
    org = `/organizations/${owner.orgId}`;
    const definition = { provider: 'openai_compatible', model: 'llama3.1:8b' };
    agent = (await journey.api(`POST ${org}/agents`, { name: 'Concierge', definition }, cookie)).body.id;
    await journey.api(`POST ${org}/agents/${agent}/documents`, { name: 'Guide', text: TEXT }, cookie);
  });
  afterAll(async () => {
    await journey?.stop();
    await ollama?.close();
  });

  it('a chosen model is checked, and the page shows progress, faults and a retry button', async () => {
    const { page, faults } = await journey.open(`/agents/${agent}?tab=knowledge`, { as: OWNER });
    const card = page.getByRole('region', { name: 'Search by meaning' });
    await card.getByText('Off.').waitFor();
    await card.getByRole('button', { name: 'Choose an embedding model' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Provider' }).click();
    await page.getByRole('option', { name: 'OpenAI-compatible' }).click();
    await dialog.getByRole('textbox', { name: 'Base URL' }).fill(ollama.baseUrl);
    await dialog.getByRole('textbox', { name: 'Embedding model' }).fill('mxbai-embed');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('try pulling it first').waitFor();
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/embeddings-refused.png` });
    expect(await seriousFaults(page)).toEqual([]);
    await dialog.getByRole('textbox', { name: 'Embedding model' }).fill('nomic-embed-text');
    // The first batch fails, so that the page shows a failure. The failure must come after the check, which it would
    // stop.
    let release = (): void => {};
    let checked = (): void => {};
    const after = new Promise<void>((resolve) => (checked = resolve));
    ollama.embeddings.script(
      { status: 429, headers: { 'retry-after': '30' }, batches: true, after },
      { after: new Promise<void>((resolve) => (release = resolve)), batches: true },
    );
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The embedding model answered: 768 dimensions.').waitFor();
    checked();
    await card.getByText('The provider limits our calls.').waitFor();
    await card.getByText('0 of 90 passages have embeddings').waitFor();
    await settled(page);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/embeddings-fault.png`, fullPage: true });
    expect(await seriousFaults(page)).toEqual([]);
    await journey.app.db.execute('DELETE FROM model_gate');
    release();
    await card.getByRole('button', { name: 'Try again now' }).click();
    await card.getByText('90 of 90 passages have embeddings').waitFor();
    await settled(page);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/embeddings.png`, fullPage: true });
    expect(faults.filter((fault) => !fault.includes('502'))).toEqual([]);
  });

  it('the page fits a phone in Arabic', async () => {
    const viewport = { width: 390, height: 844 };
    const liked = { language: 'ar' };
    const { page } = await journey.open(`/agents/${agent}?tab=knowledge`, { as: OWNER, liked, viewport });
    const card = page.getByRole('region', { name: 'البحث بالمعنى' });
    await card.getByText('من المقاطع لها تضمينات').waitFor();
    await settled(page);
    expect(await tooWide(page)).toEqual([]);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/embeddings-ar.png`, fullPage: true });
    await card.getByRole('button', { name: 'تغيير' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'نموذج التضمين' }).waitFor();
    await settled(page);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/embeddings-dialog-ar.png` });
    expect(await tooWide(page)).toEqual([]);
  });
});
