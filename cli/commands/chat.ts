import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { BodyOf } from '../../contract/dashboard/routes.ts';
import { Failure } from '../failure.ts';
import { onTerminal } from '../prompt.ts';
import { transcript } from '../transcript.ts';
import { type Cli, examples, setAction } from '../command-action.ts';

/**
 * Adds a chat with an agent on a terminal. With a trigger, the chat is a stored conversation. Without a channel, the
 * command tests the draft, and the server stores nothing.
 */
export function addChatCommand(program: Command): void {
  const chat = program
    .command('chat')
    .summary('talk to an agent')
    .description(
      'Talks to an agent on this terminal. Without --trigger, the command tries out the draft of the agent and stores nothing. With --trigger, the command starts a real conversation on the sandbox channel. An empty line or Ctrl-D ends the chat.',
    )
    .requiredOption('--agent <id>', 'the agent to talk to')
    .option('--trigger <id>', 'start a stored conversation through this trigger')
    .option('--locale <tag>', 'language of the person, e.g. ar; without --trigger');
  setAction<{ agent: string; trigger?: string; locale?: string }>(
    chat,
    async (cli, _args, { agent, trigger, locale }) => {
      if (!onTerminal() || cli.out.json) {
        throw new Failure('terminal_required', 'chat needs a terminal; scripts use "trigger" and "conversations say".');
      }
      await talk(cli, trigger === undefined ? draftTalk(cli, agent, locale) : await storedTalk(cli, trigger));
    },
  );
  examples(chat, 'chat --agent agent_01jd…', 'chat --agent agent_01jd… --trigger trigger_01jd…');
}

type Said = Parameters<typeof transcript>[0];
/** One turn of the agent. The parameter `text` is null if the agent writes first. */
type Turn = (text: string | null) => Promise<{ messages: Said; over: string | null }>;

async function talk({ out }: Cli, turn: Turn): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new Promise<null>((resolve) => lines.once('close', () => resolve(null)));
  try {
    for (let text: string | null = null; ;) {
      const { messages, over } = await turn(text);
      if (messages.length > 0) process.stdout.write(`${transcript(messages)}\n`);
      else out.hint('(The agent says nothing.)');
      if (over !== null) return out.hint(over);
      text = await Promise.race([lines.question('You: '), ended]);
      if (text === null || text.trim() === '') return;
    }
  } finally {
    lines.close();
  }
}

const MAX_REMEMBERED = 100;

/** Stores the messages and the agent's state in this process, because the server stores nothing of a draft. */
function draftTalk({ api }: Cli, agent: string, locale: string | undefined): Turn {
  const history: NonNullable<BodyOf<'tryAgent'>['messages']> = [];
  let state: unknown;
  return async (text) => {
    if (text !== null) history.push({ role: 'end_user', text });
    const body = { messages: history.slice(-MAX_REMEMBERED), ...(state !== undefined && { state }), locale };
    const turn = await api.call('tryAgent', { ids: { agent_id: agent }, body });
    state = turn.state;
    for (const { content } of turn.messages) {
      if ('text' in content && content.text) history.push({ role: 'agent', text: content.text });
    }
    const messages = turn.messages.map((message) => ({ role: 'agent', ...message }));
    return { messages, over: turn.next === 'waiting_for_user' ? null : endings[turn.next] };
  };
}

const endings = {
  handed_off: 'The agent hands over to people.',
  completed: 'The conversation is complete.',
};

const OPENING_SECONDS = 25;

async function storedTalk({ api }: Cli, trigger: string): Promise<Turn> {
  const run = await api.call('testTrigger', { ids: { trigger_id: trigger }, body: {} });
  if (!('conversation_id' in run)) throw new Error('The server returned a dry run that was not requested.');
  const ids = { conversation_id: run.conversation_id };
  return async (text) => {
    if (text !== null) {
      return { messages: (await api.call('sayInConversation', { ids, body: { text } })).messages, over: null };
    }
    for (const until = performance.now() + OPENING_SECONDS * 1000; ;) {
      const { messages } = await api.call('readConversation', { ids });
      if (messages.length > 0 || performance.now() > until) return { messages, over: null };
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  };
}
