import { basename } from 'node:path';
import type { Command } from 'commander';
import { readBytes } from '../read-input.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { confirm } from '../prompt.ts';
import { examples, setAction } from '../command-action.ts';

export function addKnowledgeCommand(program: Command): void {
  const knowledge = program
    .command('knowledge')
    .summary("an agent's documents")
    .description('The documents of an agent, which its answers quote.');

  const add = knowledge
    .command('add')
    .description('Adds a file to an agent: PDF, Word (.docx), HTML, Markdown, CSV or plain text.')
    .requiredOption('--agent <id>', 'the agent')
    .requiredOption('--file <file>', 'the document; "-" is standard input')
    .option('--name <name>', 'the name shown as source (default: the file name, or document.md for standard input)');
  setAction<{ agent: string; file: string; name?: string }>(add, async ({ api, out }, _args, { agent, file, name }) => {
    const body = await readBytes(file);
    const query = { name: name ?? (file === '-' ? 'document.md' : basename(file)) };
    const made = await api.call('uploadDocument', { ids: { agent_id: agent }, query, body });
    const use = await api.call('readKnowledgeUse', { ids: { agent_id: agent } });
    out.record({ ...made, agent_used: shareOf(use.agent), organization_used: shareOf(use.organization) });
  });
  examples(add, 'knowledge add --agent agent_01jd… --file returns.md');

  const list = listing(
    knowledge.command('list').description("Lists an agent's documents.").requiredOption('--agent <id>', 'the agent'),
  );
  setAction<ListOptions & { agent: string }>(list, async ({ api, out }, _args, { agent, ...want }) =>
    out.list(
      await api.list('listDocuments', want, { ids: { agent_id: agent } }),
      [field('id'), field('name'), field('bytes'), time('created_at'), time('updated_at')],
      'No document yet: ./parley knowledge add --agent ID --file FILE',
    ),
  );

  const use = knowledge
    .command('use')
    .description('Shows how much of its document limit an agent uses.')
    .requiredOption('--agent <id>', 'the agent');
  setAction<{ agent: string }>(use, async ({ api, out }, _args, { agent }) =>
    out.record(await api.call('readKnowledgeUse', { ids: { agent_id: agent } })),
  );

  const embeddings = knowledge
    .command('embeddings')
    .description("Shows how many passages of an agent's documents have embeddings.")
    .requiredOption('--agent <id>', 'the agent')
    .option('--retry', 'retry the failed passages now');
  setAction<{ agent: string; retry?: boolean }>(embeddings, async ({ api, out }, _args, { agent, retry }) =>
    out.record(await api.call(retry ? 'retryEmbeddings' : 'readEmbeddings', { ids: { agent_id: agent } })),
  );

  const remove = knowledge
    .command('remove')
    .description('Removes a document from an agent.')
    .argument('<document-id>')
    .requiredOption('--agent <id>', 'the agent')
    .option('--yes', 'do not ask');
  setAction<{ agent: string; yes?: boolean }>(remove, async ({ api, out }, [id], { agent, yes }) => {
    await confirm(yes, `Document ${id} will be deleted permanently.`);
    await api.call('deleteDocument', { ids: { agent_id: agent, document_id: id! } });
    out.record({ id, deleted: true });
  });
}

/** Prints a size such as "2.1 of 20 MB". */
const shareOf = ({ bytes, max_bytes: most }: { bytes: number; max_bytes: number }): string =>
  `${Math.round(bytes / 104_857.6) / 10} of ${Math.round(most / 1_048_576)} MB`;
