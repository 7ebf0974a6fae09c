import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { MAX_VERSION, MAX_WAIT_SECONDS } from '../../contract/limits.ts';
import type { TriggerCall } from '../../contract/triggers.ts';
import type { Row } from '../api.ts';
import { Failure } from '../failure.ts';
import { parseJsonObject, wholeNumber } from '../read-input.ts';
import { transcript } from '../transcript.ts';
import { type Cli, examples, setAction } from '../command-action.ts';

/** Calls a trigger through the public API with PARLEY_API_KEY, and without a key as a test of the signed-in member. */
export function addTriggerCommand(program: Command): void {
  const trigger = program
    .command('trigger')
    .summary('start a conversation')
    .description(
      'Starts a conversation by calling a trigger: on the public API with the key in PARLEY_API_KEY, or, without one, as the signed-in member.',
    )
    .argument('<agent-id>')
    .argument('<trigger-id>')
    .option('--message <text>', 'the first message of the person; without it, the agent opens')
    .option('--variables <json>', 'values of the variables that the trigger declares')
    .option(
      '--end-user <json>',
      'who: {"id"} or {"external_id","name","phone","email","locale","time_zone","attributes"}',
    )
    .option('--external-id <id>', 'same as --end-user \'{"external_id":"ID"}\'')
    .option('--channel <id>', "the channel, instead of the trigger's channel")
    .option('--address <address>', 'the address of the person on the channel')
    .option('--key <key>', 'conversation key: the same key continues the same conversation')
    .addOption(
      new Option('--on-existing <what>', 'the effect if that conversation exists').choices([
        'continue',
        'new',
        'reject',
      ]),
    )
    .option(
      '--agent-version <n>',
      'the published version of the agent that answers',
      wholeNumber('--agent-version', 1, MAX_VERSION),
    )
    .option('--metadata <json>', 'stored with the run')
    .option('--send-at <time>', 'the earliest start, e.g. 2027-01-31T08:00:00Z')
    .option(
      '--wait <n>',
      `wait up to N seconds for the agent's first message (at most ${MAX_WAIT_SECONDS})`,
      wholeNumber('--wait', 1, MAX_WAIT_SECONDS),
    )
    .option('--idempotency-key <key>', 'a repeated call with the same key takes effect once')
    .option('--dry-run', 'show what would happen; nothing is stored');
  setAction<TriggerFlags>(trigger, async (cli, [agent, id], flags) => {
    const answer = await start(cli, agent!, id!, flags);
    const messages = answer['messages'] as Row[] | undefined;
    cli.out.record(answer, messages && (() => transcript(messages)));
    if (messages)
      cli.out.hint(`Continue with: ./parley conversations say ${String(answer['conversation_id'])} --text TEXT`);
  });
  examples(
    trigger,
    'trigger agent_01jd… trigger_01jd… --message "Where is my order?" --wait 10',
    `trigger agent_01jd… trigger_01jd… --external-id crm-42 --variables '{"order_id":"A-1043"}'`,
  );
}

type TriggerFlags = {
  message?: string;
  variables?: string;
  endUser?: string;
  externalId?: string;
  channel?: string;
  address?: string;
  key?: string;
  onExisting?: NonNullable<TriggerCall['conversation']>['on_existing'];
  agentVersion?: number;
  metadata?: string;
  sendAt?: string;
  wait?: number;
  idempotencyKey?: string;
  dryRun?: boolean;
};

async function start(cli: Cli, agent: string, trigger: string, flags: TriggerFlags): Promise<Row> {
  const body = callOf(flags);
  if (cli.settings.apiKey === undefined) return startAsMember(cli, agent, trigger, body, flags);
  const headers = {
    ...(flags.wait !== undefined && { prefer: `wait=${flags.wait}` }),
    ...(flags.idempotencyKey !== undefined && { 'idempotency-key': flags.idempotencyKey }),
  };
  const path = `/api/triggers/${encodeURIComponent(agent)}/${encodeURIComponent(trigger)}`;
  return (await cli.api.public({ method: 'POST', path, body, headers })).body as Row;
}

const POLL_MS = 300;
/** The command looks for the new run among this number of recent runs of the trigger. */
const RECENT = 20;

/** The dashboard's call of a trigger does not wait, so the command polls. */
async function startAsMember(
  { api }: Cli,
  agent: string,
  trigger: string,
  body: TriggerCall,
  flags: TriggerFlags,
): Promise<Row> {
  if (flags.idempotencyKey !== undefined) {
    throw new Failure('usage_invalid', '--idempotency-key is part of the public API: set PARLEY_API_KEY to use it.');
  }
  const { agent_id: own } = await api.call('readTrigger', { ids: { trigger_id: trigger } });
  if (own !== agent) throw new Failure('usage_invalid', `The trigger belongs to the agent ${own}.`);
  const run = await api.call('testTrigger', { ids: { trigger_id: trigger }, body });
  if (flags.wait === undefined || !('conversation_id' in run)) return run;
  const until = performance.now() + flags.wait * 1000;
  do {
    await sleep(POLL_MS);
    const { messages } = await api.call('readConversation', { ids: { conversation_id: run.conversation_id } });
    // A continued conversation also contains older answers.
    const answer = messages.filter((message) => message.role === 'agent' && message.created_at >= run.created_at);
    if (answer.length === 0) continue;
    const { data } = await api.call('listTriggerRuns', { ids: { trigger_id: trigger }, query: { limit: RECENT } });
    const { status } = data.find(({ id }) => id === run.id) ?? run;
    return { ...run, status, messages: answer };
  } while (performance.now() < until);
  return run;
}

/** Returns the body of the call. Absent flags are absent in the JSON too. */
function callOf(flags: TriggerFlags): TriggerCall {
  const { endUser, externalId, channel, address, key, onExisting, variables, metadata } = flags;
  if (endUser !== undefined && externalId !== undefined) {
    throw new Failure('usage_invalid', 'Use either --end-user or --external-id.');
  }
  if (onExisting !== undefined && key === undefined) throw new Failure('usage_invalid', '--on-existing needs --key.');
  const named = endUser === undefined ? undefined : parseJsonObject(endUser, '--end-user');
  return {
    message: flags.message,
    variables: variables === undefined ? undefined : parseJsonObject(variables, '--variables'),
    end_user: externalId === undefined ? named : { external_id: externalId },
    channel: channel === undefined && address === undefined ? undefined : { id: channel, address },
    conversation: key === undefined ? undefined : { key, on_existing: onExisting },
    agent_version: flags.agentVersion,
    // The server validates the content of the body.
    metadata: metadata === undefined ? undefined : (parseJsonObject(metadata, '--metadata') as TriggerCall['metadata']),
    send_at: flags.sendAt,
    dry_run: flags.dryRun,
  };
}
