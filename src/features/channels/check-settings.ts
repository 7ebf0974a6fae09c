import { CHANNEL_KINDS, type ChannelKind, WebhookSettings } from '../../../contract/dashboard/channels.ts';
import { type Fault, Refusal } from '../../../contract/problems.ts';

export function readChannelKind(kind: string): ChannelKind {
  if ((CHANNEL_KINDS as readonly string[]).includes(kind)) return kind as ChannelKind;
  throw invalid([
    {
      pointer: '/kind',
      code: 'not_available',
      detail: `This channel kind is not available. Available: ${CHANNEL_KINDS.join(', ')}.`,
    },
  ]);
}

/** What is not secret of a channel, checked by its kind. */
export function checkSettings(kind: ChannelKind, settings: Record<string, unknown>): Record<string, unknown> {
  const errors: Fault[] = [];
  const known = kind === 'webhook' ? Object.keys(WebhookSettings.properties) : [];
  for (const name of Object.keys(settings)) {
    if (!known.includes(name)) {
      const pointer = `/settings/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      errors.push({ pointer, code: 'unknown_field', detail: `A ${kind} channel has no such setting.` });
    }
  }
  if (kind === 'webhook') {
    const { url } = settings;
    if (url === undefined)
      errors.push({ pointer: '/settings/url', code: 'required', detail: 'Where are messages sent?' });
    else if (!isWebUrl(url)) {
      const detail = 'Give an absolute http or https address without user name, password or fragment.';
      errors.push({ pointer: '/settings/url', code: 'format', detail });
    }
  }
  if (errors.length > 0) throw invalid(errors);
  return settings;
}

const MAX_URL_CHARACTERS = 2_048;

/** Whether the address may be called at all is decided when it is called (kernel/egress). */
function isWebUrl(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > MAX_URL_CHARACTERS || !URL.canParse(value)) return false;
  const { protocol, username, password, hash } = new URL(value);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '' && hash === '';
}

const invalid = (errors: Fault[]): Refusal => new Refusal('validation_failed', undefined, { errors });
