import { crc32, deflateSync } from 'node:zlib';
import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CHROMIUM,
  OWNER,
  seriousFaults,
  settled,
  startJourney,
  type Journey,
  type Owner,
} from './dashboard-browser.ts';

/** Files in a conversation: chosen by keyboard, shown on both sides, never executed. */
describe.skipIf(!CHROMIUM)('files in a conversation', () => {
  let journey: Journey;
  let channelId: string;

  let call: Owner['call'];
  beforeAll(async () => {
    journey = await startJourney();
    ({ call } = await journey.owner());
    const agent = await call('POST /agents', { name: 'Concierge', definition: { instructions: 'Be brief.' } });
    const chat = { agent_id: agent.id, kind: 'web_chat', name: 'Chat', settings: {} };
    channelId = (await call('POST /channels', chat)).id;
  });
  afterAll(() => journey?.stop());

  const choose = async (page: Page, button: Locator, files: { name: string; mimeType: string; buffer: Buffer }[]) => {
    const chooser = page.waitForEvent('filechooser');
    await button.focus();
    await page.keyboard.press('Enter');
    await (await chooser).setFiles(files);
  };
  const isLoaded = (picture: Locator) =>
    expect.poll(() => picture.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth)).toBe(64);
  const picture = { name: 'shoe.png', mimeType: 'image/png', buffer: png(64, [200, 80, 40]) };

  it('a visitor sends a picture, a member replies with a picture and an invoice, and both see all files', async () => {
    const { page: chat } = await journey.open(`/chat/${channelId}`);
    await choose(chat, chat.getByRole('button', { name: 'Attach a file' }), [picture]);
    await isLoaded(chat.locator('.mine img'));
    await chat.getByText('I cannot open pictures and files', { exact: false }).waitFor();
    await chat.getByRole('button', { name: 'Attach a file' }).focus();
    const { data } = await call('GET /conversations');
    const { page } = await journey.open(`/conversations/${data[0].id}`, { as: OWNER });
    await settled(page);
    await isLoaded(page.getByRole('img', { name: 'Picture' }));

    const invoice = { name: 'Invoice 7.html', mimeType: 'text/html', buffer: Buffer.from('<script>alert(1)</script>') };
    const huge = { name: 'film.mp4', mimeType: 'video/mp4', buffer: Buffer.alloc(10 * 1024 * 1024 + 1) };
    await page.getByRole('textbox', { name: 'Write a reply' }).fill('Here is your invoice.');
    await choose(page, page.getByRole('button', { name: 'Attach files' }), [picture, invoice, huge]);
    const chosen = page.getByRole('list', { name: 'Files of the reply' });
    await chosen.getByText('Larger than 10 MB.').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await chosen.getByRole('button', { name: 'Remove film.mp4' }).press('Enter');
    await page.getByRole('textbox', { name: 'Write a reply' }).press('Enter');
    const link = page.getByRole('link', { name: 'Open Invoice 7.html' });
    await link.waitFor();
    await expect.poll(() => page.getByRole('img', { name: 'Picture' }).count()).toBe(2);
    expect(await chosen.isHidden()).toBe(true);
    const saved = page.waitForEvent('download');
    await link.click();
    expect((await saved).suggestedFilename()).toBe('Invoice 7.html');
    await page.getByText('Your reply is sent', { exact: false }).first().waitFor();

    await chat.bringToFront();
    await isLoaded(chat.locator('.said:not(.mine) img'));
    await chat.getByRole('link', { name: 'Invoice 7.html' }).waitFor();
    await chat.getByText('Here is your invoice.').waitFor({ timeout: 20_000 });
  });

  it('a file that cannot be sent stays in the field with the reason, and can be sent later', async () => {
    const { data } = await call('GET /conversations');
    const { page } = await journey.open(`/conversations/${data[0].id}`, {
      as: OWNER,
      liked: { language: 'ar', theme: 'dark' },
      viewport: { width: 390, height: 844 },
    });
    await settled(page);
    await page.route('**/files?*', (route) => route.abort());
    // A name is cut without half of an emoji.
    const sent = page.waitForRequest('**/files?*');
    const named = { ...picture, name: `${'x'.repeat(254)}😀.png` };
    await choose(page, page.getByRole('button', { name: 'إرفاق ملفات' }), [named]);
    const before = await page.getByRole('img', { name: 'صورة' }).count();
    await page.getByRole('button', { name: 'إرسال', exact: true }).press('Enter');
    const chosen = page.getByRole('list', { name: 'ملفات تُرسل مع الرد' });
    await chosen.locator('[data-state=failed]').waitFor();
    expect(new URL((await sent).url()).searchParams.get('name')).toBe('x'.repeat(254));
    expect(await seriousFaults(page)).toEqual([]);
    await page.unroute('**/files?*');
    await page.getByRole('button', { name: 'إرسال', exact: true }).press('Enter');
    await expect.poll(() => page.getByRole('img', { name: 'صورة' }).count()).toBe(before + 1);
  });
});

/** A square with one color. */
function png(side: number, color: [number, number, number]): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2], 8);
  const row = Buffer.from([0, ...Array.from({ length: side }, () => color).flat()]);
  const rows = deflateSync(Buffer.concat(Array.from({ length: side }, () => row)));
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
}
