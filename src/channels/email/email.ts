import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { CHANNEL_FORMS, EMAIL_PATTERN } from '../../../contract/channel-kinds.ts';
import { MAX_MESSAGE_CHARACTERS } from '../../../contract/limits.ts';
import { fetchBytes, readJson, setting } from '../call-provider.ts';
import { type ChannelKind, InboundError, type InboundEvent, type OutboundMessage, withFiles } from '../channel.ts';
import { newWebhookSecret, verifyWebhook } from '../../kernel/standard-webhooks.ts';
import { withoutQuote } from './without-quote.ts';

/**
 * The kind for e-mail sends messages through the organization's own SMTP server. Inbound e-mails arrive through a
 * webhook, signed as Standard Webhooks 1.0 by the mail provider or by a script behind an MX. The From of an e-mail is
 * only as trustworthy as the checks of the mail provider.
 */
/** The limit equals the limit of a value of a message's metadata. */
const MAX_SUBJECT = 500;
const MAX_FILES = 20;
const closed = { additionalProperties: false };
/** The first e-mail loads the library. */
const smtp = () => import('./smtp.ts');
const isEmail = new RegExp(EMAIL_PATTERN);

const Incoming = Compile(
  Type.Object(
    {
      type: Type.Literal('message'),
      message_id: Type.String({ minLength: 1, maxLength: 998 }),
      from: Type.String({ pattern: EMAIL_PATTERN, maxLength: 254 }),
      name: Type.Optional(Type.String({ maxLength: 200 })),
      subject: Type.Optional(Type.String({ maxLength: 998 })),
      text: Type.String({ description: 'Empty only with attachments.' }),
      attachments: Type.Optional(
        Type.Array(
          Type.Object(
            {
              name: Type.Optional(Type.String({ maxLength: 255 })),
              url: Type.String({
                pattern: '^https?://',
                maxLength: 2_000,
                description: 'A URL from which the file can be downloaded without a key for some hours.',
              }),
            },
            closed,
          ),
          { maxItems: MAX_FILES },
        ),
      ),
      auto_submitted: Type.Optional(
        Type.String({
          maxLength: 100,
          description: 'The header Auto-Submitted, so that two programs do not answer each other endlessly.',
        }),
      ),
    },
    closed,
  ),
);
const Receipt = Compile(
  Type.Object(
    {
      type: Type.Literal('receipt'),
      message_id: Type.String({ minLength: 1, maxLength: 998, description: 'The Message-ID of our e-mail.' }),
      status: Type.Union([Type.Literal('delivered'), Type.Literal('failed')]),
      detail: Type.Optional(Type.String({ maxLength: 500 })),
    },
    closed,
  ),
);

export const email: ChannelKind = {
  kind: 'email',
  capabilities: {
    content: ['text'],
    max_text: MAX_MESSAGE_CHARACTERS,
    receipts: ['delivered', 'failed'],
    inbound: true,
    reply_window_hours: null,
    needs_address: true,
  },
  ...CHANNEL_FORMS.email,
  ownSecrets: { make: () => ({ secret: newWebhookSecret() }), shown: 'secret' },
  addressOf: (endUser) => endUser.email,
  personAt: (address) => ({ email: address }),
  readAddress: (text) => (text.length <= 254 && isEmail.test(text) ? text.toLowerCase() : null),

  connect: async (account, tools) => (await smtp()).trySmtp(account, tools),

  async send(message, account, tools) {
    const from = setting(account.settings, 'from');
    const id = idAt(message.id, from);
    const answered = message.replyTo?.providerMessageId ?? message.answers?.providerMessageId;
    await (
      await smtp()
    ).sendOverSmtp(account, tools, {
      from: { name: setting(account.settings, 'from_name'), address: from },
      to: message.address!,
      subject: subjectOf(message, setting(account.settings, 'subject')),
      text: 'text' in message.content ? (message.content.text ?? '') : '',
      messageId: id,
      // The list begins with a root message that was never sent, so that mail programs put all e-mails with this
      // reference into one thread.
      references: [idAt(message.conversationId, from), answered].filter(Boolean).join(' '),
      ...(answered && { inReplyTo: answered }),
      headers: { 'Auto-Submitted': message.role === 'agent' ? 'auto-generated' : 'no' },
    });
    return { providerMessageId: id, status: 'sent' };
  },

  fetchFile: ({ url = '' }, _account, tools) => fetchBytes(tools, 'The host of the attachment', { url }),

  inbound: {
    verify: ({ method, headers, body }, { secrets }, now) =>
      method === 'POST' && Boolean(secrets['secret']) && verifyWebhook(secrets['secret'] ?? '', headers, body, now),
    parse({ body }): InboundEvent[] {
      const value = readJson(body);
      if (Receipt.Check(value)) {
        const { status, message_id: providerMessageId, detail = 'The e-mail could not be delivered.' } = value;
        const error = { code: 'recipient_unreachable', detail, provider_code: null };
        return [{ type: 'receipt', providerMessageId, status, ...(status === 'failed' && { error }) }];
      }
      if (!Incoming.Check(value) || (value.text === '' && !value.attachments?.length))
        throw new InboundError('The body is neither an e-mail nor a delivery receipt in the documented format.');
      const {
        message_id: messageId,
        from,
        name = null,
        text,
        subject,
        auto_submitted: auto = 'no',
        attachments = [],
      } = value;
      if (auto.trim().toLowerCase() !== 'no') return [];
      const address = from.toLowerCase();
      const content = { type: 'text' as const, text: withoutQuote(text).slice(0, MAX_MESSAGE_CHARACTERS) || '[file]' };
      const metadata = subject?.trim() ? { subject: subject.trim().slice(0, MAX_SUBJECT) } : undefined;
      const endUser = { email: address, name };
      const files = attachments.map(({ name: file = '', url }) => ({ name: file, source: { url } }));
      return withFiles(
        {
          type: 'message',
          // The sender of an e-mail chooses its Message-ID. A stranger could use the ID of another person's future
          // e-mail, which would then count as a repeat.
          eventId: `${address} ${messageId}`,
          providerMessageId: messageId,
          address,
          person: endUser,
          content,
          ...(metadata && { metadata }),
        },
        files,
      );
    },
  },
};

const idAt = (id: string, from: string): string => `<${id}@${from.split('@')[1]}>`;

/**
 * The message's own subject (`metadata.subject`), or else the subject of the answered e-mail, or else the channel's
 * subject.
 */
function subjectOf({ metadata, answers }: OutboundMessage, usual: string): string {
  const answered = answers?.subject?.replace(/^(\s*(re|aw|sv|رد)\s*:)+\s*/iu, '');
  return metadata['subject'] ?? (answered ? `Re: ${answered}` : usual || 'New message');
}
