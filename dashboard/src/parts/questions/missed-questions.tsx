import { Anchor, Badge, Button, Group, Skeleton, Text } from '@mantine/core';
import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type {
  MissedQuestion,
  MissedQuestions as MissedQuestionList,
} from '../../../../contract/dashboard/questions.ts';
import type { Problem } from '../../api/client.ts';
import { refetch, useAct, useRead } from '../../api/queries.ts';
import { languageName } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../card.tsx';
import { Moment } from '../moment.tsx';
import { notifyDone } from '../notify.tsx';
import { ProblemAlert } from '../problem-alert.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { useAgentNames } from '../use-record-names.ts';
import pageClasses from '../page.module.css';
import type { Teachable } from './choose-passage-dialog.tsx';
import { ChoosePassageDialog, WriteAnswerDialog } from './question-dialogs.tsx';
import { questionTexts } from './question-texts.ts';
import { teachTexts } from './teach-texts.ts';
import type { Made } from './use-write-answer.ts';
import classes from './questions.module.css';

const LISTS = ['listMissedQuestions', 'listAllMissedQuestions'] as const;

/** No event announces a question without an answer. */
const LOOK_AGAIN_MS = 15_000;

/** Lists questions that the agent could not answer, by topic, with buttons that add an answer. */
export function MissedQuestions({ agentId }: { agentId: string }): ReactNode {
  const say = useTexts(questionTexts);
  const params = { org_id: useOrganization().id, agent_id: agentId };
  return <Questions read={useRead('listMissedQuestions', { params }, { every: LOOK_AGAIN_MS })} none={say('none')} />;
}

/** Lists the most frequent topics of all agents. */
export function AllMissedQuestions({ most }: { most: number }): ReactNode {
  const say = useTexts(questionTexts);
  const read = useRead(
    'listAllMissedQuestions',
    { params: { org_id: useOrganization().id } },
    { every: LOOK_AGAIN_MS },
  );
  return <Questions read={read} none={say('none_all')} most={most} />;
}

type QuestionsProps = {
  read: UseQueryResult<MissedQuestionList, Problem>;
  none: string;
  /** The number of the most frequent topics of all agents to show, each with the name of its agent. */
  most?: number;
};

function Questions({ read: questions, none, most }: QuestionsProps): ReactNode {
  const say = useTexts(questionTexts);
  const client = useQueryClient();
  const org_id = useOrganization().id;
  const settle = useAct('settleMissedQuestions', { refresh: LISTS });
  const agentName = useAgentNames(most === undefined ? [] : (questions.data?.data ?? []).map((item) => item.agent_id));
  const [teaching, setTeaching] = useState<MissedQuestion | null>(null);
  const [writing, setWriting] = useState<MissedQuestion | null>(null);
  const [made] = useState<Made>(() => new Map());
  const list = useRef<HTMLUListElement>(null);
  const isGone = useRef(false);
  const closed = (): void => {
    isGone.current = true;
    void refetch(client, LISTS);
  };
  // The pressed button, or the button that opened the dialog, may have disappeared with its question.
  useEffect(() => {
    if (isGone.current && document.activeElement === document.body) list.current?.focus();
    isGone.current = false;
  }, [questions.data]);
  const take = ({ agent_id, message_ids }: MissedQuestion, onSuccess?: () => void): void => {
    isGone.current = true;
    settle.mutate({ params: { org_id, agent_id }, body: { message_ids } }, { ...(onSuccess && { onSuccess }) });
  };
  return (
    <Card title={say('title')} description={say('hint')}>
      {questions.data ? (
        <>
          {questions.data.data.length === 0 && (
            <Text size="sm" c="dimmed">
              {none}
            </Text>
          )}
          <ul className={pageClasses.dividedList} aria-label={say('title')} ref={list} tabIndex={-1}>
            {questions.data.data.slice(0, most).map((item) => (
              <Question
                key={item.message_ids[0]}
                item={item}
                agent={most === undefined ? null : <AgentQuestions id={item.agent_id} nameOf={agentName} />}
                busy={settle.isPending}
                onWrite={() => setWriting(item)}
                onTeach={() => setTeaching(item)}
                onDismiss={() => take(item, () => notifyDone(say('dismissed')))}
              />
            ))}
          </ul>
          {(most === undefined ? questions.data.has_more : questions.data.data.length > most) && (
            <Text size="xs" c="dimmed" mt="xs">
              {say(most === undefined ? 'more' : 'more_of_agents')}
            </Text>
          )}
          {settle.error && <ProblemAlert problem={settle.error} />}
        </>
      ) : questions.error ? (
        <ProblemAlert problem={questions.error} onRetry={() => void questions.refetch()} />
      ) : (
        <Skeleton h={80} />
      )}
      <ChoosePassageDialog
        item={teaching && teachable(teaching)}
        onClose={() => setTeaching(null)}
        onLearned={() => teaching && take(teaching)}
        onClosed={closed}
      />
      <WriteAnswerDialog item={writing} made={made} onClose={() => setWriting(null)} onClosed={closed} />
    </Card>
  );
}

const teachable = ({ agent_id, question, message_ids, examples }: MissedQuestion): Teachable => ({
  agentId: agent_id,
  question,
  messageId: message_ids[0]!,
  endUserId: examples[0]?.end_user_id ?? null,
});

/** Shows a link to all questions that this agent could not answer. */
function AgentQuestions({ id, nameOf }: { id: string; nameOf: ReturnType<typeof useAgentNames> }): ReactNode {
  return (
    <Anchor
      size="xs"
      c="dimmed"
      renderRoot={(props) => (
        <Link to="/agents/$agent_id" params={{ agent_id: id }} search={{ tab: 'knowledge' }} {...props} />
      )}
    >
      <bdi>{nameOf(id) ?? id}</bdi>
    </Anchor>
  );
}

type Props = { item: MissedQuestion; agent: ReactNode; busy: boolean } & Record<
  'onWrite' | 'onTeach' | 'onDismiss',
  () => void
>;

function Question({ item, agent, busy, onWrite, onTeach, onDismiss }: Props): ReactNode {
  const say = useTexts(questionTexts);
  const sayTeach = useTexts(teachTexts);
  const may = useMay('member');
  const [example] = item.examples;
  return (
    <li>
      <Group justify="space-between" gap="xs">
        <div className={classes.missed}>
          <Text size="sm" fw={550} dir="auto" lineClamp={2}>
            {item.question}
          </Text>
          <Group gap="2px 10px" mt={4}>
            {agent}
            <Text size="xs" c="dimmed">
              {say('asked', { count: item.count })}
            </Text>
            {item.languages.map((one) => (
              <Badge key={one} color="gray" size="sm">
                {languageName(say.language, one)}
              </Badge>
            ))}
            <Text size="xs" c="dimmed">
              {say.rich('last', { when: <Moment at={item.last_at} /> })}
            </Text>
            {example && (
              <Anchor
                size="xs"
                renderRoot={(props) => (
                  <Link
                    to="/conversations/$conversation_id"
                    params={{ conversation_id: example.conversation_id }}
                    {...props}
                  />
                )}
              >
                {say('open')}
              </Anchor>
            )}
          </Group>
        </div>
        {may && (
          <Group gap={4}>
            <Button size="compact-sm" variant="default" onClick={onWrite}>
              {say('write')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={onTeach}>
              {sayTeach('teach')}
            </Button>
            <Button size="compact-sm" variant="subtle" color="gray" disabled={busy} onClick={onDismiss}>
              {say('dismiss')}
            </Button>
          </Group>
        )}
      </Group>
    </li>
  );
}
