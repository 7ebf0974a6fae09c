import type { ChannelTemplate } from '../../../contract/dashboard/channels.ts';
import { callProvider, member, textMember } from '../call-provider.ts';
import type { SendTools } from '../channel.ts';
import { failureOf } from './failures.ts';

/**
 * Lists the templates of an account, with their current state at Meta
 * (https://developers.facebook.com/docs/whatsapp/business-management-api/message-templates).
 */
const PAGE = 100;
/** A verified account has at most 6,000 templates, and any other account 250. */
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
  const header = headerOf(part('HEADER'));
  const buttons = list(member(part('BUTTONS'), 'buttons')).map(buttonOf);
  const isFilledByUs = header !== undefined && buttons.every((button) => button !== undefined);
  return [
    {
      name,
      language: language.replaceAll('_', '-'),
      status,
      category: (textMember(item, 'category') ?? '').toLowerCase(),
      header: header?.text ?? null,
      header_type: header?.type ?? null,
      body,
      footer: textMember(part('FOOTER'), 'text') ?? null,
      buttons: buttons.flatMap((button) => button?.text ?? []),
      variables: [
        ...(header?.variables ?? []),
        ...variablesOf(body),
        ...buttons.flatMap((button, at) => (button?.value ? [`button.${at + 1}.${button.value}`] : [])),
      ],
      can_be_sent: status === 'approved' && isFilledByUs && part('BODY') !== undefined,
    },
  ];
}

type Header = { type: ChannelTemplate['header_type']; text: string | null; variables: string[] };

const HEADERS: Readonly<Record<string, Omit<Header, 'text'>>> = {
  IMAGE: { type: 'image', variables: ['header.image'] },
  VIDEO: { type: 'video', variables: ['header.video'] },
  DOCUMENT: { type: 'document', variables: ['header.document'] },
  LOCATION: { type: 'location', variables: ['header.latitude', 'header.longitude'] },
};

/** Undefined: Parley does not support this kind of header. Null: the template has no header. */
function headerOf(header: unknown): Header | null | undefined {
  if (header === undefined) return null;
  const text = textMember(header, 'text');
  if (text === undefined) {
    const known = HEADERS[textMember(header, 'format') ?? ''];
    return known && { ...known, text: null };
  }
  // Meta allows one placeholder in a header.
  return { type: 'text', text, variables: variablesOf(text).length > 0 ? ['header.text'] : [] };
}

/** `value`: the kind of value that the button needs in each message. */
function buttonOf(button: unknown): { text: string; value: 'url' | 'code' | null } | undefined {
  const text = textMember(button, 'text') ?? '';
  switch (textMember(button, 'type')) {
    case 'QUICK_REPLY':
    case 'PHONE_NUMBER':
      return { text, value: null };
    case 'URL':
      return { text, value: variablesOf(textMember(button, 'url') ?? '').length > 0 ? 'url' : null };
    case 'COPY_CODE':
      return { text, value: 'code' };
    default:
      return undefined;
  }
}

/** Lists numbered or named placeholders, each once, in the order in which they are filled. */
function variablesOf(text: string): string[] {
  const names = [...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name]) => name!))];
  return names.every((name) => /^\d+$/.test(name)) ? names.toSorted((a, b) => Number(a) - Number(b)) : names;
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
