import { Button, Text } from '@mantine/core';
import { IconArrowLeft, IconCheck, IconHandStop, IconInfoCircle, IconRobot } from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import type { ConversationRecord } from '../../../../contract/dashboard/conversations.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { LiveState } from '../../parts/live-state.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { PagePending } from '../../parts/page-pending.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { ShortcutsButton } from '../../parts/shortcuts.tsx';
import { useTabTitle } from '../../parts/tab-title.ts';
import { useShortcuts } from '../../parts/use-shortcuts.ts';
import { isGone, ReadProblem } from '../../parts/record-page.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { Composer } from './composer.tsx';
import { ConversationFacts } from './conversation-facts.tsx';
import { ConversationStatusBadge } from '../../parts/conversations/status-badge.tsx';
import { usePersonName } from '../../parts/end-users/person-name.ts';
import { LOOK_AGAIN_MS, READ_AGAIN } from './search.ts';
import { SummaryLine } from './summary-line.tsx';
import { Transcript } from './transcript.tsx';
import { moveInRows } from './row-arrows.ts';
import { useOpenNext } from './open-next.tsx';
import { AlsoHere, Typing } from './presence.tsx';
import { SnoozeMenu } from './snooze-menu.tsx';
import { timeTexts } from './snooze-times.ts';
import { snoozeTexts } from './snooze-texts.ts';
import { sendDelayed } from './use-delayed-reply.ts';
import { usePresence } from './use-presence.ts';
import { useSeen } from './use-seen.ts';
import { texts } from './texts.ts';
import classes from './conversations.module.css';

// The page of the list loads this file when it is idle, so the keys also work before a conversation is opened.
document.addEventListener('keydown', moveInRows);

export function ConversationPage(): ReactNode {
  const { conversation_id } = useParams({ from: '/inside/conversations/$conversation_id' });
  return <Opened conversation_id={conversation_id} key={conversation_id} />;
}

function Opened({ conversation_id }: { conversation_id: string }): ReactNode {
  const org_id = useOrganization().id;
  // The presence starts with the first read, because a topic that is added later closes the stream and opens a new
  // stream.
  const others = usePresence(conversation_id);
  const [before, setBefore] = useState<string>();
  const read = useRead(
    'readConversation',
    { params: { org_id, conversation_id }, query: { before } },
    { every: LOOK_AGAIN_MS, live: `conversation:${conversation_id}`, keep: true },
  );
  if (read.isPending)
    return (
      <div className={classes.wide}>
        <PagePending />
      </div>
    );
  if (!read.data || isGone(read))
    return (
      <div className={classes.wide}>
        <Back />
        <ReadProblem read={read} />
      </div>
    );
  return <Panes item={read.data} live={!read.isError} others={others} onEarlier={setBefore} />;
}

type PanesProps = {
  item: ConversationRecord;
  live: boolean;
  others: ReturnType<typeof usePresence>;
  onEarlier: (before: string) => void;
};

function Panes({ item, live, others, onEarlier }: PanesProps): ReactNode {
  const say = useTexts(texts);
  const nameOf = usePersonName();
  const may = useMay('member');
  const name = nameOf(item.end_user);
  const heading = useRef<HTMLHeadingElement>(null);
  const [factsShown, setFactsShown] = useState(false);
  const assignee = useRef<HTMLInputElement>(null);
  const toAssignee = (): void => {
    // On a screen that is too small for three panes, the page contains the field only while the facts are shown.
    flushSync(() => setFactsShown(true));
    assignee.current?.focus();
    assignee.current?.click();
  };
  useShortcuts(may ? [{ key: 'a', label: say('key_assign'), act: toAssignee }] : []);
  useTabTitle(`${name} · ${say('conversations')} · Parley`);
  useSeen(item);
  useEffect(() => {
    // The shell first moves the focus to the page. Within the inbox, the focus belongs to the opened conversation.
    const later = requestAnimationFrame(() => heading.current?.focus({ preventScroll: true }));
    return () => cancelAnimationFrame(later);
  }, []);
  return (
    <>
      <section className={classes.talk} aria-label={say('transcript')}>
        <header className={classes.talkHead}>
          <Back />
          <div className={classes.talkName}>
            <h1 ref={heading} tabIndex={-1}>
              <bdi>{name}</bdi>
            </h1>
            <div className={classes.talkState}>
              <ConversationStatusBadge status={item.status} />
              {item.snoozed_until && <SnoozedUntil at={item.snoozed_until} />}
              <AlsoHere others={others} />
              <LiveState failed={!live} every={LOOK_AGAIN_MS} />
              <ShortcutsButton />
            </div>
          </div>
          <Button
            size="xs"
            variant={factsShown ? 'light' : 'default'}
            className={classes.factsToggle}
            aria-expanded={factsShown}
            leftSection={<IconInfoCircle size={15} />}
            onClick={() => setFactsShown(!factsShown)}
          >
            {say('details')}
          </Button>
          {may && <Moves item={item} />}
        </header>
        <div className={classes.talkBody}>
          <SummaryLine item={item} />
          <Transcript item={item} onEarlier={onEarlier} />
          <Typing others={others} />
          <Composer item={item} others={others} />
        </div>
      </section>
      <ConversationFacts item={item} shown={factsShown} assignee={assignee} />
    </>
  );
}

function SnoozedUntil({ at }: { at: string }): ReactNode {
  const say = useTexts(snoozeTexts);
  return (
    <Text size="xs" c="dimmed" component="span">
      {say('until_time', { time: timeTexts(say.language, new Date(at)) })}
    </Text>
  );
}

function Back(): ReactNode {
  const say = useTexts(texts);
  return (
    <Link to="/conversations" search={true} className={classes.back} aria-label={say('back')}>
      <IconArrowLeft size={20} className="mirror" aria-hidden="true" />
    </Link>
  );
}

function Moves({ item }: { item: ConversationRecord }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const params = { org_id, conversation_id: item.id };
  const takeOver = useAct('takeOverConversation', { refresh: READ_AGAIN });
  const handBack = useAct('handBackConversation', { refresh: READ_AGAIN });
  const resolve = useAct('resolveConversation', { refresh: READ_AGAIN });
  const error = takeOver.error ?? handBack.error ?? resolve.error;
  const openNext = useOpenNext();
  const tell = (word: 'taken_over' | 'handed_back' | 'resolved', then?: () => void) => {
    // Another action removes the refusal of the previous action.
    for (const move of [takeOver, handBack, resolve]) move.reset();
    const onSuccess = (): void => {
      notifyDone(say(word));
      then?.();
    };
    return { onSuccess };
  };
  // A waiting reply must be sent first, because it would open a resolved conversation again.
  const close = async (): Promise<void> => {
    // After the action, the list does not contain the conversation any more, so its place is read before.
    const then = openNext(item.id);
    if (await sendDelayed(item.id)) resolve.mutate({ params }, tell('resolved', then));
  };
  const giveBack = async (): Promise<void> => {
    if (await sendDelayed(item.id)) handBack.mutate({ params }, tell('handed_back'));
  };
  const isBusy = takeOver.isPending || handBack.isPending || resolve.isPending;
  const act = (): void => void (item.status !== 'resolved' && !isBusy && void close());
  const isOurs = item.status === 'handed_off';
  useShortcuts([
    { key: 'e', label: say('key_resolve'), act },
    { label: say('take_over'), act: () => void (isOurs || isBusy || takeOver.mutate({ params }, tell('taken_over'))) },
    { label: say('hand_back'), act: () => void (isOurs && !isBusy && giveBack()) },
  ]);
  return (
    <div className={classes.moves}>
      {item.status === 'handed_off' ? (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRobot size={15} />}
          loading={handBack.isPending}
          onClick={() => void giveBack()}
        >
          {say('hand_back')}
        </Button>
      ) : (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconHandStop size={15} />}
          loading={takeOver.isPending}
          onClick={() => takeOver.mutate({ params }, tell('taken_over'))}
        >
          {say('take_over')}
        </Button>
      )}
      {item.status === 'handed_off' && <SnoozeMenu item={item} />}
      {item.status !== 'resolved' && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconCheck size={15} />}
          loading={resolve.isPending}
          onClick={() => void close()}
        >
          {say('resolve')}
        </Button>
      )}
      {error && (
        <Text size="xs" component="div" flex="1 1 100%">
          <ProblemAlert problem={error} />
        </Text>
      )}
    </div>
  );
}
