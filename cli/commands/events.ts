import { styleText } from 'node:util';
import { type Command, Option } from 'commander';
import type { EventEnvelope } from '../../contract/events.ts';
import { EVENT_TYPES, type EventType } from '../../contract/event-types.ts';
import type { Api } from '../api.ts';
import { Failure, Refused } from '../failure.ts';
import { endWithReader } from '../output.ts';
import { printable } from '../table.ts';
import { examples, type Cli, verb } from '../verb.ts';

/** The pause between two requests. It is the maximum delay of an event. */
const POLL_MS = 1_000;
/** The maximum events of one request. If a request returns this many, the next one follows immediately. */
const LOOK = 100;

export function addEventsCommand(program: Command): void {
  const events = program
    .command('events')
    .summary('show events live')
    .description('Events: the same events that your endpoints receive.');
  const tail = events
    .command('tail')
    .description('Shows new events live until Ctrl-C. Needs no endpoint.')
    .addOption(new Option('--type <type>', 'only this type').choices(EVENT_TYPES));
  verb<{ type?: EventType }>(tail, async (cli, _args, { type }) => {
    endWithReader();
    const stop = new AbortController();
    const end = (): void => stop.abort();
    process.once('SIGINT', end).once('SIGTERM', end);
    try {
      await follow(cli, type, stop.signal);
    } finally {
      process.off('SIGINT', end).off('SIGTERM', end);
    }
  });
  examples(tail, 'events tail', 'events tail --type message.received --json | jq .data.content.text');
}

async function follow({ api, out }: Cli, type: EventType | undefined, stop: AbortSignal): Promise<void> {
  let { cursor } = await api.call('watchEvents', { query: { type, limit: LOOK } });
  out.progress('Waiting for events. Press Ctrl-C to stop.');
  let lost = false;
  while (!stop.aborted) {
    const look = await lookAgain(api, { after: cursor, type, limit: LOOK });
    if (look === null && !lost) out.progress('The server does not respond; retrying.');
    lost = look === null;
    if (look !== null) {
      ({ cursor } = look);
      for (const event of look.data) out.line(event, () => pretty(event));
    }
    if (look?.data.length !== LOOK) await pause(POLL_MS, stop);
  }
}

/** Null if there is no connection to the server. The cursor stays valid, so the next request can continue. */
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

const pause = (ms: number, stop: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stop.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

const WIDEST = Math.max(...EVENT_TYPES.map((type) => type.length));

const style = (format: Parameters<typeof styleText>[0], text: string): string =>
  styleText(format, text, { stream: process.stdout });

/** Time, type, subject and text of an event. */
function pretty({ timestamp, type, data }: EventEnvelope): string {
  const { id, status, reason, content, label, name } = data;
  const text = (content as { text?: unknown } | undefined)?.text;
  const about = [id, status, reason, label ?? name, text]
    .filter((part) => typeof part === 'string' && part !== '')
    .map((part) => printable(part).replaceAll('\n', ' '));
  return `${style('dim', timestamp.slice(11, 23))}  ${style('cyan', type.padEnd(WIDEST))}  ${about.join('  ')}`;
}
