import { ActionIcon, SegmentedControl, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import {
  useRef,
  useState,
  type ClipboardEvent,
  type DragEvent,
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import { flushSync } from 'react-dom';
import type { ConversationRecord, PresentMember } from '../../../../contract/dashboard/conversations.ts';
import { useAct } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { usePersonName } from '../../parts/end-users/person-name.ts';
import { notifyDone, notifyFailed } from '../../parts/notify.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useMay, useOrganization, useSession } from '../../session/session.ts';
import { useIsHere } from '../../parts/use-is-here.ts';
import { useShortcuts } from '../../parts/use-shortcuts.ts';
import { useDraftText } from '../../parts/use-draft-text.ts';
import { useMemberNames } from '../../parts/use-record-names.ts';
import { answerTexts } from './answer-texts.ts';
import { AttachButton, ChosenFiles } from './chosen-files.tsx';
import { missingValues, selectMissing, shortcutAtEnd } from './missing-values.ts';
import type { Side } from './side.ts';
import { ReplyField } from './reply-field.tsx';
import { AlsoReplying, HeldReply, SendAsIs } from './reply-notices.tsx';
import { DraftLine, HelpButtons, useReplyHelp } from './reply-help.tsx';
import { ReplyActionsLine, useReplyActions } from './reply-actions.tsx';
import { READ_AGAIN } from './search.ts';
import { TemplateReply } from './template-reply.tsx';
import { namedIn, useNamable } from './use-mentions.ts';
import { useChosenFiles } from './use-chosen-files.ts';
import { useDelayedReply } from './use-delayed-reply.ts';
import { useTyping } from './use-presence.ts';
import { texts } from './texts.ts';
import classes from './conversations.module.css';

type Props = { item: ConversationRecord; others: readonly PresentMember[] };

/** The field for replies and notes. On the sandbox, the field can also write as the end user. */
export function Composer({ item, others }: Props): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const { role } = useOrganization();
  if (useMay('member')) return <ReplyForm item={item} others={others} />;
  return (
    <Text size="sm" c="dimmed" className={classes.composer}>
      {say('viewer', { role: sayCommon(`role_${role}`) })}
    </Text>
  );
}

function ReplyForm({ item, others }: Props): ReactNode {
  const say = useTexts(texts);
  const sayAnswer = useTexts(answerTexts);
  const sandbox = item.channel_kind === 'sandbox';
  const silent = item.status === 'handed_off';
  const drafts = { reply: useDraftText(`parley.reply.${item.id}`), note: useDraftText(`parley.note.${item.id}`) };
  const { side, pick } = useSide(item, drafts.reply[0] !== '');
  const [text, setText] = side === 'note' ? drafts.note : drafts.reply;
  const field = useRef<HTMLTextAreaElement>(null);
  const startAs = (next: Side): void => {
    flushSync(() => pick(next));
    field.current?.focus();
  };
  const chosen = useChosenFiles(item);
  const chosenActions = useReplyActions(item.id);
  const sending = { item, side, text, setText, setReply: drafts.reply[1], field, chosen, chosenActions };
  const { act, delayed, send, left, unanswered } = useSend(sending);
  const help = useReplyHelp(item.id, drafts.reply[1]);
  useTyping(item.id, side, text, delayed.waiting);
  const undo = (): void => {
    startAs('member');
    delayed.undo();
    notifyDone(sayAnswer('undone'));
  };
  useShortcuts([
    { key: 'r', label: say('key_reply'), act: () => startAs('member') },
    { key: 'n', label: say('key_note'), act: () => startAs('note') },
    ...(delayed.waiting === null ? [] : [{ key: 'z', label: sayAnswer('key_undo'), act: undo }]),
  ]);
  const onKey = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean => {
    // Only a waiting reply can be undone by this key.
    const isUndo = key === 'z' && (ctrlKey || metaKey) && text === '' && delayed.waiting !== null;
    if (isUndo) undo();
    return isUndo;
  };
  return (
    <form className={classes.composer} data-side={side} onSubmit={send} {...(side === 'member' && takes(chosen.add))}>
      {act.error && <ProblemAlert problem={act.error} />}
      {act !== delayed.reply && delayed.reply.error && <ProblemAlert problem={delayed.reply.error} />}
      <div role="status" className={classes.composing}>
        {unanswered && !silent && side === 'end_user' ? say('no_answer') : ''}
      </div>
      <HeldReply text={delayed.waiting} onUndo={undo} />
      {side === 'member' && (text !== '' || delayed.waiting !== null) && (
        <AlsoReplying others={others} own={text || (delayed.waiting ?? '')} />
      )}
      {left.length > 0 && <SendAsIs names={left} onSend={() => send(null)} />}
      {side === 'member' && text !== '' && <DraftLine help={help} />}
      {side === 'member' && (
        <ReplyActionsLine actions={chosenActions.current} onRemove={() => chosenActions.set(null)} />
      )}
      <SideChoice side={side} sandbox={sandbox} onPick={pick} />
      {side === 'member' && <TemplateReply item={item} />}
      {side === 'member' && <ChosenFiles files={chosen.files} onRemove={chosen.remove} />}
      <ReplyField
        key={side}
        conversationId={item.id}
        side={side}
        text={text}
        setText={setText}
        field={field}
        onKey={onKey}
        onSend={send}
        onActions={chosenActions.set}
      >
        {side === 'member' && <MemberTools id={item.id} text={text} help={help} onChoose={chosen.add} />}
        <Hint side={side} silent={silent} assigneeId={item.assignee_id} />
        <ActionIcon
          type="submit"
          size={34}
          aria-label={say(side === 'note' ? 'save_note' : 'send')}
          loading={side === 'member' ? chosen.isSending : act.isPending}
        >
          <IconSend size={18} className="mirror" />
        </ActionIcon>
      </ReplyField>
    </form>
  );
}

/** Returns the author of the next message. The member can pick another author. */
function useSide({ status, channel_kind }: ConversationRecord, isBegun: boolean) {
  // A choice is valid until the agent or a member takes over, and then the most likely author is selected.
  const [picked, setPicked] = useState<{ side: Side; status: string } | null>(null);
  const likely: Side = channel_kind === 'sandbox' && status !== 'handed_off' ? 'end_user' : 'member';
  // A note can be continued in any state, so that half a note never appears in the reply field.
  const isPicked = picked !== null && (picked.side === 'note' || picked.status === status);
  // Half a reply must not become a message of the end user when another member changes the state.
  const begun = useRef(likely);
  if (!isBegun) begun.current = likely;
  const side = isPicked ? picked.side : begun.current;
  if (side !== 'note') begun.current = side;
  return { side, pick: (next: Side): void => setPicked({ side: next, status }) };
}

type ToolsProps = {
  id: string;
  text: string;
  help: ReturnType<typeof useReplyHelp>;
  onChoose: (files: File[]) => void;
};

const MemberTools = ({ id, text, help, onChoose }: ToolsProps): ReactNode => (
  <>
    <AttachButton onChoose={onChoose} />
    <HelpButtons conversationId={id} text={text} help={help} />
  </>
);

/** Returns handlers for files that are dropped on the field or pasted into it. */
const takes = (add: (files: File[]) => void) => ({
  onDragOver: (event: DragEvent) => event.preventDefault(),
  onDrop: (event: DragEvent) => {
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    add([...event.dataTransfer.files]);
  },
  onPaste: (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    add([...event.clipboardData.files]);
  },
});

type SetText = ReturnType<typeof useDraftText>[1];
type Sending = {
  item: ConversationRecord;
  side: Side;
  text: string;
  setText: SetText;
  /** The function changes the text of the reply field, also while a note is written. */
  setReply: SetText;
  field: RefObject<HTMLTextAreaElement | null>;
  chosen: ReturnType<typeof useChosenFiles>;
  chosenActions: ReturnType<typeof useReplyActions>;
};

/**
 * Returns the action of Enter, which differs by author. Enter never sends a saved reply with open variables
 * immediately.
 */
function useSend({ item, side, text, setText, setReply, field, chosen, chosenActions }: Sending) {
  const sayAnswer = useTexts(answerTexts);
  const org_id = useOrganization().id;
  const speak = useAct('sayInConversation', { refresh: READ_AGAIN });
  const note = useAct('addNote', { refresh: ['readConversation'] });
  const delayed = useDelayedReply(item, (back, actions) => {
    setReply((now) => (now === '' ? back : `${back}\n\n${now}`));
    if (actions) chosenActions.set(actions);
  });
  const act = { end_user: speak, member: delayed.reply, note }[side];
  const namable = useNamable(side === 'note');
  // The text whose sending the user must confirm. Another text requires another confirmation.
  const [asked, setAsked] = useState<string | null>(null);
  const left = side === 'member' && asked === text ? leftIn(text) : [];
  /**
   * Files are sent before the text, because the text often refers to them. Until all files are sent, the text stays in
   * the field.
   */
  const answer = async (entered: string): Promise<void> => {
    if (chosen.files.length > 0 && !(await chosen.send())) return;
    setText((now) => (now.startsWith(text) ? now.slice(text.length).trimStart() : now));
    if (entered !== '') {
      delayed.hold(entered, chosenActions.current);
      chosenActions.set(null);
    }
  };
  const isHere = useIsHere();
  const person = usePersonName()(item.end_user);
  /** Without an event, the member has confirmed the text. */
  const send = (event: FormEvent | KeyboardEvent | null): void => {
    event?.preventDefault();
    const entered = text.trim();
    const hasFiles = side === 'member' && chosen.files.length > 0;
    if ((entered === '' && !hasFiles) || chosen.isSending || (side !== 'member' && act.isPending)) return;
    if (side === 'member' && event && leftIn(text).length > 0) {
      setAsked(text);
      selectMissing(field.current);
      return;
    }
    for (const one of [speak, delayed.reply, note]) if (!one.isPending) one.reset();
    setAsked(null);
    if (side === 'member') {
      field.current?.focus();
      void answer(entered);
      return;
    }
    setText('');
    const params = { org_id, conversation_id: item.id };
    // The text returns to its field before newer text, also after the member has left the conversation.
    const giveBack = (): void => {
      setText((now) => (now === '' ? entered : `${entered}\n\n${now}`));
      if (!isHere.current) notifyFailed(sayAnswer('not_saved_of', { name: person }));
    };
    const saved =
      side === 'end_user'
        ? speak.mutateAsync({ params, body: { text: entered } })
        : note.mutateAsync({ params, body: { text: entered, mentions: namedIn(entered, namable) } });
    void saved.catch(giveBack).finally(() => field.current?.focus());
  };
  const unanswered = !speak.isPending && speak.data?.messages.length === 0 && speak.submittedAt > Date.now() - 60_000;
  return { act, delayed, send, left, unanswered };
}

/**
 * Finds text that a person must not receive by mistake, such as variables without a value, and a shortcut that no saved
 * reply replaced.
 */
const leftIn = (text: string): string[] => [...missingValues(text), ...shortcutAtEnd(text)];

type SideProps = { side: Side; sandbox: boolean; onPick: (side: Side) => void };

/** Selects the author of the next message. */
function SideChoice({ side, sandbox, onPick }: SideProps): ReactNode {
  const say = useTexts(texts);
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
    </div>
  );
}

type HintProps = { side: Side; silent: boolean; assigneeId: string | null };

/** Describes the effect of the next message. */
function Hint({ side, silent, assigneeId }: HintProps): ReactNode {
  const say = useTexts(texts);
  const me = useSession().user.id;
  const people = useMemberNames();
  const isOfOther = side === 'member' && silent && assigneeId !== null && assigneeId !== me;
  return (
    <p className={classes.hint}>
      {isOfOther
        ? say.rich('hint_assigned', { name: <bdi>{people(assigneeId) ?? say('member')}</bdi> })
        : say(HINTS[side][silent ? 'silent' : 'speaking'])}
    </p>
  );
}

/** The effect of the next message depends on its author, and on whether a member has taken over. */
const HINTS = {
  end_user: { silent: 'hint_silent', speaking: 'hint_end_user' },
  member: { silent: 'keys_hint', speaking: 'hint_take_over' },
  note: { silent: 'hint_note', speaking: 'hint_note' },
} as const;
