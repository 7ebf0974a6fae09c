import type { Command } from 'commander';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { examples, setAction } from '../command-action.ts';

/** Adds the commands `agents versions` and `agents restore`. */
export function addAgentVersions(agents: Command): void {
  const versions = listing(
    agents
      .command('versions')
      .description('Lists the published versions of an agent; as JSON, with their definitions.')
      .argument('<agent-id>'),
  );
  setAction<ListOptions>(versions, async ({ api, out }, [id], want) =>
    out.list(
      await api.list('listAgentVersions', want, { ids: { agent_id: id! } }),
      [field('version'), field('published_by'), time('created_at', 'Published')],
      'No version yet: ./parley agents publish AGENT_ID',
    ),
  );
  const restore = agents
    .command('restore')
    .description('Publishes an earlier version of an agent again, as its next version.')
    .argument('<agent-id>')
    .argument('<version>', 'the number of a version')
    .option(
      '--without-tests <reason>',
      'publish although required tests have not passed; the audit log has the reason',
    );
  setAction<{ withoutTests?: string }>(restore, async ({ api, out }, [id, version], { withoutTests }) =>
    out.record(
      await api.call('restoreAgentVersion', {
        ids: { agent_id: id!, version: version! },
        ...(withoutTests !== undefined && { body: { without_tests: withoutTests } }),
      }),
    ),
  );
  examples(restore, 'agents versions agent_01jd…', 'agents restore agent_01jd… 3');
}
