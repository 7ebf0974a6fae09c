import { setTimeout as pause } from 'node:timers/promises';
import { styleText } from 'node:util';
import { type Command, Option } from 'commander';
import type { EventEnvelope } from '../../contract/events.ts';
import { EVENT_TYPES, type EventType } from '../../contract/event-types.ts';
import type { Api } from '../api.ts';
import { newWebhookSecret } from '../../src/kernel/standard-webhooks.ts';
import { Failure, Refused } from '../failure.ts';
import { type Forwarded, forwardEvent } from '../forward-event.ts';
import { endWithReader, type Output } from '../output.ts';
import { printable } from '../table.ts';
import { examples, type Cli, setAction } from '../command-action.ts';

/** The pause between two requests is the maximum delay of an event. */
const POLL_MS = 1_000;
/**
 * The maximum number of events that one request returns. If a request returns this many events, the next request
 * follows immediately.
 */
const LOOK = 100;

export function addEventsCommand(program: Command): void {
  const events = program
    .command('events')
    .summary('show events live')
    .description('Events: the same events that your endpoints receive.');
  const tail = events
    .command('tail')
    .description('Shows new events live until Ctrl-C. Needs no endpoint.')
    .addOption(new Option('--type <type>', 'only this type').choices(EVENT_TYPES))
    .option('--forward <url>', 'send each event to this address, as to an endpoint; it may be on this machine')
    .option('--secret <secret>', 'sign forwarded events with this secret (default: a new one, which is printed)');
  setAction<TailOptions>(tail, async (cli, _args, { type, ...options }) => {
    const forward = forwarderOf(options, cli.out);
    endWithReader();
    const stop = new AbortController();
    const end = (): void => stop.abort();
    process.once('SIGINT', end).once('SIGTERM', end);
    try {
      await follow(cli, type, forward, stop.signal);
    } finally {
      process.off('SIGINT', end).off('SIGTERM', end);
    }
  });
  examples(
    tail,
    'events tail',
    'events tail --forward http://localhost:3000/webhooks',
    'events tail --type message.received --json | jq .data.content.text',
  );
}

type TailOptions = { type?: EventType; forward?: string; secret?: string };
type Forward = (event: EventEnvelope) => Promise<Forwarded>;

/** Returns null if events are shown but not forwarded. */
function forwarderOf({ forward: url, secret }: TailOptions, out: Output): Forward | null {
  if (url === undefined) {
    if (secret === undefined) return null;
    throw new Failure('usage_invalid', '--secret is for --forward.');
  }
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new Failure('usage_invalid', '--forward takes an address that starts with http:// or https://.');
  if (secret !== undefined && !/^whsec_[A-Za-z0-9+/]+=*$/.test(secret))
    throw new Failure('usage_invalid', '--secret takes a secret that starts with whsec_.');
  const used = secret ?? newWebhookSecret();
  if (secret === undefined) out.line({ secret: used }, () => `Signing secret: ${used}`);
  return (event) => forwardEvent(url, used, event);
}

async function follow(
  { api, out }: Cli,
  type: EventType | undefined,
  forward: Forward | null,
  stop: AbortSignal,
): Promise<void> {
  let { cursor } = await api.call('watchEvents', { query: { type, limit: LOOK } });
  out.progress('Waiting for events. Press Ctrl-C to stop.');
  let lost = false;
  while (!stop.aborted) {
    const look = await lookAgain(api, { after: cursor, type, limit: LOOK });
    if (look === null && !lost) out.progress('The server does not respond; retrying.');
    lost = look === null;
    if (look !== null) {
      ({ cursor } = look);
      for (const event of look.data) {
        const forwarded = await forward?.(event);
        out.line({ ...event, ...(forwarded && { forwarded }) }, () => pretty(event) + answerOf(forwarded));
      }
    }
    if (look?.data.length !== LOOK) await pause(POLL_MS, null, { signal: stop }).catch(() => {});
  }
}

/** Returns null if there is no connection to the server. The cursor stays valid, so the next request can continue. */
async function lookAgain(api: Api, query: { after: string; type: EventType | undefined; limit: number }) {
  try {
    return await api.call('watchEvents', { query });
  } catch (error) {
    const codes = ['server_unreachable', 'server_too_slow', 'server_not_parley'];
    const isAway =
      error instanceof Failure ? codes.includes(error.code) : error instanceof Refused && error.status === 503;
    if (isAway) return null;
    throw error;
  }
}

const answerOf = (forwarded: Forwarded | undefined): string =>
  forwarded === undefined ? '' : `  → ${forwarded.status ?? forwarded.error}`;

const WIDEST = Math.max(...EVENT_TYPES.map((type) => type.length));

const style = (format: Parameters<typeof styleText>[0], text: string): string =>
  styleText(format, text, { stream: process.stdout });

/** Prints the time, type, subject and text of an event. */
function pretty({ timestamp, type, data }: EventEnvelope): string {
  const { id, status, reason, content, label, name } = data;
  const text = (content as { text?: unknown } | undefined)?.text;
  const about = [id, status, reason, label ?? name, text]
    .filter((part) => typeof part === 'string' && part !== '')
    .map((part) => printable(part).replaceAll('\n', ' '));
  return `${style('dim', timestamp.slice(11, 23))}  ${style('cyan', type.padEnd(WIDEST))}  ${about.join('  ')}`;
}
