import { ActionIcon, SegmentedControl, Text, Textarea } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useRef, useState, type FormEvent, type KeyboardEvent, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import type { ConversationRecord } from '../../../../contract/dashboard/conversations.ts';
import { MAX_MESSAGE_CHARACTERS, MAX_NOTE_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useWords } from '../../language/words.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { useShortcuts } from '../../parts/use-shortcuts.ts';
import { useKeptText } from '../../parts/use-kept-text.ts';
import { READ_AGAIN } from './search.ts';
import { words } from './words.ts';
import classes from './conversations.module.css';

type Side = 'member' | 'end_user' | 'note';

/** Answers as a person; on the sandbox, also speaks for the other side. */
export function Composer({ item }: { item: ConversationRecord }): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  const { role } = useOrganization();
  if (useMay('member')) return <ReplyForm item={item} />;
  return (
    <Text size="sm" c="dimmed" className={classes.composer}>
      {say('viewer', { role: sayCommon(`role_${role}`) })}
    </Text>
  );
}

function ReplyForm({ item }: { item: ConversationRecord }): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const sandbox = item.channel_kind === 'sandbox';
  const silent = item.status === 'handed_off';
  // A choice holds until the conversation changes hands: then it starts where one most likely goes on.
  const [picked, setPicked] = useState<{ side: Side; status: string } | null>(null);
  const likely: Side = sandbox && !silent ? 'end_user' : 'member';
  // Who writes a note goes on with it in any state: half a note must never stand in the field of the reply.
  const side = picked && (picked.side === 'note' || picked.status === item.status) ? picked.side : likely;
  const kept = { said: useKeptText(`parley.reply.${item.id}`), note: useKeptText(`parley.note.${item.id}`) };
  const [text, setText] = side === 'note' ? kept.note : kept.said;
  const field = useRef<HTMLTextAreaElement>(null);
  const speak = useAct('sayInConversation', { refresh: READ_AGAIN });
  const reply = useAct('replyInConversation', { refresh: READ_AGAIN });
  const note = useAct('addNote', { refresh: ['readConversation'] });
  const act = { end_user: speak, member: reply, note }[side];
  const send = (event: FormEvent | KeyboardEvent): void => {
    event.preventDefault();
    const entered = text.trim();
    if (entered === '' || act.isPending) return;
    speak.reset();
    reply.reset();
    note.reset();
    setText('');
    act.mutate(
      { params: { org_id, conversation_id: item.id }, body: { text: entered } },
      // What was not accepted goes back into the field, unless something new stands there.
      { onError: () => setText((now) => (now === '' ? entered : now)), onSettled: () => field.current?.focus() },
    );
  };
  const startAs = (next: Side): void => {
    flushSync(() => setPicked({ side: next, status: item.status }));
    field.current?.focus();
  };
  useShortcuts([
    { key: 'r', label: say('key_reply'), act: () => startAs('member') },
    { key: 'n', label: say('key_note'), act: () => startAs('note') },
  ]);
  const unanswered = speak.data?.messages.length === 0 && !silent && speak.submittedAt > Date.now() - 60_000;
  return (
    <form className={classes.composer} data-side={side} onSubmit={send}>
      {act.error && <ProblemAlert problem={act.error} />}
      <div role="status" className={classes.composing}>
        {!speak.isPending && unanswered && side === 'end_user' ? say('no_answer') : ''}
      </div>
      <SideChoice
        side={side}
        sandbox={sandbox}
        silent={silent}
        onPick={(next) => setPicked({ side: next, status: item.status })}
      />
      <div className={classes.composerRow}>
        <Textarea
          ref={field}
          aria-label={say(`placeholder_${side}`)}
          placeholder={say(`placeholder_${side}`)}
          value={text}
          dir="auto"
          autosize
          minRows={1}
          maxRows={7}
          maxLength={side === 'note' ? MAX_NOTE_CHARACTERS : MAX_MESSAGE_CHARACTERS}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            // Enter while an input method composes a word belongs to that word.
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) send(event);
          }}
        />
        <ActionIcon
          type="submit"
          size={36}
          aria-label={say(side === 'note' ? 'save_note' : 'send')}
          loading={act.isPending}
        >
          <IconSend size={18} className="mirror" />
        </ActionIcon>
      </div>
    </form>
  );
}

type SideProps = { side: Side; sandbox: boolean; silent: boolean; onPick: (side: Side) => void };

/** Who writes, and what the next message does. */
function SideChoice({ side, sandbox, silent, onPick }: SideProps): ReactNode {
  const say = useWords(words);
  return (
    <div className={classes.composerTop}>
      <SegmentedControl
        size="xs"
        aria-label={say('speak_as')}
        value={side}
        onChange={(value) => onPick(value)}
        data={[
          ...(sandbox ? [{ value: 'end_user' as const, label: say('as_end_user') }] : []),
          { value: 'member' as const, label: say(sandbox ? 'as_member' : 'as_reply') },
          { value: 'note' as const, label: say('as_note') },
        ]}
      />
      <Text size="xs" c="dimmed" flex="1 1 180px">
        {say(HINTS[side][silent ? 'silent' : 'speaking'])}
      </Text>
    </div>
  );
}

/** What the next message does: by who writes it, and whether the agent is silent because a person has taken over. */
const HINTS = {
  end_user: { silent: 'hint_silent', speaking: 'hint_end_user' },
  member: { silent: 'keys_hint', speaking: 'hint_take_over' },
  note: { silent: 'hint_note', speaking: 'hint_note' },
} as const;
