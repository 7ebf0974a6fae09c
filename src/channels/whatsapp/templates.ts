import type { ChannelTemplate } from '../../../contract/dashboard/channels.ts';
import { callProvider, member, textMember } from '../call-provider.ts';
import type { SendTools } from '../channel.ts';
import { failureOf } from './failures.ts';

/**
 * The templates of an account, with their current state at Meta
 * (https://developers.facebook.com/docs/whatsapp/business-management-api/message-templates).
 */
const PAGE = 100;
/** An account has at most 250 templates, or 6,000 when it is verified. */
const MAX_PAGES = 10;
const FIELDS = 'name,language,status,category,components';

export async function listTemplates(
  tools: Pick<SendTools, 'egress' | 'signal'>,
  { url, token }: { url: string; token: string },
): Promise<ChannelTemplate[]> {
  const found: ChannelTemplate[] = [];
  let after = '';
  for (let page = 1; page <= MAX_PAGES; page++) {
    const query = new URLSearchParams({ fields: FIELDS, limit: String(PAGE), ...(after && { after }) });
    const answer = await callProvider(tools, {
      url: `${url}?${query.toString()}`,
      headers: { authorization: `Bearer ${token}` },
    });
    const items = member(answer.json, 'data');
    if (answer.status !== 200 || !Array.isArray(items)) throw failureOf(answer);
    found.push(...items.flatMap(readTemplate));
    const paging = member(answer.json, 'paging');
    after = textMember(member(paging, 'cursors'), 'after') ?? '';
    if (after === '' || textMember(paging, 'next') === undefined) break;
  }
  return found.toSorted((a, b) => order(`${a.name} ${a.language}`, `${b.name} ${b.language}`));
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function readTemplate(item: unknown): ChannelTemplate[] {
  const [name, language] = [textMember(item, 'name'), textMember(item, 'language')];
  if (!name || !language) return [];
  const status = (textMember(item, 'status') ?? '').toLowerCase();
  const parts = list(member(item, 'components'));
  const part = (type: string): unknown => parts.find((one) => textMember(one, 'type') === type);
  const body = textMember(part('BODY'), 'text') ?? '';
  const header = part('HEADER');
  const buttons = list(member(part('BUTTONS'), 'buttons'));
  const headerText = textMember(header, 'text') ?? null;
  const isFilledByUs =
    (header === undefined || (headerText !== null && variablesOf(headerText).length === 0)) &&
    buttons.every((button) => variablesOf(textMember(button, 'url') ?? '').length === 0 && isPlain(button));
  return [
    {
      name,
      language: language.replaceAll('_', '-'),
      status,
      category: (textMember(item, 'category') ?? '').toLowerCase(),
      header: headerText,
      body,
      footer: textMember(part('FOOTER'), 'text') ?? null,
      buttons: buttons.flatMap((button) => textMember(button, 'text') ?? []),
      variables: variablesOf(body),
      can_be_sent: status === 'approved' && isFilledByUs && part('BODY') !== undefined,
    },
  ];
}

/** A button that needs no value with each message. */
const isPlain = (button: unknown): boolean =>
  ['QUICK_REPLY', 'URL', 'PHONE_NUMBER'].includes(textMember(button, 'type') ?? '');

/** Numbered or named placeholders, each once, in the order in which they are filled. */
function variablesOf(text: string): string[] {
  const names = [...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name]) => name!))];
  return names.every((name) => /^\d+$/.test(name)) ? names.toSorted((a, b) => Number(a) - Number(b)) : names;
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
