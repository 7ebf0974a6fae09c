import type { ChannelTemplate } from '../../contract/dashboard/channels.ts';
import type { MessageContent } from '../../contract/messages.ts';

export type TemplateContent = Extract<MessageContent, { type: 'template' }>;

/** A sentence lists at most this many names. */
const MAX_NAMED = 5;
/** Values that no template requires. */
const OPTIONAL = /^(?:header\.document_name|header\.(?:name|address)|button\.\d+\.payload)$/;
const MEDIA = /^header\.(?:image|video|document)$/;
const DEGREES = /^header\.(?:latitude|longitude)$/;

/**
 * Compares a message with the definition of its template at the provider. The function returns the problem and its fix
 * as a sentence. Null: the provider accepts the message. `values` may still contain variables (`{{order_id}}`).
 */
export function templateFault(content: TemplateContent, items: readonly ChannelTemplate[]): string | null {
  const { name, variables = {} } = content;
  const language = sameLanguage(content.language ?? 'en');
  const named = items.filter((one) => one.name === name);
  if (named.length === 0)
    return `There is no template "${name}". ${listed(
      'Templates',
      items.map((one) => one.name),
    )}`;
  const found = named.find((one) => sameLanguage(one.language) === language);
  if (!found) {
    const languages = named.map((one) => one.language);
    return `The template "${name}" does not exist in the language "${content.language ?? 'en'}". ${listed('Languages', languages)}`;
  }
  if (found.status !== 'approved')
    return `The template "${name}" cannot be sent: its status at the provider is "${found.status}".`;
  if (!found.can_be_sent) return `The template "${name}" has a part that Parley cannot fill.`;
  const missing = found.variables.filter((one) => (variables[one] ?? '').trim() === '');
  if (missing.length > 0) return `The template "${name}" needs a value for ${quoted(missing)}.`;
  const unknown = Object.keys(variables).filter((one) => !found.variables.includes(one) && !OPTIONAL.test(one));
  if (unknown.length > 0) return `The template "${name}" has no placeholder ${quoted(unknown)}. Remove the value.`;
  return templateValueFault(variables);
}

/**
 * The problem of the values of a template that is known without its definition. Null: there is none. `values` may still
 * contain variables (`{{order_id}}`).
 */
export function templateValueFault(values: Readonly<Record<string, string>>): string | null {
  const names = Object.keys(values);
  const blank = names.filter((one) => values[one]!.trim() === '' && !OPTIONAL.test(one));
  if (blank.length > 0) return `The template needs a value for ${quoted(blank)}.`;
  const address = names.find((one) => MEDIA.test(one) && !isAddress(values[one]!));
  if (address !== undefined) return `The value of "${address}" must start with https://.`;
  const degrees = names.find((one) => DEGREES.test(one) && !isDegrees(values[one]!));
  return degrees === undefined ? null : `The value of "${degrees}" must be a number, such as 25.2854.`;
}

const sameLanguage = (tag: string): string => tag.replaceAll('_', '-').toLowerCase();
const isAddress = (value: string): boolean => value.includes('{{') || /^https:\/\/\S+$/.test(value);
const isDegrees = (value: string): boolean => value.includes('{{') || /^-?\d{1,3}(?:\.\d+)?$/.test(value.trim());
const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

function listed(title: string, names: readonly string[]): string {
  const known = [...new Set(names)];
  if (known.length === 0) return 'The account has no templates.';
  const more = known.length > MAX_NAMED ? `, and ${known.length - MAX_NAMED} more` : '';
  return `${title}: ${known.slice(0, MAX_NAMED).join(', ')}${more}.`;
}
