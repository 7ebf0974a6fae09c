import type { Command } from 'commander';
import type { MessageContent } from '../../../contract/messages.ts';
import type { Api, Row } from '../../api.ts';
import { Failure } from '../../failure.ts';
import { parseJsonObject } from '../../read-input.ts';
import { examples, setAction } from '../../command-action.ts';

const POLL_MS = 500;
/** A provider has 15 s to respond. */
const MAX_LOOKS = 40;

type Flags = { to?: string; text?: string; content?: string };

/**
 * The command `channels test` checks the credentials with the provider if there is no recipient. With a recipient, the
 * command sends a message.
 */
export function addTestCommand(channels: Command): void {
  const test = channels
    .command('test')
    .description('Checks with the provider whether the credentials still work. With --to, also sends a test message.')
    .argument('<channel-id>')
    .option('--to <address>', 'send to this address on the channel (a phone number, an e-mail address, a chat id …)')
    .option('--text <text>', 'what to send', 'This is a test message from Parley.')
    .option('--content <json>', 'any other content, e.g. {"type":"template","name":"hello_world","language":"en_US"}');
  setAction<Flags>(test, async ({ api, out }, [id], { to, text, content }) => {
    const ids = { channel_id: id! };
    const check = await api.call('checkChannel', { ids });
    // The error state of a kind without a provider check ends when a message is delivered.
    if (!check['ok'] && (check['asked'] || to === undefined))
      throw new Failure('channel_check_failed', String(check['detail']));
    if (to === undefined) return out.record(check);
    const testMessage = content === undefined ? { type: 'text', text } : parseJsonObject(content, '--content');
    const sent = await api.call('sendTest', { ids, body: { address: to, content: testMessage as MessageContent } });
    out.record(await outcome(api, { ...ids, message_id: sent['id'] }));
  });
  examples(test, 'channels test channel_01jd…', 'channels test channel_01jd… --to +97430000000');
}

/**
 * Returns the message after it was sent or refused. If the provider needs longer than its time limit, the current state
 * is returned.
 */
async function outcome(api: Api, ids: Record<string, string>): Promise<Row> {
  let message = await api.call('readTest', { ids });
  for (let look = 0; message['status'] === 'queued' && look < MAX_LOOKS; look++) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    message = await api.call('readTest', { ids });
  }
  return message;
}
