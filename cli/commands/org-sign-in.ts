import { type Command, Option } from 'commander';
import { JOIN_ROLES, type SetSignInProviderBody } from '../../contract/dashboard/sign-in-provider.ts';
import { Failure } from '../failure.ts';
import { readSecret } from '../read-input.ts';
import { field, time } from '../listing.ts';
import { confirm } from '../prompt.ts';
import { examples, setAction } from '../command-action.ts';

type SetOptions = {
  issuer?: string;
  clientId?: string;
  clientSecretStdin?: boolean;
  defaultRole?: SetSignInProviderBody['default_role'];
  enable?: boolean;
  disable?: boolean;
};

/** Adds the commands `orgs sign-in …` and `orgs domains …` for an organization's own identity provider. */
export function addOrgSignInCommands(orgs: Command): void {
  const signIn = orgs
    .command('sign-in')
    .description('The OpenID provider that people of the organization sign in with.');
  const show = signIn.command('show').description('Shows the provider, its callback URL and the domains.');
  setAction(show, async ({ api, out }) => {
    out.record(await api.call('readSignInSettings'));
  });

  const set = signIn
    .command('set')
    .description('Sets the provider. Omitted settings stay. A new issuer needs its own client id and secret.')
    .option('--issuer <url>', 'the issuer URL of the provider')
    .option('--client-id <id>', 'the client ID from the provider')
    .option('--client-secret-stdin', 'read the client secret from standard input')
    .addOption(new Option('--default-role <role>', 'for people who sign in for the first time').choices(JOIN_ROLES))
    .option('--enable', 'enable the provider')
    .option('--disable', 'disable the provider; ends the sessions that it opened');
  setAction<SetOptions>(set, async ({ api, out }, _args, options) => {
    if (options.enable && options.disable) throw new Failure('usage_invalid', 'Use either --enable or --disable.');
    const body: SetSignInProviderBody = {
      issuer: options.issuer,
      client_id: options.clientId,
      client_secret: options.clientSecretStdin ? await readSecret('client secret') : undefined,
      default_role: options.defaultRole,
      enabled: options.enable ? true : options.disable ? false : undefined,
    };
    if (Object.values(body).every((value) => value === undefined))
      throw new Failure('usage_invalid', 'Nothing to set: see ./parley orgs sign-in set --help');
    out.record(await api.call('setSignInProvider', { body }));
  });
  examples(
    set,
    'orgs sign-in set --issuer https://id.example.com --client-id parley --client-secret-stdin < secret.txt',
    'orgs sign-in set --disable',
  );

  const test = signIn
    .command('test')
    .description('Reads the discovery document of a provider and stores nothing.')
    .argument('<issuer>', 'the issuer URL of the provider');
  setAction(test, async ({ api, out }, [issuer]) => {
    out.record(await api.call('checkSignInProvider', { body: { issuer: issuer! } }));
  });

  const remove = signIn
    .command('remove')
    .description('Removes the provider and its secret, and ends the sessions that the provider opened.')
    .option('--yes', 'do not ask');
  setAction<{ yes?: boolean }>(remove, async ({ api, out }, _args, { yes }) => {
    await confirm(yes, 'People will no longer sign in with the provider of the organization.');
    await api.call('removeSignInProvider');
    out.record({ deleted: true });
  });

  addDomains(orgs);
}

function addDomains(orgs: Command): void {
  const domains = orgs
    .command('domains')
    .description('People with addresses of these e-mail domains sign in with the provider.');

  const list = domains.command('list').description('Lists the domains with the TXT record that verifies each.');
  setAction(list, async ({ api, out }) => {
    const settings = await api.call('readSignInSettings');
    const data = settings.domains.map(({ record, ...domain }) => ({
      ...domain,
      name: record.name,
      value: record.value,
    }));
    out.list(
      { data, next_cursor: null },
      [field('domain'), field('proven_by'), time('proven_at'), field('name', 'TXT record'), field('value')],
      'No domain yet: ./parley orgs domains add DOMAIN',
    );
  });

  const add = domains
    .command('add')
    .description('Adds a domain and shows the TXT record that verifies it.')
    .argument('<domain>', 'such as example.com');
  setAction(add, async ({ api, out }, [domain]) => {
    out.record(await api.call('addSignInDomain', { body: { domain: domain! } }));
  });

  const verify = domains
    .command('verify')
    .description('Verifies the TXT record of a domain.')
    .argument('<domain>', 'an added domain');
  setAction(verify, async ({ api, out }, [domain]) => {
    out.record(await api.call('verifySignInDomain', { ids: { domain: domain! } }));
  });

  const confirmOne = domains
    .command('confirm')
    .description(
      'Confirms a domain without its DNS record. Only the operator of the installation may use this command.',
    )
    .argument('<org-id>', 'the organization that added it')
    .argument('<domain>', 'an added domain');
  setAction(confirmOne, async ({ api, out }, [orgId, domain]) => {
    out.record(await api.call('confirmSignInDomain', { ids: { org_id: orgId!, domain: domain! } }));
  });

  const remove = domains
    .command('remove')
    .description('Removes a domain, and ends the sessions that the provider opened.')
    .argument('<domain>', 'an added domain')
    .option('--yes', 'do not ask');
  setAction<{ yes?: boolean }>(remove, async ({ api, out }, [domain], { yes }) => {
    await confirm(yes, `People with an address at ${domain} will no longer sign in with the provider.`);
    await api.call('removeSignInDomain', { ids: { domain: domain! } });
    out.record({ domain, deleted: true });
  });
}
