import { setTimeout as pause } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import {
  MAX_PAGES_PER_SOURCE,
  PAGE_STATES,
  type PageState,
  SOURCE_KINDS,
  SOURCE_SCHEDULES,
  type SourceRecord,
} from '../../contract/dashboard/document-sources.ts';
import type { Row } from '../api.ts';
import { Failure } from '../failure.ts';
import { wholeNumber } from '../read-input.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { confirm } from '../prompt.ts';
import type { Column } from '../table.ts';
import { type Cli, examples, setAction } from '../command-action.ts';

const LOOK_AGAIN_MS = 1_000;

type Change = { schedule?: SourceRecord['schedule']; maxPages?: number };
type Waiting = { agent: string; wait?: boolean };

export function addSitesCommand(program: Command): void {
  const sites = program
    .command('sites')
    .summary('pages and sites as documents of an agent')
    .description('Pages, sitemaps and sites that Parley reads as documents of an agent, once or on a schedule.');
  addAdd(sites);
  addUpdate(sites);
  addSync(sites);

  const list = listing(ofAgent(sites.command('list').description('Lists the sites of an agent and their last sync.')));
  setAction<ListOptions & { agent: string }>(list, async ({ api, out }, _args, { agent, ...want }) =>
    out.list(
      await api.list('listSources', want, { ids: { agent_id: agent } }),
      [field('id'), field('url'), field('kind'), field('state'), pagesColumn, time('finished_at')],
      'No site yet: ./parley sites add URL --agent ID',
    ),
  );

  const pages = listing(ofAgent(sites.command('pages').description('Lists the pages of a site, with their faults.')))
    .argument('<site-id>')
    .addOption(new Option('--state <state>', 'only pages in this state').choices(PAGE_STATES));
  setAction<ListOptions & { agent: string; state?: PageState }>(
    pages,
    async ({ api, out }, [id], { agent, state, ...want }) =>
      out.list(
        await api.list('listSourcePages', want, { ids: idsOf(agent, id), query: { ...(state && { state }) } }),
        [
          field('url'),
          field('state'),
          { title: 'Fault', of: ({ fault }) => (fault as Fault)?.code ?? '' },
          time('fetched_at'),
        ],
        'No page of this site is in this state.',
      ),
  );

  const stop = ofAgent(
    sites.command('stop').description('Stops a sync. Pages that were already read stay.').argument('<site-id>'),
  );
  setAction<{ agent: string }>(stop, async ({ api, out }, [id], { agent }) =>
    out.record(await api.call('cancelSync', { ids: idsOf(agent, id) })),
  );

  const remove = ofAgent(
    sites.command('remove').description('Removes a site and its documents.').argument('<site-id>'),
  );
  remove.option('--yes', 'do not ask');
  setAction<{ agent: string; yes?: boolean }>(remove, async ({ api, out }, [id], { agent, yes }) => {
    await confirm(yes, `The site ${id} and its documents will be removed.`);
    await api.call('deleteSource', { ids: idsOf(agent, id) });
    out.record({ id, deleted: true });
  });
}

function addAdd(sites: Command): void {
  const add = withChange(
    ofAgent(
      sites
        .command('add')
        .description('Adds a page, a sitemap or a site and reads it at once.')
        .argument('<url>')
        .addOption(new Option('--kind <kind>', 'what to read').choices(SOURCE_KINDS).default('site')),
    ),
  ).option('--wait', 'wait until the site is read');
  setAction<Waiting & Change & { kind: SourceRecord['kind'] }>(
    add,
    async (cli, [url], { agent, kind, wait, ...change }) => {
      const body = { url: url!, kind, ...bodyOf(change) };
      const made = await cli.api.call('createSource', { ids: { agent_id: agent }, body });
      cli.out.record(wait ? await untilRead(cli, agent, made) : made);
    },
  );
  examples(add, 'sites add https://example.com/help/ --agent agent_01jd… --schedule weekly --wait');
}

function addUpdate(sites: Command): void {
  const update = withChange(
    ofAgent(sites.command('update').description('Changes how often a site is read, and its page limit.')),
  ).argument('<site-id>');
  setAction<Change & { agent: string }>(update, async ({ api, out }, [id], { agent, ...change }) => {
    const body = bodyOf(change);
    if (Object.keys(body).length === 0)
      throw new Failure('usage_invalid', 'Nothing to change: use --schedule or --max-pages.');
    out.record(await api.call('updateSource', { ids: idsOf(agent, id), body }));
  });
}

function addSync(sites: Command): void {
  const sync = ofAgent(sites.command('sync').description('Reads a site again now.').argument('<site-id>')).option(
    '--wait',
    'wait until the site is read',
  );
  setAction<Waiting>(sync, async (cli, [id], { agent, wait }) => {
    const started = await cli.api.call('syncSource', { ids: idsOf(agent, id) });
    cli.out.record(wait ? await untilRead(cli, agent, started) : started);
  });
}

const ofAgent = (command: Command): Command => command.requiredOption('--agent <id>', 'the agent');

const withChange = (command: Command): Command =>
  command
    .addOption(new Option('--schedule <when>', 'when to read the site again').choices(SOURCE_SCHEDULES))
    .option(
      '--max-pages <number>',
      `the maximum number of pages, up to ${MAX_PAGES_PER_SOURCE}`,
      wholeNumber('--max-pages', 1, MAX_PAGES_PER_SOURCE),
    );

const bodyOf = ({ schedule, maxPages }: Change) => ({
  ...(schedule && { schedule }),
  ...(maxPages !== undefined && { max_pages: maxPages }),
});

const idsOf = (agent: string, id: string | undefined) => ({ agent_id: agent, source_id: id! });

type Fault = { code: string; detail: string } | null;
const pagesColumn: Column<Row> = {
  title: 'Pages',
  of: ({ pages }: Row) => `${(pages as SourceRecord['pages']).read} of ${(pages as SourceRecord['pages']).known}`,
};

/** If the import of a site fails, the command fails with the reason. Single failed pages do not fail the command. */
async function untilRead({ api, out }: Cli, agent: string, started: SourceRecord): Promise<SourceRecord> {
  for (;;) {
    const site = await api.call('readSource', { ids: idsOf(agent, started.id) });
    if (site.state === 'failed') throw new Failure('sync_failed', site.fault?.detail ?? 'The site could not be read.');
    if (site.state !== 'queued' && site.state !== 'running') return site;
    out.progress(`${site.pages.done} of ${site.pages.known} pages`);
    await pause(LOOK_AGAIN_MS);
  }
}
