import { type Command, Option } from 'commander';
import type { CreateAccessTokenBody } from '../../contract/dashboard/access-tokens.ts';
import { TOKEN_ROLES, TOKEN_VERBS, type TokenRole, type TokenVerb } from '../../contract/permissions.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { Failure } from '../failure.ts';
import { listOf } from '../read-input.ts';
import { confirm } from '../prompt.ts';
import { examples, setAction } from '../command-action.ts';

type CreateOptions = {
  label: string;
  verbs: string;
  agents?: string;
  organization?: boolean;
  role?: TokenRole;
  expires: string;
};

export function addTokensCommand(program: Command): void {
  const tokens = program
    .command('tokens')
    .summary('access tokens for programs')
    .description(
      'Access tokens for programs such as CI, which use this command line with PARLEY_TOKEN. Commands for tokens need a session, because only a signed-in person can create tokens.',
    );

  const create = tokens
    .command('create')
    .description('Creates a token. The rights of a token cannot be changed later. The value is shown once.')
    .requiredOption('--label <label>', 'the purpose of the token')
    .requiredOption('--verbs <list>', `any of ${TOKEN_VERBS.join(',')}`)
    .option('--agents <ids>', 'only these agents (default: all)')
    .option('--organization', 'a token of the organization and not of yourself (owners and admins)')
    .addOption(new Option('--role <role>', 'for a token of the organization').choices(TOKEN_ROLES))
    .addOption(
      new Option('--expires <days>', 'days until the token ends').choices(['30', '90', '365', 'never']).default('90'),
    );
  setAction<CreateOptions>(create, async ({ api, out }, _args, options) => {
    out.record(await api.call('createAccessToken', { body: tokenInput(options) }));
    out.hint('Copy the value now: the value is not shown again.');
  });
  examples(
    create,
    'tokens create --label "GitHub" --verbs read,test,push,publish',
    'tokens create --label "CI" --organization --role member --verbs read,test --agents agent_01jd… --expires 30',
  );

  const list = listing(
    tokens.command('list').description('Lists your tokens. Owners and admins see all tokens.'),
  ).addOption(
    new Option('--state <state>', 'only tokens in this state').choices(['active', 'ended', 'all']).default('active'),
  );
  setAction<ListOptions & { state: 'active' | 'ended' | 'all' }>(
    list,
    async ({ api, out }, _args, { limit, all, state }) =>
      out.list(
        await api.list('listAccessTokens', { limit, all }, { query: { state } }),
        [
          field('id'),
          field('label'),
          field('kind'),
          field('user_name', 'Person'),
          field('verbs'),
          field('state'),
          time('expires_at', 'Expires', 'Never'),
          time('last_used_at', 'Last used', 'Never'),
        ],
        'No access token yet: ./parley tokens create --help',
      ),
  );

  const revoke = tokens
    .command('revoke')
    .description('Revokes a token permanently: no server accepts it after the response.')
    .argument('<token-id>')
    .option('--yes', 'do not ask');
  setAction<{ yes?: boolean }>(revoke, async ({ api, out }, [id], { yes }) => {
    await confirm(yes, `Token ${id} will be refused by all servers, permanently.`);
    const token = await api.call('revokeAccessToken', { ids: { token_id: id! } });
    out.record(token, () => `Revoked: ${token.id} is refused by all servers.`);
  });
  examples(revoke, 'tokens revoke token_01jd… --yes');
}

function tokenInput({ label, verbs, agents, organization, role, expires }: CreateOptions): CreateAccessTokenBody {
  if ((organization === true) !== (role !== undefined))
    throw new Failure('usage_invalid', '--role belongs to --organization, and both are needed there.');
  return {
    label,
    // Unknown verbs go to the server, whose error lists the known verbs.
    verbs: listOf(verbs) as TokenVerb[],
    ...(agents !== undefined && { agent_ids: listOf(agents) }),
    ...(role !== undefined && { kind: 'organization' as const, role }),
    expires_in_days: expires === 'never' ? null : (Number(expires) as 30 | 90 | 365),
  };
}
