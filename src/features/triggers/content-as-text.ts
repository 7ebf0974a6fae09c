import type { MessageContent } from '../../../contract/messages.ts';
import { asText as fitted } from '../../channels/fit-content.ts';

/** Shows a message as text for a caller that can show only text. */
export function asText(content: MessageContent): string {
  const text = content.type === 'text' ? content : fitted(content);
  return (text && 'text' in text && text.text) || '';
}
