import type { MessageContent } from '../../contract/messages.ts';
import { ChannelFailure, type ChannelKind } from './channel.ts';

/**
 * Converts an agent's message to a form that the channel supports: choices become a numbered list, and a file becomes
 * its URL. A backend's own message is never converted. Content of a backend that does not fit is refused when the call
 * is made.
 */
export function fitContent(content: MessageContent, kind: ChannelKind): MessageContent {
  const { capabilities } = kind;
  const fitted = asSent(content, kind);
  if (fitted === null || !capabilities.content.includes(fitted.type)) {
    throw new ChannelFailure('content_unsupported', `The channel cannot carry ${content.type}.`);
  }
  if ('text' in fitted && (fitted.text?.length ?? 0) > capabilities.max_text) {
    throw new ChannelFailure(
      'content_unsupported',
      `The text is longer than the limit of the channel, ${capabilities.max_text} characters.`,
    );
  }
  return fitted;
}

/** Returns the content, or its text form if the channel cannot send the content. Null: the content has no text form. */
export const asSent = (content: MessageContent, { capabilities, refuses }: ChannelKind): MessageContent | null =>
  capabilities.content.includes(content.type) && !refuses?.(content) ? content : asText(content);

/** Converts the content to text. Null: the content has no text form. */
export function asText(content: MessageContent): MessageContent | null {
  switch (content.type) {
    case 'choices':
      return lines(content.text, ...content.choices.map(({ label }, index) => `${index + 1}. ${label}`));
    case 'image':
    case 'audio':
    case 'video':
    case 'file':
      return lines(content.text, content.url);
    case 'location':
      return lines(content.text, `https://www.openstreetmap.org/?mlat=${content.latitude}&mlon=${content.longitude}`);
    default:
      return null;
  }
}

const lines = (...parts: (string | undefined)[]): MessageContent => ({
  type: 'text',
  text: parts.filter((part) => part !== undefined && part !== '').join('\n'),
});
