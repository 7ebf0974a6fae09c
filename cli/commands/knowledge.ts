import { basename } from 'node:path';
import type { Command } from 'commander';
import { readText } from '../input.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { confirm } from '../prompt.ts';
import { examples, verb } from '../verb.ts';

export function addKnowledgeCommand(program: Command): void {
  const knowledge = program
    .command('knowledge')
    .summary("an agent's documents")
    .description('The documents that an agent answers from and quotes.');

  const add = knowledge
    .command('add')
    .description('Gives an agent a document in Markdown or plain text.')
    .requiredOption('--agent <id>', 'the agent')
    .requiredOption('--file <file>', 'the document; "-" is standard input')
    .option('--name <name>', 'its name in quotations (default: the file name)');
  verb<{ agent: string; file: string; name?: string }>(add, async ({ api, out }, _args, { agent, file, name }) => {
    const text = await readText(file);
    const document = { name: name ?? (file === '-' ? 'document.md' : basename(file)), text };
    out.record(await api.call('createDocument', { ids: { agent_id: agent }, body: document }));
  });
  examples(add, 'knowledge add --agent agent_01jd… --file returns.md');

  const list = listing(
    knowledge.command('list').description("Lists an agent's documents.").requiredOption('--agent <id>', 'the agent'),
  );
  verb<ListOptions & { agent: string }>(list, async ({ api, out }, _args, { agent, ...want }) =>
    out.list(
      await api.list('listDocuments', want, { ids: { agent_id: agent } }),
      [field('id'), field('name'), field('bytes'), time('created_at'), time('updated_at')],
      'No document yet: ./parley knowledge add --agent ID --file FILE',
    ),
  );

  const remove = knowledge
    .command('remove')
    .description('Takes a document away from an agent.')
    .argument('<document-id>')
    .requiredOption('--agent <id>', 'the agent')
    .option('--yes', 'do not ask');
  verb<{ agent: string; yes?: boolean }>(remove, async ({ api, out }, [id], { agent, yes }) => {
    await confirm(yes, `Document ${id} will be deleted for good.`);
    await api.call('deleteDocument', { ids: { agent_id: agent, document_id: id! } });
    out.record({ id, deleted: true });
  });
}
