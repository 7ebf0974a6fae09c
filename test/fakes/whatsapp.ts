import { createHmac } from 'node:crypto';
import { type FakeProvider, json, startProvider } from './provider.ts';
import type { Answer } from './receiver.ts';

const TOKEN = 'EAAfake-access-token-for-tests';
const APP_SECRET = '0123456789abcdef0123456789abcdef';
const NUMBER_ID = '106540352242922';
const ACCOUNT_ID = '102290129340398';
const TYPES = ['text', 'image', 'audio', 'video', 'document', 'location', 'interactive', 'template'];

const error = (status: number, code: number, message: string) => ({
  status,
  json: { error: { message: `(#${code}) ${message}`, type: 'OAuthException', code, fbtrace_id: 'A1' } },
});

const PROOF = createHmac('sha256', APP_SECRET).update(TOKEN).digest('hex');

/** The Graph API gives this response to an unknown ID, and to a proof that was created with another app's secret. */
function misnamed(path: string) {
  const { pathname, searchParams } = new URL(path, 'http://graph');
  if (searchParams.get('appsecret_proof') !== PROOF) {
    return error(400, 100, 'Invalid appsecret_proof provided in the API argument');
  }
  if (pathname.endsWith(`/${NUMBER_ID}`)) return null;
  return error(400, 100, "Unsupported get request. Object with ID '1' does not exist");
}

const component = (type: string, more: object) => ({ type, ...more });
const TEMPLATES = [
  {
    name: 'order_ready',
    language: 'en_US',
    status: 'APPROVED',
    category: 'UTILITY',
    id: '1',
    components: [
      component('HEADER', { format: 'TEXT', text: 'Your order' }),
      component('BODY', { text: 'Hi {{1}}, order {{2}} is ready.', example: { body_text: [['Asha', 'A-17']] } }),
      component('FOOTER', { text: 'Example Shop' }),
      component('BUTTONS', { buttons: [{ type: 'QUICK_REPLY', text: 'Thanks' }] }),
    ],
  },
  {
    name: 'order_ready',
    language: 'ar',
    status: 'PENDING',
    category: 'UTILITY',
    id: '2',
    components: [component('BODY', { text: 'مرحبًا {{1}}، طلبك {{2}} جاهز.' })],
  },
  {
    name: 'spring_sale',
    language: 'en',
    status: 'APPROVED',
    category: 'MARKETING',
    id: '3',
    components: [
      component('HEADER', { format: 'IMAGE' }),
      component('BODY', { text: 'Hi {{name}}!' }),
      component('BUTTONS', {
        buttons: [
          { type: 'URL', text: 'Shop', url: 'https://shop.example/{{1}}' },
          { type: 'COPY_CODE', text: 'Copy code' },
        ],
      }),
    ],
  },
  {
    name: 'sign_in',
    language: 'en',
    status: 'APPROVED',
    category: 'AUTHENTICATION',
    id: '4',
    components: [
      component('BODY', { text: 'Your code is {{1}}.' }),
      component('BUTTONS', { buttons: [{ type: 'OTP' }] }),
    ],
  },
];

/** The pages have two records each, with the cursors of the Graph API. */
function templatesAt(path: string): Answer {
  const { pathname, searchParams } = new URL(path, 'http://graph');
  if (!pathname.endsWith(`/${ACCOUNT_ID}/message_templates`)) {
    return error(400, 100, "Unsupported get request. Object with ID '1' does not exist");
  }
  const from = Number(searchParams.get('after') ?? 0);
  const after = String(from + 2);
  const isLast = from + 2 >= TEMPLATES.length;
  const paging = {
    cursors: { before: String(from), after },
    ...(!isLast && { next: `http://graph${path}&after=${after}` }),
  };
  return { json: { data: TEMPLATES.slice(from, from + 2), paging } };
}

/**
 * WhatsApp's Cloud API has `POST /<version>/<phone number id>/messages` with a bearer token, and errors as `{error:
 * {message, code}}`.
 */
export async function startWhatsApp(): Promise<FakeProvider> {
  let serial = 0;
  let stored: { bytes: Buffer; answers: Answer[] } = { bytes: Buffer.alloc(0), answers: [] };
  const { receiver, ...rest } = await startProvider({
    isSend: ({ path }) => path.endsWith('/messages'),
    isAuthorized: ({ headers }) => headers.authorization === `Bearer ${TOKEN}`,
    unauthorized: error(401, 190, 'Error validating access token'),
    take(call) {
      const body = json(call) as Record<string, unknown>;
      const type = String(body['type']);
      const isWhole = body['messaging_product'] === 'whatsapp' && TYPES.includes(type) && body[type] !== undefined;
      if (!isWhole) return { malformed: error(400, 100, 'Invalid parameter') };
      if (!/^\d{7,15}$/.test(String(body['to']))) return { malformed: error(400, 131026, 'Message undeliverable') };
      const text = (body['text'] as { body?: string } | undefined)?.body ?? '';
      return { to: `+${String(body['to'])}`, text, id: `wamid.${++serial}`, raw: body };
    },
    accepted: ({ to, id }) => ({
      json: {
        messaging_product: 'whatsapp',
        contacts: [{ input: to, wa_id: to.slice(1) }],
        messages: [{ id, message_status: 'accepted' }],
      },
    }),
    failed: ({ status, code = 2, retryAfter, text = 'failed' }) => ({
      ...error(status, Number(code), text),
      ...(retryAfter !== undefined && { headers: { 'retry-after': String(retryAfter) } }),
    }),
    other: ({ path }) => {
      if (path.includes('/message_templates')) return templatesAt(path);
      if (path.endsWith('/55501')) return { json: { url: `${receiver.url}/media?mid=55501`, id: '55501' } };
      if (path.startsWith('/media')) return stored.answers.shift() ?? { text: stored.bytes };
      return (
        misnamed(path) ?? { json: { id: NUMBER_ID, display_phone_number: '+974 3000 0000', verified_name: 'Example' } }
      );
    },
  });
  const signed = (value: unknown) => {
    const body = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [
        {
          id: '1',
          changes: [
            {
              field: 'messages',
              value: { messaging_product: 'whatsapp', metadata: { phone_number_id: NUMBER_ID }, ...(value as object) },
            },
          ],
        },
      ],
    });
    const signature = createHmac('sha256', APP_SECRET).update(body).digest('hex');
    return {
      method: 'POST' as const,
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
      body,
    };
  };
  return {
    ...rest,
    kind: 'whatsapp',
    url: receiver.url,
    settings: { phone_number_id: NUMBER_ID, business_account_id: ACCOUNT_ID, api_url: receiver.url },
    secrets: { access_token: TOKEN, app_secret: APP_SECRET, verify_token: 'verify-token-of-the-test' },
    person: '+97430000000',
    sends: (bytes, { caption, answers = [] } = {}) => {
      stored = { bytes, answers: [...answers] };
      const image = { id: '55501', mime_type: 'image/jpeg', ...(caption && { caption }) };
      const from = '97430000000';
      return signed({
        messages: [{ from, id: `wamid.in.${++serial}`, timestamp: '1795255531', type: 'image', image }],
      });
    },
    says: (text, { eventId = `wamid.in.${++serial}`, from = '+97430000000' } = {}) =>
      signed({
        contacts: [{ profile: { name: 'Noor' }, wa_id: from.slice(1) }],
        messages: [{ from: from.slice(1), id: eventId, timestamp: '1795255531', type: 'text', text: { body: text } }],
      }),
    reports: (id, status) =>
      signed({
        statuses: [
          {
            id,
            status,
            timestamp: '1795255531',
            recipient_id: '97430000000',
            ...(status === 'failed' && { errors: [{ code: 131026, title: 'Message undeliverable' }] }),
          },
        ],
      }),
    stop: () => receiver.stop(),
  };
}
