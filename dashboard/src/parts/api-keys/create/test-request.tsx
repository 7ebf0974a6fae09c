import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconCheck, IconMessagePlus, IconSend } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { ApiCall } from '../../../../../contract/code-samples.ts';
import type { NewKey } from '../../../../../contract/dashboard/keys.ts';
import { callMe, callTrigger, Problem, type Me, type Started } from '../../../api/client.ts';
import { useRead } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { ProblemAlert } from '../../problem-alert.tsx';
import { useOrganization } from '../../../session/session.ts';
import { LastUsed } from '../key-parts.tsx';
import { texts } from '../texts.ts';

import classes from '../api-keys.module.css';

const WATCH_MS = 500;

type Answer = { me: Me } | { run: Started };

/** Makes real calls with the new key. The row of the key in the list changes immediately. */
export function TestRequest({ made, call }: { made: NewKey; call: ApiCall }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const [busy, setBusy] = useState<'me' | 'run' | null>(null);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [problem, setProblem] = useState<{ of: Problem; again: () => void } | null>(null);
  const current = useRead(
    'readKey',
    { params: { org_id, key_id: made.id } },
    { every: answer === null ? undefined : WATCH_MS },
  );

  const send = async (what: 'me' | 'run'): Promise<void> => {
    setBusy(what);
    setProblem(null);
    try {
      setAnswer(
        what === 'me'
          ? { me: await callMe(made.value) }
          : { run: await callTrigger(made.value, call.path, JSON.stringify(call.body ?? {})) },
      );
    } catch (error) {
      const of = error instanceof Problem ? error : new Problem({ code: 'answer_unreadable', status: 0 });
      setProblem({ of, again: () => void send(what) });
    } finally {
      setBusy(null);
      void current.refetch();
    }
  };
  return (
    <Stack gap="xs">
      <div className={classes.test}>
        <Button
          variant="default"
          leftSection={<IconSend size={16} className="mirror" />}
          onClick={() => void send('me')}
          loading={busy === 'me'}
        >
          {say('test')}
        </Button>
        {call.method === 'POST' && (
          <Button
            variant="default"
            leftSection={<IconMessagePlus size={16} />}
            onClick={() => void send('run')}
            loading={busy === 'run'}
          >
            {say('start')}
          </Button>
        )}
        <div className={classes.testWords} role="status">
          {answer ? <Answered answer={answer} /> : <Hint />}
          <div>
            {say('last_used')}: {<LastUsed item={current.data ?? made} />}
          </div>
        </div>
      </div>
      {problem && <ProblemAlert problem={problem.of} onRetry={problem.again} />}
    </Stack>
  );
}

function Hint(): ReactNode {
  const say = useTexts(texts);
  return (
    <Text size="sm" c="dimmed" component="span">
      {say('test_hint')}
    </Text>
  );
}

function Answered({ answer }: { answer: Answer }): ReactNode {
  const say = useTexts(texts);
  return (
    <Group gap={6} wrap="nowrap" align="flex-start">
      <IconCheck size={18} color="var(--accent)" aria-hidden="true" />
      {'me' in answer ? (
        <span>{say('test_ok', { label: answer.me.label, organization: answer.me.organization.name })}</span>
      ) : (
        <span>
          {say('start_ok')} {/* The link opens a new window, because this window still shows the key. */}
          <Anchor inherit href={`/conversations/${answer.run.conversation_id}`} target="_blank">
            {say('start_open')}
          </Anchor>
        </span>
      )}
    </Group>
  );
}
