import type { MessageContent } from '../../../contract/messages.ts';
import { member, readJson, textMember } from '../call-provider.ts';
import { InboundError, type InboundEvent, type InboundMessage } from '../channel.ts';
import { deliveryError } from './failures.ts';

/** https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/payload-examples */
export function parseNotification(body: Buffer, phoneNumberId: string): InboundEvent[] {
  const notification = readJson(body);
  if (member(notification, 'object') !== 'whatsapp_business_account') {
    throw new InboundError('The body is not a notification of a WhatsApp business account.');
  }
  return list(notification, 'entry')
    .flatMap((entry) => list(entry, 'changes'))
    .map((change) => member(change, 'value'))
    .filter((value) => member(member(value, 'metadata'), 'phone_number_id') === phoneNumberId)
    .flatMap((value) => [...messagesOf(value), ...statusesOf(value)]);
}

const list = (value: unknown, name: string): unknown[] => {
  const found = member(value, name);
  return Array.isArray(found) ? found : [];
};

function messagesOf(value: unknown): InboundEvent[] {
  const names = new Map(
    list(value, 'contacts').map((contact) => [
      textMember(contact, 'wa_id'),
      textMember(member(contact, 'profile'), 'name'),
    ]),
  );
  return list(value, 'messages').flatMap((message): InboundEvent[] => {
    const id = textMember(message, 'id');
    const from = textMember(message, 'from');
    const content = contentOf(message);
    if (!id || !from || !/^\d{7,15}$/.test(from) || content === null) return [];
    const phone = `+${from}`;
    return [
      {
        type: 'message',
        eventId: id,
        providerMessageId: id,
        address: phone,
        person: { phone, name: names.get(from) ?? null },
        content,
        ...fileOf(message),
      },
    ];
  });
}

const FILES: readonly string[] = ['image', 'audio', 'video', 'document', 'sticker'];

function fileOf(message: unknown): Pick<InboundMessage, 'file'> {
  const type = textMember(message, 'type') ?? '';
  const part = FILES.includes(type) ? member(message, type) : undefined;
  const id = textMember(part, 'id');
  // The ID becomes part of an address that is called with the token.
  if (id === undefined || !/^\w{1,128}$/.test(id)) return {};
  return { file: { name: textMember(part, 'filename') ?? '', source: { media_id: id } } };
}

function contentOf(message: unknown): MessageContent | null {
  const type = textMember(message, 'type');
  const part = type ? member(message, type) : undefined;
  if (type === 'text') return asText(textMember(part, 'body'));
  if (type === 'button') return asText(textMember(part, 'text'));
  if (type === 'interactive') {
    return asText(textMember(member(part, 'button_reply') ?? member(part, 'list_reply'), 'title'));
  }
  if (type === 'location') {
    const [latitude, longitude] = [member(part, 'latitude'), member(part, 'longitude')];
    const isPlace = typeof latitude === 'number' && typeof longitude === 'number';
    return isPlace ? { type: 'location', latitude, longitude } : null;
  }
  if (type && (FILES.includes(type) || type === 'contacts')) {
    return asText(textMember(part, 'caption') ?? `[${type}]`);
  }
  // Reactions, system notices and types that Meta adds in the future are not messages of the person.
  return null;
}

const asText = (text: string | undefined): MessageContent | null => (text ? { type: 'text', text } : null);

function statusesOf(value: unknown): InboundEvent[] {
  return list(value, 'statuses').flatMap((one): InboundEvent[] => {
    const id = textMember(one, 'id');
    const status = textMember(one, 'status');
    if (!id) return [];
    if (status === 'delivered' || status === 'read') return [{ type: 'receipt', providerMessageId: id, status }];
    if (status !== 'failed') return [];
    return [{ type: 'receipt', providerMessageId: id, status, error: deliveryError(list(one, 'errors')[0]) }];
  });
}
