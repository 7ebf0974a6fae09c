import type { Command } from 'commander';
import type { Row } from '../api.ts';
import { Failure } from '../failure.ts';
import { parseJsonObject } from '../read-input.ts';
import { examples, setAction } from '../command-action.ts';

/** Sends one message on a channel through the public API with PARLEY_API_KEY. */
export function addSendCommand(program: Command): void {
  const send = program
    .command('send')
    .summary('send one message on a channel')
    .description(
      'Sends one message on a channel, on the public API with the key in PARLEY_API_KEY (permission channels).',
    )
    .argument('<agent-id>')
    .argument('<channel-id>')
    .option('--to-conversation <id>', 'send into this conversation')
    .option('--to-external-id <id>', 'to the end user with this external id')
    .option('--to-end-user <json>', 'send to this end user: {"id"} or {"external_id","phone","email",…}')
    .option('--to-address <address>', 'send to this address on the channel')
    .option('--text <text>', 'a text message')
    .option('--content <json>', 'any other content, e.g. {"type":"image","url":"https://…"}')
    .option('--reply-to <id>', 'the message that this one answers')
    .option('--metadata <json>', 'stored with the message')
    .option('--send-at <time>', 'the earliest time to send')
    .option('--idempotency-key <key>', 'a repeated call with the same key takes effect once');
  setAction<SendFlags>(send, async ({ api, out }, [agent, channel], flags) => {
    const path = `/api/channels/${encodeURIComponent(agent!)}/${encodeURIComponent(channel!)}/messages`;
    const headers = { ...(flags.idempotencyKey !== undefined && { 'idempotency-key': flags.idempotencyKey }) };
    const answer = await api.public({ method: 'POST', path, body: messageOf(flags), headers });
    out.record(answer.body as Row);
  });
  examples(send, 'send agent_01jd… channel_01jd… --to-external-id crm-42 --text "Your order shipped"');
}

type SendFlags = {
  toConversation?: string;
  toExternalId?: string;
  toEndUser?: string;
  toAddress?: string;
  text?: string;
  content?: string;
  replyTo?: string;
  metadata?: string;
  sendAt?: string;
  idempotencyKey?: string;
};

function messageOf(flags: SendFlags): Row {
  if ((flags.text === undefined) === (flags.content === undefined)) {
    throw new Failure('usage_invalid', 'Use exactly one of --text and --content.');
  }
  return {
    to: recipientOf(flags),
    content:
      flags.content === undefined ? { type: 'text', text: flags.text } : parseJsonObject(flags.content, '--content'),
    ...(flags.replyTo !== undefined && { reply_to: flags.replyTo }),
    ...(flags.metadata !== undefined && { metadata: parseJsonObject(flags.metadata, '--metadata') }),
    ...(flags.sendAt !== undefined && { send_at: flags.sendAt }),
  };
}

function recipientOf({ toConversation, toExternalId, toEndUser, toAddress }: SendFlags): Row {
  const ways: Row[] = [];
  if (toConversation !== undefined) ways.push({ conversation_id: toConversation });
  if (toExternalId !== undefined) ways.push({ end_user: { external_id: toExternalId } });
  if (toEndUser !== undefined) ways.push({ end_user: parseJsonObject(toEndUser, '--to-end-user') });
  if (toAddress !== undefined) ways.push({ address: toAddress });
  const [to, ...others] = ways;
  if (to !== undefined && others.length === 0) return to;
  throw new Failure(
    'usage_invalid',
    'Use exactly one of --to-conversation, --to-external-id, --to-end-user and --to-address.',
  );
}
