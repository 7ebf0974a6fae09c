import type { Command } from 'commander';
import { Failure } from '../failure.ts';
import { readText } from '../read-input.ts';
import { examples, type Cli, setAction } from '../command-action.ts';
import { transcript } from '../transcript.ts';

/** Adds the actions of members on a conversation. */
export function addConversationActions(conversations: Command): void {
  const one = (name: string, description: string): Command =>
    conversations.command(name).description(description).argument('<conversation-id>');

  const reply = one('reply', 'Replies to the person as a member.')
    .option('--text <text>', 'the text to send')
    .option('--file <file>', 'a file with the text; "-" is standard input');
  setAction<{ text?: string; file?: string }>(reply, async ({ api, out }, [id], options) => {
    const message = await api.call('replyInConversation', { ids: ids(id), body: { text: await textOf(options) } });
    out.record(message, () => transcript([message]));
  });
  examples(reply, 'conversations reply conv_01jd… --text "Your order leaves today."');

  const note = one('note', 'Writes a note that only members see.')
    .option('--text <text>', 'the note')
    .option('--file <file>', 'a file with the note; "-" is standard input');
  setAction<{ text?: string; file?: string }>(note, async ({ api, out }, [id], options) =>
    out.record(await api.call('addNote', { ids: ids(id), body: { text: await textOf(options) } })),
  );
  setAction(
    one('delete-note', 'Deletes a note of your own.').argument('<note-id>'),
    async ({ api, out }, [id, noteId]) => {
      await api.call('deleteNote', { ids: { ...ids(id), note_id: noteId! } });
      out.record({ id: noteId, deleted: true });
    },
  );

  setAction(one('take-over', 'Takes the conversation over from the agent.'), async ({ api, out }, [id]) =>
    out.record(await api.call('takeOverConversation', { ids: ids(id) })),
  );
  setAction(one('hand-back', 'Hands the conversation back to the agent.'), async ({ api, out }, [id]) =>
    out.record(await api.call('handBackConversation', { ids: ids(id) })),
  );
  setAction(one('resolve', 'Resolves the conversation.'), async ({ api, out }, [id]) =>
    out.record(await api.call('resolveConversation', { ids: ids(id) })),
  );
  addPlacing(one);
}

const ids = (id: string | undefined) => ({ conversation_id: id! });

function addPlacing(one: (name: string, description: string) => Command): void {
  const assign = one('assign', 'Assigns the conversation to a member, or to no one.').argument(
    '<user-id>',
    'the user of "members list", "me", or "nobody"',
  );
  setAction(assign, async (cli, [id, user]) => {
    const body = { user_id: await userOf(cli, user!) };
    cli.out.record(await cli.api.call('assignConversation', { ids: ids(id), body }));
  });
  examples(assign, 'conversations assign conv_01jd… me', 'conversations assign conv_01jd… nobody');

  const snooze = one('snooze', 'Snoozes the conversation, or ends the snooze.').argument(
    '<until>',
    'a time such as 2026-12-01T09:00:00Z, or "off"',
  );
  setAction(snooze, async ({ api, out }, [id, until]) => {
    const body = { until: until === 'off' ? null : until! };
    out.record(await api.call('snoozeConversation', { ids: ids(id), body }));
  });

  const tags = one('tags', 'Replaces the tags of the conversation.').argument(
    '[tags...]',
    'all tags of the conversation; without tags, all are removed',
  );
  setAction(tags, async ({ api, out }, [id, wanted]) =>
    out.record(
      await api.call('setConversationTags', { ids: ids(id), body: { tags: (wanted ?? []) as unknown as string[] } }),
    ),
  );
  examples(tags, 'conversations tags conv_01jd… vip refund');
}

async function textOf({ text, file }: { text?: string; file?: string }): Promise<string> {
  if ((text === undefined) === (file === undefined)) throw new Failure('usage_invalid', 'Use either --text or --file.');
  return text ?? (await readText(file!)).trimEnd();
}

async function userOf({ api }: Cli, user: string): Promise<string | null> {
  if (user === 'nobody') return null;
  return user === 'me' ? (await api.call('readSession')).user.id : user;
}
