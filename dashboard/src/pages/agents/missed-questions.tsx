import { Anchor, Badge, Button, Group, Skeleton, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { MissedQuestion } from '../../../../contract/dashboard/questions.ts';
import { readAnew, useAct, useRead } from '../../api/queries.ts';
import { languageName } from '../../language/format.ts';
import { useWords } from '../../language/words.tsx';
import { Card } from '../../parts/card.tsx';
import { Moment } from '../../parts/moment.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { questionWords } from './question-words.ts';
import type { Made } from './use-write-answer.ts';
import { WriteAnswerDialog } from './write-answer-dialog.tsx';
import classes from './agents.module.css';

/** What the agent could not answer, by topic, and the way to an answer. */
export function MissedQuestions({ agentId }: { agentId: string }): ReactNode {
  const say = useWords(questionWords);
  const client = useQueryClient();
  const params = { org_id: useOrganization().id, agent_id: agentId };
  const questions = useRead('listMissedQuestions', { params });
  const settle = useAct('settleMissedQuestions', { refresh: ['listMissedQuestions'] });
  const [writing, setWriting] = useState<MissedQuestion | null>(null);
  const [made] = useState<Made>(() => new Map());
  const list = useRef<HTMLUListElement>(null);
  const isGone = useRef(false);
  const closed = (): void => {
    isGone.current = true;
    void readAnew(client, ['listMissedQuestions']);
  };
  // The button that was pressed, or that opened the dialog, may be gone with its question.
  useEffect(() => {
    if (isGone.current && document.activeElement === document.body) list.current?.focus();
    isGone.current = false;
  }, [questions.data]);
  const dismiss = ({ message_ids }: MissedQuestion): void => {
    isGone.current = true;
    settle.mutate({ params, body: { message_ids } }, { onSuccess: () => notifyDone(say('dismissed')) });
  };
  return (
    <Card title={say('title')} description={say('hint')}>
      {questions.data ? (
        <>
          {questions.data.data.length === 0 && (
            <Text size="sm" c="dimmed">
              {say('none')}
            </Text>
          )}
          <ul className={classes.cases} aria-label={say('title')} ref={list} tabIndex={-1}>
            {questions.data.data.map((item) => (
              <Question
                key={item.message_ids[0]}
                item={item}
                busy={settle.isPending}
                onWrite={() => setWriting(item)}
                onDismiss={() => dismiss(item)}
              />
            ))}
          </ul>
          {questions.data.has_more && (
            <Text size="xs" c="dimmed" mt="xs">
              {say('more')}
            </Text>
          )}
          {settle.error && <ProblemAlert problem={settle.error} />}
        </>
      ) : questions.error ? (
        <ProblemAlert problem={questions.error} onRetry={() => void questions.refetch()} />
      ) : (
        <Skeleton h={80} />
      )}
      <WriteAnswerDialog
        agentId={agentId}
        item={writing}
        made={made}
        onClose={() => setWriting(null)}
        onClosed={closed}
      />
    </Card>
  );
}

type Props = { item: MissedQuestion; busy: boolean; onWrite: () => void; onDismiss: () => void };

function Question({ item, busy, onWrite, onDismiss }: Props): ReactNode {
  const say = useWords(questionWords);
  const may = useMay('member');
  const [example] = item.examples;
  return (
    <li>
      <Group justify="space-between" gap="xs">
        <div className={classes.missed}>
          <Text size="sm" fw={550} dir="auto" lineClamp={2}>
            {item.question}
          </Text>
          <Group gap="xs">
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
          <Group gap={4} wrap="nowrap">
            <Button size="compact-sm" variant="default" onClick={onWrite}>
              {say('write')}
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
