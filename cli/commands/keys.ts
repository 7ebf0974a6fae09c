import { type Command, Option } from 'commander';
import { ROTATION_OVERLAPS } from '../../contract/dashboard/keys.ts';
import type { BodyOf, QueryOf } from '../../contract/dashboard/routes.ts';
import { KEY_LIMITS, type KeyLimits } from '../../contract/key-limits.ts';
import { KEY_SCOPES, type KeyScope, type Permission, PERMISSIONS } from '../../contract/permissions.ts';
import type { Row } from '../api.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { Failure } from '../failure.ts';
import { listOf, parseJsonObject } from '../read-input.ts';
import { confirm } from '../prompt.ts';
import { examples, setAction } from '../command-action.ts';

/** The order of a new key's members, on which scripts depend. */
const MADE = [
  'id',
  'value',
  'prefix',
  'label',
  'scope',
  'agent_id',
  'campaign_id',
  'permissions',
  'created_at',
  'last_used_at',
] as const;

export function addKeysCommand(program: Command): void {
  const keys = program
    .command('keys')
    .summary('API keys')
    .description('API keys: create, list, rotate and revoke them. A value is shown once, when the key is created.');
  addCreate(keys);
  addList(keys);
  addRotate(keys);
  addRevoke(keys);
  addNetworks(keys);
  addLimits(keys);

  const rename = keys
    .command('rename')
    .description('Changes the label of a key. The permissions of the key stay the same.')
    .argument('<key-id>')
    .requiredOption('--label <label>', 'the new label');
  setAction<{ label: string }>(rename, async ({ api, out }, [id], { label }) =>
    out.record(listed(await api.call('renameKey', { ids: { key_id: id! }, body: { label } }))),
  );
}

function addCreate(keys: Command): void {
  const create = keys
    .command('create')
    .description(
      'Creates a key. Scope and permissions of a key cannot be changed later. The networks of a key can only be narrowed, and its limits only lowered.',
    )
    .requiredOption('--label <label>', 'the purpose of the key')
    .addOption(new Option('--scope <scope>', 'the scope of the key').choices(KEY_SCOPES).makeOptionMandatory())
    .option('--agent <id>', 'for scope agent')
    .option('--campaign <id>', 'for scope campaign')
    .option('--permissions <list>', `any of ${PERMISSIONS.join(',')}; a campaign key holds campaigns alone`)
    .option('--networks <list>', 'allowed networks: addresses and CIDRs separated by commas (default: any)')
    .option('--limits <json>', `limits of the key: any of ${KEY_LIMITS.join(', ')}`)
    .option('--expires-at <time>', 'when the key is revoked automatically, e.g. 2027-01-31T00:00:00Z');
  setAction<CreateOptions>(create, async ({ api, out }, _args, options) => {
    const made = await api.call('createKey', { body: keyInput(options) });
    const shown = [
      ...MADE,
      ...(made.allowed_networks === null ? [] : (['allowed_networks'] as const)),
      ...(made.limits === null ? [] : (['limits', 'remaining'] as const)),
    ];
    out.record(Object.fromEntries(shown.map((name) => [name, made[name]])));
    out.hint('Copy the value now: the value is not shown again.');
  });
  examples(
    create,
    'keys create --label "CRM" --scope agent --agent agent_01jd… --permissions triggers',
    'keys create --label "Shop" --scope organization --permissions channels --networks 203.0.113.0/24,2001:db8::/32',
    `keys create --label "Trial" --scope organization --permissions triggers --limits '{"total":500,"per_minute":10}'`,
    'keys create --label "November" --scope campaign --campaign campaign_01jd…',
  );
}

type CreateOptions = {
  label: string;
  scope: KeyScope;
  agent?: string;
  campaign?: string;
  permissions?: string;
  networks?: string;
  limits?: string;
  expiresAt?: string;
};

function keyInput({
  label,
  scope,
  agent,
  campaign,
  permissions,
  networks,
  limits,
  expiresAt,
}: CreateOptions): BodyOf<'createKey'> {
  if ((scope === 'agent') !== (agent !== undefined))
    throw new Failure('usage_invalid', '--agent ID belongs to --scope agent, and only to it.');
  if ((scope === 'campaign') !== (campaign !== undefined))
    throw new Failure('usage_invalid', '--campaign ID belongs to --scope campaign, and only to it.');
  const chosen = permissions ?? (scope === 'campaign' ? 'campaigns' : undefined);
  if (chosen === undefined)
    throw new Failure(
      'usage_invalid',
      'Set the permissions of the key with --permissions, e.g. --permissions triggers,channels.',
    );
  return {
    label,
    scope,
    // Unknown permissions go to the server, whose error lists the known permissions.
    permissions: listOf(chosen) as Permission[],
    ...(agent !== undefined && { agent_id: agent }),
    ...(campaign !== undefined && { campaign_id: campaign }),
    ...(networks !== undefined && { allowed_networks: listOf(networks) }),
    ...(limits !== undefined && { limits: limitsOf(limits, '--limits') }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  };
}

type KeyFilters = Pick<QueryOf<'listKeys'>, 'text' | 'scope' | 'permission' | 'state'>;

function addList(keys: Command): void {
  const list = listing(keys.command('list').description('Lists the keys, without their values.'))
    .option('--text <words>', 'only keys whose label or prefix contains this')
    .addOption(new Option('--scope <scope>', 'only keys of this scope').choices(KEY_SCOPES))
    .addOption(new Option('--permission <name>', 'only keys with this permission').choices(PERMISSIONS))
    .addOption(
      new Option('--state <state>', 'only keys in this state').choices(['active', 'revoked', 'all']).default('all'),
    );
  setAction<ListOptions & KeyFilters>(list, async ({ api, out }, _args, options) => {
    const { limit, all, ...filters } = options;
    const page = await api.list('listKeys', { limit, all }, { query: filters });
    out.list(
      { ...page, data: page.data.map(listed) },
      [
        field('id'),
        field('label'),
        field('prefix', 'Key prefix'),
        field('scope'),
        field('permissions'),
        field('state'),
        time('created_at'),
        field('remaining'),
        time('last_used_at', 'Last used', 'Never'),
      ],
      'No key yet: ./parley keys create --help',
    );
  });
  examples(list, 'keys list', 'keys list --state revoked --all --json');
}

function addRotate(keys: Command): void {
  const rotate = keys
    .command('rotate')
    .description('Creates a new key with the same permissions and revokes the old one, now or after an overlap.')
    .argument('<key-id>')
    .addOption(
      new Option('--overlap <time>', 'the time for which the old key still works')
        .choices(ROTATION_OVERLAPS)
        .default('24h'),
    )
    .option('--yes', 'do not ask before an immediate rotation');
  setAction<{ overlap: (typeof ROTATION_OVERLAPS)[number]; yes?: boolean }>(
    rotate,
    async ({ api, out }, [id], { overlap, yes }) => {
      if (overlap === 'now') await confirm(yes, `Key ${id} will be refused immediately.`);
      out.record(await api.call('rotateKey', { ids: { key_id: id! }, body: { overlap } }));
      out.hint('Copy the value now: the value is not shown again.');
    },
  );
  examples(rotate, 'keys rotate key_01jd… --overlap 1h');
}

function addRevoke(keys: Command): void {
  const revoke = keys
    .command('revoke')
    .description('Revokes a key permanently. When the response is "revoked", no server accepts the key any more.')
    .argument('<key-id>')
    .option('--yes', 'do not ask');
  setAction<{ yes?: boolean }>(revoke, async ({ api, out }, [id], { yes }) => {
    await confirm(yes, `Key ${id} will be refused by all servers, permanently.`);
    const record = listed(await api.call('revokeKey', { ids: { key_id: id! } }));
    out.record(record, () => revokedText(record));
  });
  examples(revoke, 'keys revoke key_01jd… --yes');
}

function addNetworks(keys: Command): void {
  const networks = keys
    .command('networks')
    .description(
      'Narrows the networks from which a key may be used; cannot widen them. When the command returns, all servers enforce the change.',
    )
    .argument('<key-id>')
    .requiredOption('--set <list>', 'addresses and CIDRs separated by commas, each within the current ones');
  setAction<{ set: string }>(networks, async ({ api, out }, [id], { set }) =>
    out.record(
      listed(await api.call('shortenKeyNetworks', { ids: { key_id: id! }, body: { allowed_networks: listOf(set) } })),
    ),
  );
  examples(networks, 'keys networks key_01jd… --set 203.0.113.7,203.0.113.64/26');
}

function addLimits(keys: Command): void {
  const limits = keys
    .command('limits')
    .description(
      'Lowers limits of a key. Limits cannot be raised or removed. Limits that you do not name do not change. When the command returns, all servers enforce the change.',
    )
    .argument('<key-id>')
    .requiredOption('--set <json>', `new values for any of ${KEY_LIMITS.join(', ')}`);
  setAction<{ set: string }>(limits, async ({ api, out }, [id], { set }) =>
    out.record(listed(await api.call('lowerKeyLimits', { ids: { key_id: id! }, body: limitsOf(set, '--set') }))),
  );
  examples(limits, `keys limits key_01jd… --set '{"total":100}'`);
}

/** The server checks the members and their values. */
const limitsOf = (text: string, option: string): KeyLimits => parseJsonObject(text, option);

/** Describes a row of the list without the value of the key, and with "Never" for a null date. */
function listed({ value: _secret, ...row }: Row): Row {
  return { ...row, last_used: row['last_used_at'] ?? 'Never' };
}

const revokedText = (key: Row): string =>
  key['state'] === 'revoked'
    ? `Revoked: ${String(key['id'])} is refused by all servers since ${String(key['effective_at'])}.`
    : `Revoking ${String(key['id'])}: a server has not confirmed yet. All servers refuse the key within moments. Run the command again to see.`;
