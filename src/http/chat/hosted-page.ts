import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import type { ChatLanguage } from '../../../contract/chat.ts';
import { Refusal } from '../../../contract/problems.ts';
import { lostDatabase } from '../../access/sessions/lost-database.ts';
import { findChatChannel, presentAppearance } from '../../features/visitors/find-chat-channel.ts';
import { escapeHtml } from '../docs/html.ts';
import type { Route } from '../route/route.ts';
import type { ChatPageDeps } from './widget-script.ts';

/**
 * Serves the chat as a separate page, to share as a link or to try the chat before a web site embeds it. The parameter
 * `?lang=ar` chooses the language. Otherwise, the page has the language of the browser.
 */
export const hostedPage = (path: string, deps: ChatPageDeps): Route => ({
  method: 'GET',
  path,
  access: 'public',
  operation: { id: 'chatPage', summary: 'The page of a web chat', tag: 'Web chat', hidden: true },
  responses: { 200: Type.Unknown() },
  handle: async (request, reply) => {
    const { channel_id: id } = request.params as { channel_id: string };
    const channel = await findChatChannel(deps, id).catch((error: unknown) => {
      throw lostDatabase('GET', error);
    });
    if (channel.chat.hosted_page === false) throw new Refusal('channel_not_found', 'This chat has no hosted page.');
    if (!channel.enabled) throw new Refusal('channel_disabled');
    const appearance = presentAppearance(channel);
    const { etag } = deps.chatScript(appearance);
    const chosen = languageOf(request.raw.url!);
    const lang = chosen ?? firstAccepted(request.headers['accept-language']) ?? 'en';
    const nonce = randomBytes(18).toString('base64url');
    const policy = [
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      `style-src 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "media-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ];
    return reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('vary', 'accept-language')
      .header('content-security-policy', policy.join('; '))
      .header('referrer-policy', 'no-referrer')
      .header('x-robots-tag', 'noindex').send(`<!doctype html>
<html lang="${lang}"${lang === 'ar' ? ' dir="rtl"' : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(appearance.title || 'Chat')}</title>
<style nonce="${nonce}">body { margin: 0; background: Canvas }</style>
<script src="/chat/${channel.id}/widget.js?v=${etag}" data-page${chosen ? ` data-language="${chosen}"` : ''} async></script>
</head>
<body></body>
</html>
`);
  },
});

/** Other parameters of a link, such as campaign tags, are ignored. */
function languageOf(target: string): ChatLanguage | undefined {
  const lang = new URLSearchParams(target.split('?')[1]).get('lang');
  return known(lang);
}

/** Browsers list the languages of the visitor in order of preference. */
const firstAccepted = (header = ''): ChatLanguage | undefined =>
  header
    .split(',')
    .map((range) => known(range.trim().split(/[-;]/)[0]!.toLowerCase()))
    .find((one) => one !== undefined);

const known = (lang: string | null): ChatLanguage | undefined =>
  lang === 'en' || lang === 'ar' || lang === 'hi' ? lang : undefined;
