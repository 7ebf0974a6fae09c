import { type Command, Option } from 'commander';
import { ROTATION_OVERLAPS } from '../../contract/dashboard/keys.ts';
import type { BodyOf, QueryOf } from '../../contract/dashboard/routes.ts';
import { EVENT_DELIVERY_STATES } from '../../contract/event-types.ts';
import { Failure } from '../failure.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { confirm } from '../prompt.ts';
import { examples, setAction } from '../command-action.ts';

export function addWebhooksCommand(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .summary('endpoints that receive events, and their deliveries')
    .description('Webhook endpoints: URLs that receive events, and the deliveries to them.');
  addEndpoints(webhooks);
  addChanges(webhooks);
  addDeliveries(webhooks);
}

function addEndpoints(webhooks: Command): void {
  setAction<ListOptions>(
    listing(webhooks.command('list').description('Lists the endpoints.')),
    async ({ api, out }, _args, want) =>
      out.list(
        await api.list('listWebhooks', want),
        [field('id'), field('url', 'URL'), field('types'), field('enabled'), field('description')],
        'No endpoint yet: ./parley webhooks create --endpoint-url URL',
      ),
  );
  setAction(
    webhooks.command('show').description('Shows an endpoint.').argument('<endpoint-id>'),
    async ({ api, out }, [id]) => out.record(await api.call('readWebhook', { ids: { endpoint_id: id! } })),
  );
  const create = webhooks
    .command('create')
    .description('Adds an endpoint. Only this response contains the secret of the endpoint.')
    .requiredOption('--endpoint-url <url>', 'the address that receives the events')
    .option('--types <types>', 'only these types, separated by commas')
    .option('--description <text>', 'the purpose of the endpoint');
  setAction<{ endpointUrl: string; types?: string; description?: string }>(
    create,
    async ({ api, out }, _args, options) => {
      const { endpointUrl: url, description } = options;
      out.record(await api.call('createWebhook', { body: { url, description, types: typesOf(options.types) } }));
      out.hint('Store the secret now: the secret is not shown again.');
    },
  );
  examples(create, 'webhooks create --endpoint-url https://shop.example/events --types run.completed,run.failed');
}

function addChanges(webhooks: Command): void {
  const update = webhooks
    .command('update')
    .description('Changes, enables or disables an endpoint.')
    .argument('<endpoint-id>')
    .option('--endpoint-url <url>', 'another address')
    .option('--types <types>', 'only these types, separated by commas; "all" for every type')
    .option('--description <text>', 'the purpose of the endpoint')
    .option('--enable', 'deliver events')
    .option('--disable', 'stop deliveries');
  setAction<UpdateOptions>(update, async ({ api, out }, [id], options) =>
    out.record(await api.call('updateWebhook', { ids: { endpoint_id: id! }, body: changeOf(options) })),
  );
  examples(update, 'webhooks update whk_01jd… --disable');

  const rotate = webhooks
    .command('rotate')
    .description('Replaces the signing secret. Only this response contains the new secret.')
    .argument('<endpoint-id>')
    .addOption(
      new Option('--overlap <time>', 'the time for which the previous secret also signs')
        .choices(ROTATION_OVERLAPS)
        .default('24h'),
    )
    .option('--yes', 'do not ask');
  setAction<BodyOf<'rotateWebhookSecret'> & { yes?: boolean }>(rotate, async ({ api, out }, [id], { overlap, yes }) => {
    if (overlap === 'now') await confirm(yes, `The current secret of ${id} will stop signing immediately.`);
    out.record(await api.call('rotateWebhookSecret', { ids: { endpoint_id: id! }, body: { overlap } }));
  });

  const remove = webhooks
    .command('delete')
    .description('Deletes an endpoint with its deliveries.')
    .argument('<endpoint-id>')
    .option('--yes', 'do not ask');
  setAction<{ yes?: boolean }>(remove, async ({ api, out }, [id], { yes }) => {
    await confirm(yes, `Endpoint ${id} with its deliveries will be deleted permanently.`);
    await api.call('deleteWebhook', { ids: { endpoint_id: id! } });
    out.record({ id, deleted: true });
  });
  setAction(
    webhooks.command('test').description('Sends a test event to an endpoint.').argument('<endpoint-id>'),
    async ({ api, out }, [id]) => out.record(await api.call('testWebhook', { ids: { endpoint_id: id! } })),
  );
}

function addDeliveries(webhooks: Command): void {
  const deliveries = listing(
    webhooks
      .command('deliveries')
      .description('Lists deliveries of events.')
      .option('--endpoint <id>', 'only deliveries to this endpoint')
      .option('--type <type>', 'only deliveries of this type')
      .addOption(new Option('--state <state>', 'only deliveries in this state').choices(EVENT_DELIVERY_STATES)),
  );
  type Filters = { endpoint?: string; type?: string; state?: string };
  setAction<ListOptions & Filters>(deliveries, async ({ api, out }, _args, { endpoint, type, state, ...want }) => {
    const query = { endpoint_id: endpoint, type, state } as QueryOf<'listEventDeliveries'>;
    const columns = [field('event_id', 'Event'), field('endpoint_id', 'Endpoint'), field('type'), field('state')];
    out.list(
      await api.list('listEventDeliveries', want, { query }),
      [...columns, field('attempts'), time('created_at')],
      'No delivery.',
    );
  });
  examples(deliveries, 'webhooks deliveries --endpoint whk_01jd… --state failed');

  const one = (name: string, description: string): Command =>
    webhooks.command(name).description(description).argument('<event-id>').argument('<endpoint-id>');
  setAction(one('delivery', 'Shows a delivery with its attempts and its body.'), async ({ api, out }, args) =>
    out.record(await api.call('readEventDelivery', ids(args))),
  );
  const recover = webhooks
    .command('recover')
    .description('Sends again all events since a time that an endpoint did not accept, oldest first.')
    .argument('<endpoint-id>')
    .requiredOption('--since <time>', 'e.g. 2026-11-21T06:00:00Z');
  setAction<{ since: string }>(recover, async ({ api, out }, [id], { since }) =>
    out.record(await api.call('recoverWebhook', { ids: { endpoint_id: id! }, body: { since } })),
  );
  examples(recover, 'webhooks recover whk_01jd… --since 2026-11-21T06:00:00Z');
  setAction(one('resend', 'Sends an event to an endpoint again.'), async ({ api, out }, args) =>
    out.record(await api.call('resendEventDelivery', ids(args))),
  );
}

const ids = (args: string[]) => ({ ids: { event_id: args[0]!, endpoint_id: args[1]! } });

type UpdateOptions = {
  endpointUrl?: string;
  types?: string;
  description?: string;
  enable?: boolean;
  disable?: boolean;
};

function changeOf({ endpointUrl: url, types, description, enable, disable }: UpdateOptions): BodyOf<'updateWebhook'> {
  if (enable && disable) throw new Failure('usage_invalid', 'Use either --enable or --disable.');
  const change = {
    ...(url !== undefined && { url }),
    ...(types !== undefined && { types: types === 'all' ? [] : typesOf(types)! }),
    ...(description !== undefined && { description }),
    ...((enable || disable) && { enabled: enable === true }),
  };
  if (Object.keys(change).length > 0) return change;
  throw new Failure(
    'usage_invalid',
    'Nothing to change: use --endpoint-url, --types, --description, --enable or --disable.',
  );
}

type Types = BodyOf<'createWebhook'>['types'];
/** The server validates the names of the events. */
const typesOf = (text: string | undefined): Types => text?.split(',').map((type) => type.trim()) as Types;
