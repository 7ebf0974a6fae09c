import type { Command } from 'commander';
import { MAX_CLIENT_TOKEN_SECONDS, MIN_CLIENT_TOKEN_SECONDS } from '../../contract/client-tokens.ts';
import type { Row } from '../api.ts';
import { Failure } from '../failure.ts';
import { listOf, parseJsonObject, wholeNumber } from '../read-input.ts';
import { examples, setAction } from '../command-action.ts';

const DEFAULT_SECONDS = 900;

/** A key issues client tokens, but the session of a member cannot. */
export function addClientTokensCommand(program: Command): void {
  const tokens = program
    .command('client-tokens')
    .summary('tokens with which web pages call one trigger')
    .description(
      'Client tokens: a web page calls one trigger as one person, without an API key. Parley stores no token.',
    );
  const create = tokens
    .command('create')
    .description(
      'Creates a token with the key in PARLEY_API_KEY (permission triggers). A token is valid until it expires or its key is revoked.',
    )
    .requiredOption('--agent <id>', 'the agent of the trigger')
    .requiredOption('--trigger <id>', 'the only trigger that the token can call')
    .option('--external-id <id>', 'the person, by your ID')
    .option('--end-user <json>', 'the person: {"id"} or {"external_id","name","phone","email","locale",…}')
    .requiredOption(
      '--origins <list>',
      'the pages that may use the token, separated by commas, e.g. https://shop.example',
    )
    .option('--key <key>', 'conversation key: every call continues this conversation')
    .option(
      '--expires-in <seconds>',
      'the seconds for which the token is valid',
      wholeNumber('--expires-in', MIN_CLIENT_TOKEN_SECONDS, MAX_CLIENT_TOKEN_SECONDS),
      DEFAULT_SECONDS,
    );
  setAction<Options>(create, async ({ api, out }, _args, options) => {
    const { body } = await api.public({ method: 'POST', path: '/api/client-tokens', body: inputOf(options) });
    out.record(body as Row);
    out.hint('Copy the token now: the token is not shown again.');
  });
  examples(
    create,
    'client-tokens create --agent agent_01jd… --trigger trigger_01jd… --external-id crm-42 --origins https://shop.example',
  );
}

type Options = {
  agent: string;
  trigger: string;
  externalId?: string;
  endUser?: string;
  origins: string;
  key?: string;
  expiresIn: number;
};

function inputOf({ agent, trigger, externalId, endUser, origins, key, expiresIn }: Options): Row {
  if ((externalId === undefined) === (endUser === undefined)) {
    throw new Failure('usage_invalid', 'Use exactly one of --external-id and --end-user.');
  }
  return {
    agent_id: agent,
    trigger_id: trigger,
    end_user: endUser === undefined ? { external_id: externalId } : parseJsonObject(endUser, '--end-user'),
    ...(key !== undefined && { conversation: { key } }),
    origins: listOf(origins),
    expires_in: expiresIn,
  };
}
