import type { Command } from 'commander';
import { field, time } from '../listing.ts';
import { examples, setAction } from '../command-action.ts';

export function addQuestionsCommand(program: Command): void {
  const questions = program
    .command('questions')
    .summary('questions that agents could not answer')
    .description('Unanswered questions of the last 30 days, by topic.');
  const list = questions
    .command('list')
    .description('Lists the topics, the most frequent first.')
    .option('--agent <id>', 'only questions of this agent');
  setAction<{ agent?: string }>(list, async ({ api, out }, _args, { agent }) => {
    const found = await (agent === undefined
      ? api.call('listAllMissedQuestions')
      : api.call('listMissedQuestions', { ids: { agent_id: agent } }));
    const columns = [field('count'), field('question'), field('agent_id', 'Agent'), time('last_at', 'Last')];
    out.list({ data: found.data, next_cursor: null }, columns, 'No unanswered question.');
    if (found.has_more) out.hint('Only the newest 500 answers were examined.');
  });
  examples(list, 'questions list --agent agent_01jd…');
  const settle = questions
    .command('settle')
    .description('Removes a topic from the list. "questions list --json" shows the "message_ids" of each topic.')
    .argument('<agent-id>')
    .argument('<message-ids...>');
  setAction(settle, async ({ api, out }, [agent, ids]) => {
    const body = { message_ids: ids as unknown as string[] };
    out.record(await api.call('settleMissedQuestions', { ids: { agent_id: agent! }, body }));
  });
}
