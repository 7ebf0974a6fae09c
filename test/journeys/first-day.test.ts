// @module-tag long
import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostSite, startHostSite } from '../web-chat-pages.ts';
import {
  CHROMIUM,
  isFocused,
  KEYS,
  overlaps,
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
    backend: 'From my backend',
    trigger_name: 'Name of the trigger',
    trigger_create: 'Create trigger',
    question: 'How much does delivery cost?',
    key_create: 'Create API key',
    key_label: 'Label',
    key: 'API key',
    key_saved: 'I have saved this key',
    call: 'Call the agent from your backend',
    open: 'Open the conversations',
    next: 'What next',
    reply: 'Write a reply',
    revoke: 'Revoke',
    revoked: 'refused by all servers',
    next_knowledge: 'Add your own documents',
    add_document: 'Add document',
    document_name: 'Name',
    document_text: 'Text',
    document: 'We wrap gifts for free.',
    document_ask: 'Ask about it',
    document_question: 'Do you wrap gifts?',
    document_answer: /wrap gifts for free/,
    first_steps: 'First steps',
    site: 'Address of your website',
    site_invalid: 'Enter the address of one site, such as https://shop.example.',
    chat_create: 'Create web chat',
    copy_tag: 'Copy script tag',
    not_reached: 'The chat was not opened here yet.',
    reached: 'The chat was opened here',
    arrived: 'The first message has arrived.',
    all_done: 'All done: people can write to you on your website.',
    open_chat: 'Open chat',
    your_message: 'Your message',
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
    backend: 'من خادمي',
    trigger_name: 'اسم المشغّل',
    trigger_create: 'إنشاء المشغّل',
    question: 'كم تكلفة التوصيل؟',
    key_create: 'إنشاء مفتاح API',
    key_label: 'التسمية',
    key: 'مفتاح API',
    key_saved: 'لقد حفظت هذا المفتاح',
    call: 'استدعِ الوكيل من خادمك',
    open: 'فتح المحادثات',
    next: 'ماذا بعد؟',
    reply: 'اكتب ردًّا',
    revoke: 'إلغاء المفتاح',
    revoked: 'مرفوض في كل مكان',
    next_knowledge: 'أضف مستنداتك',
    add_document: 'إضافة مستند',
    document_name: 'الاسم',
    document_text: 'النص',
    document: 'تغليف الهدايا مجاني.',
    document_ask: 'اسأل عنه',
    document_question: 'كم تكلفة تغليف الهدايا؟',
    document_answer: /تغليف الهدايا مجاني/,
    first_steps: 'الخطوات الأولى',
    site: 'عنوان موقعك',
    site_invalid: 'أدخل عنوان موقع واحد، مثل https://shop.example.',
    chat_create: 'إنشاء محادثة الويب',
    copy_tag: 'نسخ وسم البرنامج النصي',
    not_reached: 'لم تُفتح هنا بعد.',
    reached: 'فُتحت المحادثة هنا',
    arrived: 'وصلت الرسالة الأولى.',
    all_done: 'اكتمل كل شيء: يستطيع الناس الكتابة إليك في موقعك.',
    open_chat: 'فتح الدردشة',
    your_message: 'رسالتك',
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

  it('a developer gets from the setup link to an answered call, a reply, and a revoked key', async () => {
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

    await chooseBackend(page, say.backend);
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

const chooseBackend = async (page: Page, name: string): Promise<void> => {
  const radio = page.getByRole('radio', { name });
  await tabTo(page.getByRole('radio', { checked: true }).first());
  await page.keyboard.press('ArrowRight');
  if (!(await radio.isChecked())) await page.keyboard.press('ArrowLeft');
  await expect.poll(() => radio.isChecked()).toBe(true);
};

/** From the setup link to a web chat that answered a visitor. Before the steps led there: 26 clicks and 13 fields. */
const MOST_CLICKS = 6;
const MOST_FIELDS = 5;

/** The hour of a newcomer with a mouse, who has a website and no backend. */
describe.skipIf(!CHROMIUM).each([
  { language: 'en', viewport: { width: 1280, height: 800 } },
  { language: 'en', viewport: { width: 1440, height: 900 } },
  { language: 'ar', viewport: { width: 390, height: 844 } },
] as const)('the hour of a newcomer, $language at $viewport.width', ({ language, viewport }) => {
  const say = LABELS[language];
  let journey: Journey;
  let shop: HostSite;
  let script = '';

  beforeAll(async () => {
    journey = await startJourney();
    shop = await startHostSite(
      journey.app.url,
      () =>
        `<!doctype html><html lang="${language}"><meta charset="utf-8"><title>Shop</title><h1>Shop</h1>${script}</html>`,
    );
  });
  afterAll(async () => {
    await shop?.close();
    await journey?.stop();
  });

  it('a newcomer adds a web chat to a website in few clicks, and learns the reason of each fault', async () => {
    const { page, context, faults } = await journey.open(journey.setupPath, { liked: { language }, viewport });
    let clicks = 0;
    let fields = 0;
    const click = async (target: Locator): Promise<void> => {
      clicks++;
      await target.click();
    };
    const fill = async (target: Locator, text: string): Promise<void> => {
      fields++;
      await target.fill(text);
    };
    const isSound = async (): Promise<void> => {
      expect(await tooWide(page)).toEqual([]);
      expect(await overlaps(page)).toEqual([]);
    };
    const button = (name: string): Locator => page.getByRole('button', { name, exact: true });

    await fill(page.getByLabel(say.name), 'Asha Rao');
    await fill(page.getByLabel(say.organization), 'Northwind');
    await fill(page.getByLabel(say.email), OWNER);
    await fill(page.locator('input[type=password]'), PASSWORD);
    await isSound();
    await click(button(say.set_up));
    await click(button(say.agent_create));
    await click(button(say.question));
    await page.getByRole('log').getByText(say.answer).first().waitFor();
    await isSound();

    // A wrong address says what to write. A plain name of a host is enough.
    const site = page.getByLabel(say.site);
    await site.fill('my shop');
    await button(say.chat_create).click();
    await page.getByText(say.site_invalid).waitFor();
    await isSound();
    const { host } = new URL(shop.origin);
    await fill(site, host.replace('localhost', '127.0.0.1'));
    await click(button(say.chat_create));
    await page.getByText(say.not_reached).waitFor();
    await isSound();
    await click(page.getByRole('button', { name: say.copy_tag }));
    const copied = (await page.locator('[data-copy-source]', { hasText: 'widget.js' }).textContent())!;
    // The test server gets its port after its base URL is known.
    script = copied.replace(/http:\/\/[^/]+/, journey.app.url);

    // The site has another origin than the newcomer typed. The page finds it and offers to allow it.
    const visitor = await context.newPage();
    await visitor.goto(shop.origin);
    await visitor.getByRole('button', { name: say.open_chat }).click();
    await page.bringToFront();
    const allow = page.getByRole('button', { name: shop.origin });
    await allow.waitFor();
    await isSound();
    await click(allow);
    await allow.waitFor({ state: 'detached' });

    await visitor.bringToFront();
    await visitor.reload();
    await visitor.getByRole('button', { name: say.open_chat }).click();
    await visitor.getByRole('textbox', { name: say.your_message }).fill(say.question);
    await visitor.keyboard.press('Enter');
    await visitor.locator('.bubble', { hasText: say.answer }).first().waitFor();
    await page.bringToFront();
    await page.getByText(say.reached).waitFor();
    await page.getByText(say.arrived).waitFor();
    await page.getByText(say.all_done).waitFor();
    await isSound();
    expect(await seriousFaults(page)).toEqual([]);
    console.log(`A web chat on a website: ${clicks} clicks, ${fields} fields.`);
    expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);
    expect(fields).toBeLessThanOrEqual(MOST_FIELDS);

    // No dead end: the steps lead to documents, an added document to a question, and all of it to the conversation.
    await page.getByRole('link', { name: say.next_knowledge }).click();
    await button(say.add_document).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(say.document_name).fill('Gifts');
    await dialog.getByLabel(say.document_text).fill(say.document);
    await dialog.getByRole('button', { name: say.add_document }).click();
    await button(say.document_ask).click();
    const message = page.getByRole('textbox', { name: say.message });
    await expect.poll(() => isFocused(message)).toBe(true);
    await page.keyboard.type(say.document_question);
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText(say.document_answer).first().waitFor();
    await isSound();
    await page.goto(journey.app.url);
    await settled(page);
    await page.getByRole('heading', { name: say.first_steps }).waitFor({ state: 'detached' });
    await page.goto(`${journey.app.url}/conversations`);
    await settled(page);
    await page.getByText(say.question).filter({ visible: true }).first().waitFor();
    await isSound();
    expect(faults).toEqual([]);
  });
});
