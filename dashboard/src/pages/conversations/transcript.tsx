import { Button } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import {
  Fragment,
  lazy,
  Suspense,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type ComponentProps,
  type ReactNode,
} from 'react';
import type { ApprovalEntry } from '../../../../contract/dashboard/approvals.ts';
import type {
  ConversationMessage,
  ConversationNote,
  ConversationRecord,
} from '../../../../contract/dashboard/conversations.ts';
import type { SurveyRating } from '../../../../contract/ratings.ts';
import { clock, day } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { ShownSteps } from '../../parts/answer-steps.tsx';
import { ApprovalCard } from '../../parts/approvals/approval-card.tsx';
import { useMemberNames } from '../../parts/use-record-names.ts';
import { usePersonName } from '../../parts/end-users/person-name.ts';
import { useSession } from '../../session/session.ts';
import { DeliveryNotes, DeliveryState } from '../../parts/messages/delivery-state.tsx';
import { AnswerMenu } from './answer-menu.tsx';
import { ChangeLine } from './change-line.tsx';
import type { Teachable } from '../../parts/questions/choose-passage-dialog.tsx';
import { ChoosePassageDialog } from '../../parts/questions/question-dialogs.tsx';
import { CreateTestCase } from './create-test-case.tsx';
import { EarlierMessages } from './earlier-messages.tsx';
import { joinTags } from './join-tags.ts';
import { MessageTranslation } from './message-translation.tsx';
import { NoteEntry } from './note-entry.tsx';
import { RatedLine } from './rated-line.tsx';
import { ratingTexts } from './rating-texts.ts';
import { SentFile } from './sent-file.tsx';
import { texts } from './texts.ts';
import classes from './conversations.module.css';

const ShowEarlier = lazy(async () => ({ default: (await import('./show-earlier.tsx')).ShowEarlier }));

/** If the view is at most this far from the end, it follows new messages. */
const NEAR_PX = 80;

/** Runs in the listed states will answer soon. */
const TAKING_TURN: ReadonlySet<string> = new Set(['queued', 'running']);

type OnEarlier = Pick<ComponentProps<typeof ShowEarlier>, 'onEarlier'>;

/**
 * Shows the messages, newest at the end. The view follows new messages, unless they are of others and the reader has
 * scrolled up.
 */
export function Transcript({ item, onEarlier }: { item: ConversationRecord } & OnEarlier): ReactNode {
  const say = useTexts(texts);
  const log = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const top = useRef(0);
  const [missed, setMissed] = useState(false);
  const entries = inOrder(item);
  const { newest, isMine } = useNewest(entries);
  const writing = item.status === 'open' && TAKING_TURN.has(item.runs[0]?.status ?? '');
  useLayoutEffect(() => {
    const box = log.current;
    if (!box) return;
    if (atEnd.current || isMine) box.scrollTop = box.scrollHeight;
    else setMissed(true);
  }, [newest, isMine]);
  useLayoutEffect(() => {
    if (writing && atEnd.current && log.current) log.current.scrollTop = log.current.scrollHeight;
  }, [writing]);
  useEffect(() => {
    const box = log.current;
    if (!box) return undefined;
    // The composer below the messages changes its height, and so do messages when their files and fonts load.
    const watch = new ResizeObserver(() => {
      if (atEnd.current) box.scrollTop = box.scrollHeight;
    });
    watch.observe(box);
    watch.observe(box.firstElementChild!);
    return () => watch.disconnect();
  }, []);
  const toEnd = (): void => {
    log.current?.scrollTo({ top: log.current.scrollHeight, behavior: 'smooth' });
    setMissed(false);
  };
  return (
    <div className={classes.logFrame}>
      <div
        className={classes.log}
        ref={log}
        role="log"
        tabIndex={0}
        aria-label={say('transcript')}
        onScroll={({ currentTarget: box }) => {
          const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
          // Only a reader can scroll up. New messages and a smaller box also increase the distance to the end.
          if (isNear || box.scrollTop < top.current) atEnd.current = isNear;
          top.current = box.scrollTop;
          if (isNear) setMissed(false);
        }}
      >
        <div className={classes.entries}>
          <Earlier {...{ item, log, onEarlier }} />
          {entries.length === 0 && <p className={classes.note}>{say('no_messages')}</p>}
          {entries.map((entry, index) => (
            <Fragment key={entry.id}>
              <Day of={entry} before={entries[index - 1]} />
              {'tool' in entry ? (
                <ApprovalCard approval={entry} />
              ) : 'score' in entry ? (
                <RatedLine rating={entry} />
              ) : 'role' in entry ? (
                <Entry message={entry} item={item} />
              ) : 'type' in entry ? (
                <>
                  <ChangeLine change={entry} />
                  <EarlierMessages messages={entry.earlier ?? []} person={item.end_user} />
                </>
              ) : (
                <NoteEntry note={entry} item={item} />
              )}
            </Fragment>
          ))}
          {writing && <Writing />}
        </div>
      </div>
      {missed && (
        <Button size="xs" className={classes.toEnd} leftSection={<IconArrowDown size={14} />} onClick={toEnd}>
          {say('new_messages')}
        </Button>
      )}
    </div>
  );
}

/** After all earlier messages are shown, the component stays, because it tells their number to screen readers. */
function Earlier(props: ComponentProps<typeof ShowEarlier>): ReactNode {
  const wasCut = useRef(false);
  wasCut.current ||= props.item.has_earlier_messages;
  if (!wasCut.current) return null;
  return (
    <Suspense fallback={null}>
      <ShowEarlier {...props} />
    </Suspense>
  );
}

/** Returns the ID of the newest message or note, and whether the reader wrote it. */
function useNewest(entries: ReturnType<typeof inOrder>) {
  const me = useSession().user.id;
  const last = entries.findLast((entry) => !('type' in entry || 'score' in entry));
  return { newest: last?.id, isMine: last !== undefined && 'author_id' in last && last.author_id === me };
}

function Writing(): ReactNode {
  const say = useTexts(texts);
  return (
    <div className={classes.entry} data-role="agent">
      <div className={classes.writing}>
        <span className={classes.dots} aria-hidden="true">
          <i />
          <i />
          <i />
        </span>
        {say('writing')}
      </div>
    </div>
  );
}

type ShownChange = ComponentProps<typeof ChangeLine>['change'] & Partial<Pick<Run, 'earlier'>>;
type Run = ConversationRecord['runs'][number];
type ShownRating = SurveyRating & { id: string; created_at: string };
type Dated = { created_at: string };

/** Notes and changes are at the position of their time. A run that a message started is shown by this message. */
const inOrder = ({ messages, has_earlier_messages, ...item }: ConversationRecord) => {
  const { notes, changes, runs, approvals, rating } = item;
  const none = { actor_id: null, user_id: null, until: null, added_tags: [], removed_tags: [] };
  const started = runs.flatMap(({ id, trigger_id, created_at, earlier }): ShownChange[] =>
    trigger_id === null ? [] : [{ ...none, id, type: 'run_started', created_at, earlier }],
  );
  const entries: (ConversationMessage | ConversationNote | ShownChange | ApprovalEntry | ShownRating)[] = [
    ...started,
    ...messages,
    ...notes,
    ...changes,
    ...approvals,
    ...(rating ? [{ ...rating, id: 'rating', created_at: rating.rated_at }] : []),
  ];
  const sorted = entries.toSorted((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at));
  // Entries from the time before the first message are shown with the earlier messages.
  const start = has_earlier_messages ? sorted.findIndex((one) => 'role' in one) : 0;
  return joinTags(sorted.slice(start));
};

/** Shows the date above the first entry of each day. */
function Day({ of, before }: { of: Dated; before: Dated | undefined }): ReactNode {
  const { language } = useTexts(texts);
  const date = day(language, of.created_at);
  if (before && day(language, before.created_at) === date) return null;
  return <p className={classes.note}>{date}</p>;
}

type EntryProps = { message: ConversationMessage; item: ConversationRecord };

function Entry({ message, item }: EntryProps): ReactNode {
  const say = useTexts(texts);
  const sayRating = useTexts(ratingTexts);
  const people = useMemberNames();
  const nameOf = usePersonName();
  const [isExplained, setExplained] = useState(false);
  const [isCorrected, setCorrected] = useState(false);
  const [taught, setTaught] = useState<Teachable | null>(null);
  const teachable = teachableFrom(item, message);
  const author =
    message.role === 'agent'
      ? say('agent')
      : message.role === 'end_user'
        ? nameOf(item.end_user)
        : message.role === 'member'
          ? ((message.author_id && people(message.author_id)) ?? say('member'))
          : say('system');
  return (
    <div className={classes.entry} data-role={message.role} data-message={message.id}>
      <div className={classes.bubble}>
        <Content message={message} />
        {message.sources.map(({ document, quote }) => (
          <blockquote key={document + quote}>
            <cite>{say.rich('from', { document: <bdi>{document}</bdi> })}</cite>
            <span dir="auto">{quote}</span>
          </blockquote>
        ))}
      </div>
      <div className={classes.meta}>
        <bdi>{author}</bdi>
        {' · '}
        <time dateTime={message.created_at}>{clock(say.language, message.created_at)}</time>
        {message.status && message.role !== 'end_user' && (
          <>
            {' · '}
            <DeliveryState message={message} />
          </>
        )}
        {message.rating !== null && <> · {sayRating(message.rating === 1 ? 'rated_good' : 'rated_bad')}</>}
        <AnswerMenu
          message={message}
          isExplained={isExplained}
          onExplain={() => setExplained(!isExplained)}
          onCorrect={() => setCorrected(true)}
          onTeach={teachable && (() => setTaught(teachable))}
        />
      </div>
      <MessageTranslation message={message} conversationId={item.id} />
      <DeliveryNotes message={message} />
      {message.why && isExplained && <ShownSteps {...message.why} className={classes.why} />}
      <CreateTestCase item={item} message={message} opened={isCorrected} onClose={() => setCorrected(false)} />
      <ChoosePassageDialog item={taught} onClose={() => setTaught(null)} />
    </div>
  );
}

/**
 * Returns the messages of the person that a message of the agent answers. The result is undefined if the message
 * answers no message.
 */
function teachableFrom({ messages, agent_id, end_user: person }: ConversationRecord, message: ConversationMessage) {
  const asked: string[] = [];
  for (const { role, content } of messages.slice(0, messages.indexOf(message)).toReversed()) {
    if (role === 'end_user' && 'text' in content && content.text) asked.unshift(content.text);
    else if (asked.length > 0) break;
  }
  if (asked.length === 0) return undefined;
  return { agentId: agent_id, question: asked.join(' '), messageId: message.id, endUserId: person.id };
}

/** Messages are shown as text, whatever they contain. The page loads nothing from another server. */
function Content({ message: { content } }: { message: ConversationMessage }): ReactNode {
  const say = useTexts(texts);
  return (
    <>
      {(content.type === 'location' || content.type === 'template') && (
        <p className={classes.kind}>{say(`content_${content.type}`)}</p>
      )}
      {'url' in content && <SentFile content={content} />}
      {'text' in content && content.text && <p dir="auto">{content.text}</p>}
      {content.type === 'location' && (
        <p>
          <code>
            {content.latitude}, {content.longitude}
          </code>
        </p>
      )}
      {content.type === 'template' && (
        <p>
          <code>{content.name}</code>
        </p>
      )}
      {content.type === 'choices' && (
        <ul className={classes.choices}>
          {content.choices.map(({ id, label }) => (
            <li key={id} dir="auto">
              {label}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
