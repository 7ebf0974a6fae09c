import { type Command, Option } from 'commander';
import { CONVERSATION_VIEWS } from '../../contract/dashboard/conversations.ts';
import type { QueryOf } from '../../contract/dashboard/routes.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { transcript } from '../transcript.ts';
import { examples, setAction } from '../command-action.ts';
import { addConversationActions } from './conversation-actions.ts';

export function addConversationsCommand(program: Command): void {
  const conversations = program
    .command('conversations')
    .summary('conversations and their messages')
    .description('Conversations and their messages.');

  const say = conversations
    .command('say')
    .description("Sends a message as the end user on the sandbox channel, waits for the agent's turn and prints it.")
    .argument('<conversation-id>')
    .requiredOption('--text <text>', 'the text to send');
  setAction<{ text: string }>(say, async ({ api, out }, [id], { text }) => {
    const { messages } = await api.call('sayInConversation', { ids: { conversation_id: id! }, body: { text } });
    out.record({ messages }, () => transcript(messages));
  });
  examples(say, 'conversations say conv_01jd… --text "Where is my order?"');

  const show = conversations
    .command('show')
    .description('Shows a conversation with its newest 200 messages.')
    .argument('<conversation-id>')
    .option('--all', 'all messages');
  setAction<{ all?: boolean }>(show, async ({ api, out }, [id], { all }) => {
    const ids = { conversation_id: id! };
    const conversation = await api.call('readConversation', { ids });
    if (all && conversation.has_earlier_messages) {
      const query = { before: conversation.messages[0]!.id };
      const { data } = await api.list('listMessages', { all }, { ids, query });
      conversation.messages.unshift(...(data.toReversed() as typeof conversation.messages));
      conversation.has_earlier_messages = false;
    }
    out.record(conversation, () => transcript(conversation.messages));
  });

  const list = listing(
    conversations
      .command('list')
      .description('Lists the conversations.')
      .option('--agent <id>', 'only conversations of this agent')
      .option('--tag <tag>', 'only conversations with this tag')
      .option('--text <words>', 'only conversations with these words')
      .addOption(new Option('--view <view>', 'only conversations of this view').choices(CONVERSATION_VIEWS)),
  );
  type Filters = Pick<QueryOf<'listConversations'>, 'tag' | 'text' | 'view'> & { agent?: string };
  setAction<ListOptions & Filters>(list, async ({ api, out }, _args, { agent, tag, text, view, ...want }) =>
    out.list(
      await api.list('listConversations', want, { query: { agent_id: agent, tag, text, view } }),
      [field('id'), field('agent_id', 'Agent'), field('status'), time('created_at'), time('updated_at')],
      'No conversation yet: ./parley trigger AGENT_ID TRIGGER_ID starts one.',
    ),
  );
  addConversationActions(conversations);
}
