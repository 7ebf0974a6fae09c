import { createHmac } from 'node:crypto';
import { CHANNEL_FORMS } from '../../../contract/channel-kinds.ts';
import { MAX_ATTACHMENT_BYTES, MAX_MESSAGE_CHARACTERS } from '../../../contract/limits.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import {
  apiBase,
  callProvider,
  fetchBytes,
  member,
  ownAddress,
  type ProviderAnswer,
  readJson,
  statusFailure,
  textMember,
} from '../call-provider.ts';
import { readRetryAfter } from '../../kernel/retry-after.ts';
import {
  type ChannelAccount,
  ChannelFailure,
  type ChannelKind,
  type InboundEvent,
  type InboundMessage,
  type InboundRequest,
  type SendTools,
  withFiles,
} from '../channel.ts';
import { equalSecrets } from '../equal-secrets.ts';

/** Direct messages with a Slack app (https://docs.slack.dev). The address is the person's user ID. */
const API = 'https://slack.com/api';
const TOLERANCE_SECONDS = 5 * 60;
/** Without files:read, the files that people send stay at Slack. */
const NEEDED_SCOPES = ['chat:write', 'im:history'];
const FILE_HOST = /^([\w-]+\.)?slack\.com$/;
const MAX_FILES = 10;
/** https://docs.slack.dev/reference/block-kit/blocks/actions-block */
const MAX_BUTTON_CHARACTERS = 75;
/** https://docs.slack.dev/reference/block-kit/blocks/section-block */
const MAX_SECTION_CHARACTERS = 3_000;

export const slack: ChannelKind = {
  kind: 'slack',
  capabilities: {
    content: ['text', 'image', 'choices'],
    max_text: MAX_MESSAGE_CHARACTERS,
    receipts: [],
    inbound: true,
    reply_window_hours: null,
    needs_address: true,
  },
  ...CHANNEL_FORMS.slack,
  refuses,
  vouchesFor: () => true,
  readAddress: (text) => (/^[UW][A-Z0-9]{5,20}$/.test(text) ? text : null),

  async connect(account, tools) {
    const answer = await ask(account, tools, 'auth.test', {});
    checkScopes(answer);
    const who = answer.json;
    return { team: textMember(who, 'team') ?? '', bot_user_id: textMember(who, 'user_id') ?? '' };
  },

  async send(message, account, tools) {
    const { content } = message;
    const refusal = refuses(content);
    if (refusal !== null) throw new ChannelFailure('content_unsupported', refusal);
    const text = 'text' in content ? escapeText(content.text ?? '') : '';
    const thread = message.replyTo?.providerMessageId?.split(':')[1];
    const sent = await call(account, tools, 'chat.postMessage', {
      channel: message.address,
      text: text || (content.type === 'image' ? content.url : ''),
      ...(content.type === 'choices' && { blocks: buttons(text, content.choices) }),
      ...(content.type === 'image' && { blocks: imageBlocks(content.url, text) }),
      ...(thread && { thread_ts: thread }),
    });
    return { providerMessageId: `${textMember(sent, 'channel')}:${textMember(sent, 'ts')}`, status: 'sent' };
  },

  async fetchFile({ file_id: id = '' }, account, tools) {
    const answer = await call(account, tools, `files.info?file=${encodeURIComponent(id)}`);
    const named = textMember(member(answer, 'file'), 'url_private_download') ?? '';
    const url = ownAddress('Slack', named, { api: apiBase(account.settings, API), hosts: FILE_HOST });
    return fetchBytes(tools, 'Slack', { url, headers: authorization(account) });
  },

  inbound: {
    verify({ method, headers, body }, { secrets }, now) {
      const secret = secrets['signing_secret'] ?? '';
      const timestamp = headers['x-slack-request-timestamp'] ?? '';
      if (method !== 'POST' || secret === '' || !/^\d{1,12}$/.test(timestamp)) return false;
      if (Math.abs(now / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
      const mac = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex');
      return equalSecrets(headers['x-slack-signature'] ?? '', `v0=${mac}`);
    },
    parse(request): InboundEvent[] {
      const payload = payloadOf(request);
      return textMember(payload, 'type') === 'block_actions' ? pressed(payload) : eventsOf(payload);
    },
    answer(request) {
      const payload = payloadOf(request);
      if (textMember(payload, 'type') !== 'url_verification') return null;
      return { type: 'text/plain; charset=utf-8', body: textMember(payload, 'challenge') ?? '' };
    },
  },
};

/** Events arrive as JSON, and pressed buttons arrive as a form that contains JSON. */
function payloadOf({ headers, body }: InboundRequest): unknown {
  if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return readJson(body);
  return readJson(Buffer.from(new URLSearchParams(body.toString('utf8')).get('payload') ?? ''));
}

/** Other subtypes report edits, deletions, and actions of an app or a channel. */
const SAID = new Set<unknown>([undefined, 'file_share', 'thread_broadcast', 'me_message']);

function eventsOf(payload: unknown): InboundEvent[] {
  const event = member(payload, 'event');
  const eventId = textMember(payload, 'event_id');
  const user = textMember(event, 'user');
  const files = filesOf(event);
  const text = textMember(event, 'text') || (member(event, 'files') ? '[file]' : '');
  const isTheirs = member(event, 'bot_id') === undefined && SAID.has(member(event, 'subtype'));
  if (textMember(event, 'type') !== 'message' || textMember(event, 'channel_type') !== 'im') return [];
  if (!isTheirs || !eventId || !user || !text) return [];
  const content = { type: 'text' as const, text: unescapeText(text) };
  const providerMessageId = `${textMember(event, 'channel')}:${textMember(event, 'ts')}`;
  return withFiles({ type: 'message', eventId, providerMessageId, address: user, person: {}, content }, files);
}

/** Slack accepts ten files with one message. Files above our size limit stay at Slack. */
function filesOf(event: unknown): NonNullable<InboundMessage['file']>[] {
  const files = member(event, 'files');
  return (Array.isArray(files) ? files : []).slice(0, MAX_FILES).flatMap((file: unknown) => {
    const [id, size] = [textMember(file, 'id'), member(file, 'size')];
    if (id === undefined || (typeof size === 'number' && size > MAX_ATTACHMENT_BYTES)) return [];
    return [{ name: textMember(file, 'name') ?? '', source: { file_id: id } }];
  });
}

function pressed(payload: unknown): InboundEvent[] {
  const user = textMember(member(payload, 'user'), 'id');
  const actions = member(payload, 'actions');
  const action: unknown = Array.isArray(actions) ? actions[0] : undefined;
  const at = textMember(action, 'action_ts');
  const text = textMember(member(action, 'text'), 'text') ?? textMember(action, 'value');
  if (!user || !at || !text) return [];
  const content = { type: 'text' as const, text: unescapeText(text) };
  return [{ type: 'message', eventId: `action:${user}:${at}`, address: user, person: {}, content }];
}

/** The limit also counts the characters that escaping adds. */
function refuses(content: MessageContent): string | null {
  const isLong = content.type === 'choices' || content.type === 'image';
  if (!isLong || escapeText(content.text ?? '').length <= MAX_SECTION_CHARACTERS) return null;
  return `Slack carries at most ${MAX_SECTION_CHARACTERS} characters together with choices or an image.`;
}

const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });

const buttons = (text: string, choices: readonly { id: string; label: string }[]) => [
  section(text),
  {
    type: 'actions',
    elements: choices.map(({ id, label }, index) => ({
      type: 'button',
      action_id: `choice_${index}`,
      value: id,
      text: { type: 'plain_text', text: label.slice(0, MAX_BUTTON_CHARACTERS).toWellFormed() },
    })),
  },
];

/** The alternative text of an image is not visible, so a caption is sent above the image. */
const imageBlocks = (url: string, text: string) => [
  ...(text ? [section(text)] : []),
  { type: 'image', image_url: url, alt_text: text || 'image' },
];

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
const escapeText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const unescapeText = (text: string) =>
  text.replace(LINK, asTyped).replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** Slack marks text that looks like a link: `<mailto:a@example.qa|a@example.qa>`, `<https://example.qa>`. */
const LINK = /<(mailto:|tel:|https?:\/\/)([^<>|]+)(?:\|([^<>]*))?>/g;

const asTyped = (_: string, scheme: string, rest: string, label = ''): string => {
  if (!scheme.startsWith('http')) return label || rest;
  const url = scheme + rest;
  return label === '' || url.includes(label) ? label || url : `${label} (${url})`;
};

async function call(...[account, tools, method, body]: Parameters<typeof ask>): Promise<unknown> {
  return (await ask(account, tools, method, body)).json;
}

/** Slack lists the scopes of the token in a header of every answer. */
function checkScopes({ headers }: ProviderAnswer): void {
  const scopes = headers['x-oauth-scopes']?.split(',').map((scope) => scope.trim());
  const missing = scopes ? NEEDED_SCOPES.filter((scope) => !scopes.includes(scope)) : [];
  if (missing.length === 0) return;
  const detail = `The Slack bot token lacks the scope ${missing.join(' and ')}: add it under OAuth & Permissions and install the app again.`;
  throw new ChannelFailure('channel_unauthorized', detail, { channelBroken: true, setting: 'bot_token' });
}

const authorization = ({ secrets }: Pick<ChannelAccount, 'secrets'>) => ({
  authorization: `Bearer ${secrets['bot_token']}`,
});

async function ask(
  { settings, secrets }: ChannelAccount,
  tools: SendTools,
  method: string,
  body?: Record<string, unknown>,
): Promise<ProviderAnswer> {
  const answer = await callProvider(tools, {
    url: `${apiBase(settings, API)}/${method}`,
    headers: { ...authorization({ secrets }), ...(body && { 'content-type': 'application/json; charset=utf-8' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  if (answer.status === 200 && member(answer.json, 'ok') === true) return answer;
  throw failureOf(answer);
}

const UNAUTHORIZED = new Set([
  'not_authed',
  'invalid_auth',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'no_permission',
  'missing_scope',
  'org_login_required',
  'access_denied',
]);
const UNREACHABLE = new Set(['channel_not_found', 'user_not_found', 'user_disabled', 'is_archived', 'cannot_dm_bot']);
const BUSY = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded']);
const FLAKY = new Set(['fatal_error', 'internal_error', 'service_unavailable', 'request_timeout', 'team_added_to_org']);

/** Slack answers 200 to almost every request, and the member `error` contains the result. */
function failureOf(answer: ProviderAnswer): ChannelFailure {
  const error = textMember(answer.json, 'error');
  if (answer.status !== 200 || error === undefined) return statusFailure(answer, 'Slack', { detail: error });
  const retryAfterMs = readRetryAfter(answer.headers['retry-after']);
  const facts = { providerCode: error, retryAfterMs };
  const detail = `Slack: ${error}`;
  if (UNAUTHORIZED.has(error))
    return new ChannelFailure('channel_unauthorized', `${detail}, says Slack of the bot token`, {
      ...facts,
      channelBroken: true,
      setting: 'bot_token',
    });
  if (UNREACHABLE.has(error)) return new ChannelFailure('recipient_unreachable', detail, facts);
  if (BUSY.has(error)) return new ChannelFailure('provider_rate_limited', detail, { ...facts, retryable: true });
  if (FLAKY.has(error)) return new ChannelFailure('provider_unavailable', detail, { ...facts, retryable: true });
  return new ChannelFailure('provider_refused', detail, facts);
}
