import { createHmac, randomBytes } from 'node:crypto';
import { CHANNEL_FORMS } from '../../../contract/channel-kinds.ts';
import type { ChannelTemplate } from '../../../contract/dashboard/channels.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import { apiBase, callProvider, fetchBytes, member, ownAddress, textMember, setting } from '../call-provider.ts';
import { type ChannelAccount, ChannelFailure, type ChannelKind, type SendTools } from '../channel.ts';
import { equalSecrets } from '../equal-secrets.ts';
import { templateFault } from '../template-fault.ts';
import { connectFailureOf, failureOf } from './failures.ts';
import { parseNotification } from './notifications.ts';
import { listTemplates } from './templates.ts';
import { refuses, wireContent } from './wire-content.ts';

/**
 * WhatsApp Business Platform, Cloud API (https://developers.facebook.com/docs/whatsapp/cloud-api). Free text is allowed
 * only within 24 hours after the person's last message. At any other time, only templates that Meta has approved are
 * allowed.
 */
const API = 'https://graph.facebook.com';
const VERSION = 'v23.0';
const NO_ACCOUNT = "Enter the WhatsApp Business Account ID in the channel's settings: templates belong to the account.";
const MEDIA_HOST = /\.(?:fbsbx|facebook|whatsapp)\.(?:com|net)$/;

export const whatsapp: ChannelKind = {
  kind: 'whatsapp',
  capabilities: {
    content: ['text', 'image', 'audio', 'video', 'file', 'location', 'choices', 'template'],
    max_text: 4_096,
    receipts: ['delivered', 'read', 'failed'],
    inbound: true,
    reply_window_hours: 24,
    needs_address: true,
  },
  ...CHANNEL_FORMS.whatsapp,
  // The user pastes the token into the app dashboard together with the webhook's URL.
  ownSecrets: { make: () => ({ verify_token: randomBytes(24).toString('base64url') }), shown: 'verify_token' },
  refuses,
  addressOf: (endUser) => endUser.phone,
  personAt: (address) => ({ phone: address }),
  vouchesFor: () => true,
  readAddress: (text) => (/^\+[1-9]\d{6,14}$/.test(text) ? text : null),

  async connect(account, tools) {
    const { access_token: token = '', app_secret: secret = '' } = account.secrets;
    // The proof detects a wrong app secret when the channel is connected
    // (https://developers.facebook.com/docs/graph-api/guides/secure-requests).
    const proof = createHmac('sha256', secret).update(token).digest('hex');
    const answer = await callProvider(tools, {
      url: `${base(account)}?fields=display_phone_number,verified_name&appsecret_proof=${proof}`,
      headers: { authorization: `Bearer ${token}` },
    });
    if (answer.status !== 200) throw connectFailureOf(answer);
    return {
      display_phone_number: textMember(answer.json, 'display_phone_number') ?? '',
      verified_name: textMember(answer.json, 'verified_name') ?? '',
    };
  },

  async send(message, account, tools) {
    const repliedTo = message.replyTo?.providerMessageId;
    const answer = await callProvider(tools, {
      url: `${base(account)}/messages`,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${account.secrets['access_token']}` },
      body: JSON.stringify({
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: message.address!.slice(1),
        ...(repliedTo && { context: { message_id: repliedTo } }),
        ...wireContent(message.content),
      }),
    });
    const messages = member(answer.json, 'messages');
    if (answer.status !== 200 || !Array.isArray(messages)) {
      throw await explained(failureOf(answer), message.content, () => templatesOf(account, tools));
    }
    return { providerMessageId: textMember(messages[0], 'id') ?? null, status: 'sent' };
  },

  listTemplates: templatesOf,

  /**
   * The address of a file is valid for five minutes
   * (https://developers.facebook.com/docs/whatsapp/cloud-api/reference/media).
   */
  async fetchFile({ media_id: id = '' }, account, tools) {
    const headers = { authorization: `Bearer ${account.secrets['access_token']}` };
    const api = apiBase(account.settings, API);
    const answer = await callProvider(tools, { url: `${api}/${VERSION}/${id}`, headers });
    if (answer.status !== 200) throw failureOf(answer);
    const url = ownAddress('WhatsApp', textMember(answer.json, 'url') ?? '', { api, hosts: MEDIA_HOST });
    return fetchBytes(tools, 'WhatsApp', { url, headers });
  },

  inbound: {
    verify({ method, headers, query, body }, { secrets }) {
      if (method === 'GET') {
        const token = query.get('hub.verify_token') ?? '';
        return query.get('hub.mode') === 'subscribe' && equalSecrets(token, secrets['verify_token'] ?? '');
      }
      const expected = createHmac('sha256', secrets['app_secret'] ?? '')
        .update(body)
        .digest('hex');
      return Boolean(secrets['app_secret']) && equalSecrets(headers['x-hub-signature-256'] ?? '', `sha256=${expected}`);
    },
    parse: ({ method, body }, { settings }) =>
      method === 'GET' ? [] : parseNotification(body, setting(settings, 'phone_number_id')),
    answer: ({ method, query }) =>
      method === 'GET' ? { type: 'text/plain; charset=utf-8', body: query.get('hub.challenge') ?? '' } : null,
  },
};

const base = ({ settings }: ChannelAccount): string =>
  `${apiBase(settings, API)}/${VERSION}/${setting(settings, 'phone_number_id')}`;

async function templatesOf(account: ChannelAccount, tools: SendTools): Promise<ChannelTemplate[]> {
  const id = setting(account.settings, 'business_account_id');
  if (id === '') throw new ChannelFailure('provider_refused', NO_ACCOUNT, { setting: 'business_account_id' });
  const url = `${apiBase(account.settings, API)}/${VERSION}/${id}/message_templates`;
  return listTemplates(tools, { url, token: account.secrets['access_token'] ?? '' });
}

/**
 * A refusal of Meta does not name the wrong value. If the account can be read, the definition of the template shows
 * which value is wrong.
 */
async function explained(
  failure: ChannelFailure,
  content: MessageContent,
  list: () => Promise<ChannelTemplate[]>,
): Promise<ChannelFailure> {
  if (failure.code !== 'template_refused' || content.type !== 'template') return failure;
  const items = await list().catch(() => null);
  const fault = items && templateFault(content, items);
  return fault ? new ChannelFailure(failure.code, `WhatsApp: ${fault}`, failure.facts) : failure;
}
