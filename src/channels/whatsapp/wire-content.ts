import type { MessageContent } from '../../../contract/messages.ts';
import { ChannelFailure } from '../channel.ts';
import { templateValueFault } from '../template-fault.ts';

/** Meta's limits are three buttons under a short text, ten rows in a list, and short titles. */
const MAX_BUTTONS = 3;
const MAX_BUTTON_TITLE = 20;
const MAX_BUTTON_BODY = 1_024;
const MAX_ROWS = 10;
const MAX_ROW_TITLE = 24;
const MAX_ROW_ID = 200;

type Choices = Extract<MessageContent, { type: 'choices' }>;

/** Refuses content that Meta would refuse or drop silently, such as a caption of an audio message. */
export function refuses(content: MessageContent): string | null {
  if (content.type === 'audio' && content.text) return 'WhatsApp cannot send text with audio: send the audio alone.';
  if (content.type !== 'choices' || areButtons(content) || areRows(content)) return null;
  return `WhatsApp carries at most ${MAX_ROWS} choices of at most ${MAX_ROW_TITLE} characters.`;
}

const areButtons = ({ text, choices }: Choices): boolean =>
  choices.length <= MAX_BUTTONS &&
  text.length <= MAX_BUTTON_BODY &&
  choices.every(({ label }) => label.length <= MAX_BUTTON_TITLE);

const areRows = ({ choices }: Choices): boolean =>
  choices.length <= MAX_ROWS &&
  choices.every(({ id, label }) => label.length <= MAX_ROW_TITLE && id.length <= MAX_ROW_ID);

/**
 * Returns the `type` of a message and the matching part, see
 * https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages
 */
export function wireContent(content: MessageContent): Record<string, unknown> {
  const refusal = refuses(content);
  if (refusal !== null) throw new ChannelFailure('content_unsupported', refusal);
  switch (content.type) {
    case 'text':
      return { type: 'text', text: { body: content.text } };
    case 'image':
    case 'video':
      return { type: content.type, [content.type]: { link: content.url, caption: content.text } };
    case 'audio':
      return { type: 'audio', audio: { link: content.url } };
    case 'file':
      return { type: 'document', document: { link: content.url, filename: content.name, caption: content.text } };
    case 'location': {
      const { latitude, longitude, text } = content;
      return { type: 'location', location: { latitude, longitude, name: text } };
    }
    case 'choices':
      return { type: 'interactive', interactive: interactive(content) };
    case 'template':
      return { type: 'template', template: template(content) };
  }
}

function interactive(content: Choices): unknown {
  const { text, choices } = content;
  const body = { text };
  if (areButtons(content)) {
    const buttons = choices.map(({ id, label }) => ({ type: 'reply', reply: { id, title: label } }));
    return { type: 'button', body, action: { buttons } };
  }
  const rows = choices.map(({ id, label }) => ({ id, title: label }));
  return { type: 'list', body, action: { button: '☰', sections: [{ rows }] } };
}

type Variables = Readonly<Record<string, string>>;
type Component = { type: string; parameters: unknown[]; sub_type?: string; index?: string };

/**
 * Variables named 1, 2, 3 fill the numbered placeholders of the body. All other names without a dot fill the named
 * placeholders of the body. A name with a dot, such as `header.image` or `button.1.url`, belongs to the header or a
 * button (https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-message-templates).
 */
function template({ name, language = 'en', variables = {} }: Extract<MessageContent, { type: 'template' }>): unknown {
  // Meta would refuse the message later, without the name of the value.
  const fault = templateValueFault(variables);
  if (fault !== null) throw new ChannelFailure('template_refused', `WhatsApp: ${fault}`);
  const components = [...headerComponents(variables), ...bodyComponents(variables), ...buttonComponents(variables)];
  return { name, language: { code: language.replace('-', '_') }, components };
}

function bodyComponents(variables: Variables): Component[] {
  const entries = Object.entries(variables).filter(([key]) => !key.includes('.'));
  const numbered = entries.every(([key]) => /^\d+$/.test(key));
  const parameters = (numbered ? entries.toSorted(([a], [b]) => Number(a) - Number(b)) : entries).map(
    ([key, text]) => ({
      type: 'text',
      ...(!numbered && { parameter_name: key }),
      text,
    }),
  );
  return parameters.length > 0 ? [{ type: 'body', parameters }] : [];
}

function headerComponents(variables: Variables): Component[] {
  const of = (name: string): string | undefined => variables[`header.${name}`];
  const parameter = [
    of('text') && { type: 'text', text: of('text') },
    of('image') && { type: 'image', image: { link: of('image') } },
    of('video') && { type: 'video', video: { link: of('video') } },
    of('document') && { type: 'document', document: { link: of('document'), filename: of('document_name') } },
    of('latitude') && {
      type: 'location',
      location: {
        latitude: of('latitude'),
        longitude: of('longitude'),
        name: of('name'),
        address: of('address'),
      },
    },
  ].find(Boolean);
  return parameter ? [{ type: 'header', parameters: [parameter] }] : [];
}

const BUTTON = /^button\.(\d+)\.(url|payload|code)$/;

/** Variables count buttons from 1, and Meta counts them from 0. */
function buttonComponents(variables: Variables): Component[] {
  return Object.entries(variables).flatMap(([key, value]): Component[] => {
    const [, number, kind] = BUTTON.exec(key) ?? [];
    if (number === undefined) return [];
    const at = { type: 'button', index: String(Number(number) - 1) };
    if (kind === 'url') return [{ ...at, sub_type: 'url', parameters: [{ type: 'text', text: value }] }];
    if (kind === 'code')
      return [{ ...at, sub_type: 'copy_code', parameters: [{ type: 'coupon_code', coupon_code: value }] }];
    if (value.trim() === '') return [];
    return [{ ...at, sub_type: 'quick_reply', parameters: [{ type: 'payload', payload: value }] }];
  });
}
