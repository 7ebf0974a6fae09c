import { EVENT_EXAMPLES } from '../../../contract/event-examples.ts';
import { EVENT_MEANINGS, EVENT_TYPES } from '../../../contract/event-types.ts';
import { code, escapeHtml, json, prose } from './html.ts';

const VERIFY = `import { createHmac, timingSafeEqual } from 'node:crypto';

/** \`body\` is the body as it came, byte for byte; \`secret\` begins with whsec_. */
export function isFromParley(secret: string, headers: Record<string, string>, body: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = headers;
  if (Math.abs(Date.now() / 1000 - Number(at)) > 300) return false;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key).update(\`\${id}.\${at}.\${body}\`).digest();
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.slice('v1,'.length), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}`;

/** The section about the events that Parley sends to endpoints, next to Parley's own endpoints. */
export const eventsSection = (): string => `<section>
<h2 id="events">Events</h2>
<p>${prose(`Add an endpoint in the dashboard under Settings, Integrations, Webhooks; its signing secret is shown once. Each event is a POST of
\`{id, type, timestamp, data}\`, signed as Standard Webhooks 1.0. Answer with any 2xx within 15 seconds. Anything else is tried again: ten
attempts in all, after 5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours; 410 disables the endpoint, and redirects are not followed.
An event may come twice, with the same \`webhook-id\`, and later than a younger one.`)}</p>
${code(VERIFY)}
${EVENT_TYPES.map(
  (type) => `<h3 id="event-${type}"><code>${escapeHtml(type)}</code></h3><p>${prose(EVENT_MEANINGS[type])}</p>
<details><summary>Example of <code>data</code></summary>${json(EVENT_EXAMPLES[type])}</details>`,
).join('\n')}
</section>`;

/** The address and the name of each section. */
export const eventsNavigation = (): [string, string][] => [
  ['/docs#events', 'About'],
  ...EVENT_TYPES.map((type): [string, string] => [`/docs#event-${type}`, type]),
];
