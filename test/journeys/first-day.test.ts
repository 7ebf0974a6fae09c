// @module-tag long
import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CHROMIUM,
  isFocused,
  KEYS,
  OWNER,
  PASSWORD,
  seriousFaults,
  settled,
  startJourney,
  tabTo,
  tooWide,
  type Journey,
} from './dashboard-browser.ts';

const LABELS = {
  en: {
    name: 'Your name',
    organization: 'Name of your organization',
    email: 'E-mail address',
    password: 'Password',
    set_up: 'Create account and start',
    agent_name: 'Name of the agent',
    agent_create: 'Create agent',
    message: 'Write a message',
    answer: /15 riyals/,
    trigger_name: 'Name of the trigger',
    trigger_create: 'Create trigger',
    question: 'How much does delivery cost?',
    key_create: 'Create API key',
    key_label: 'Label',
    key: 'API key',
    key_saved: 'I have saved this key',
    call: 'Call it from your backend',
    open: 'Open the conversations',
    next: 'What next',
    reply: 'Write a reply',
    revoke: 'Revoke',
    revoked: 'refused by all servers',
  },
  ar: {
    name: 'اسمك',
    organization: 'اسم مؤسستك',
    email: 'البريد الإلكتروني',
    password: 'كلمة المرور',
    set_up: 'إنشاء الحساب والبدء',
    agent_name: 'اسم الوكيل',
    agent_create: 'إنشاء الوكيل',
    message: 'اكتب رسالة',
    answer: /15 ريال/,
    trigger_name: 'اسم المشغّل',
    trigger_create: 'إنشاء المشغّل',
    question: 'كم تكلفة التوصيل؟',
    key_create: 'إنشاء مفتاح API',
    key_label: 'التسمية',
    key: 'مفتاح API',
    key_saved: 'لقد حفظت هذا المفتاح',
    call: 'استدعِه من خادمك',
    open: 'فتح المحادثات',
    next: 'ماذا بعد؟',
    reply: 'اكتب ردًّا',
    revoke: 'إلغاء المفتاح',
    revoked: 'مرفوض في كل مكان',
  },
} as const;
/**
 * The first day of a newcomer, from the setup link to a refused key, with the keys of every keyboard: Tab and Enter.
 */
describe.skipIf(!CHROMIUM).each([
  { language: 'en', viewport: { width: 1280, height: 800 } },
  { language: 'ar', viewport: { width: 390, height: 844 } },
] as const)('a first day, $language at $viewport.width', ({ language, viewport }) => {
  const say = LABELS[language];
  let journey: Journey;
  let page: Page;

  beforeAll(async () => {
    journey = await startJourney();
  });
  afterAll(() => journey?.stop());

  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  const press = async (name: string, within?: Locator): Promise<void> => {
    await tabTo(within ? within.getByRole('button', { name, exact: true }) : button(name).first());
    await page.keyboard.press('Enter');
  };
  const type = async (label: string, text: string): Promise<void> => {
    await tabTo(page.getByLabel(label, { exact: true }).and(page.getByRole('textbox')).first());
    await page.keyboard.type(text);
  };
  const isSound = async (): Promise<void> => {
    expect(await seriousFaults(page)).toEqual([]);
    expect(await tooWide(page)).toEqual([]);
  };

  it('goes from the setup link to an answered call, a person who replies, and a revoked key', async () => {
    ({ page } = await journey.open(journey.setupPath, { liked: { language }, viewport }));
    await isSound();
    await type(say.name, 'Asha Rao');
    await type(say.organization, 'Northwind');
    await type(say.email, OWNER);
    await tabTo(page.locator('input[type=password]'));
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');

    await type(say.agent_name, 'Concierge');
    await page.keyboard.press('Enter');
    await type(say.message, say.question);
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText(say.answer).first().waitFor();
    await isSound();

    await type(say.trigger_name, 'Question');
    await page.keyboard.press('Enter');
    await press(say.key_create);
    const dialog = page.getByRole('dialog');
    await tabTo(dialog.getByRole('textbox', { name: say.key_label }));
    await page.keyboard.type('Shop server');
    await press(say.key_create, dialog);
    const value = await dialog.getByLabel(say.key, { exact: true }).inputValue();
    await isSound();
    await press(say.key_saved, dialog);
    await dialog.waitFor({ state: 'hidden' });

    // The call that a newcomer copies from the page works.
    const code = (await page.getByLabel(say.call, { exact: true }).textContent())!;
    const [, address] = /'(http[^']+\/api\/triggers\/[^']+)'/.exec(code) ?? [];
    expect(code).toContain(value);
    const call = () =>
      journey.app.call('POST', new URL(address!).pathname, {
        key: value,
        body: { end_user: { external_id: 'mona', name: 'Mona' }, message: say.question },
        headers: { prefer: 'wait=15' },
      });
    expect((await call()).status).toBe(200);
    const open = page.getByRole('link', { name: say.open });
    await tabTo(open);
    await page.getByRole('heading', { name: say.next }).waitFor();
    await isSound();
    await page.keyboard.press('Enter');
    await settled(page);

    await page.getByText('Mona', { exact: true }).filter({ visible: true }).first().waitFor();
    await page.keyboard.press('j');
    await page.getByRole('heading', { level: 1, name: 'Mona' }).waitFor();
    await page.getByText(say.answer).filter({ visible: true }).first().waitFor();
    await page.keyboard.press('r');
    const reply = page.getByRole('textbox', { name: say.reply });
    await expect.poll(() => isFocused(reply)).toBe(true);
    await page.keyboard.type('I am here too.');
    await page.keyboard.press('Enter');
    await page.getByText('I am here too.').filter({ visible: true }).first().waitFor();
    await expect.poll(() => reply.inputValue()).toBe('');
    await isSound();

    await page.goto(journey.app.url + KEYS);
    await settled(page);
    await press(say.revoke);
    await dialog.waitFor();
    await isSound();
    await tabTo(dialog.getByRole('textbox'));
    await page.keyboard.type('Shop server');
    await press(say.revoke, dialog);
    await page.getByText(say.revoked).first().waitFor();
    const refused = await call();
    expect([refused.status, refused.body.code]).toEqual([401, 'key_revoked']);
  });
});
