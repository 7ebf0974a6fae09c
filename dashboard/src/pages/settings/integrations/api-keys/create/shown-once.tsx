import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconSend } from '@tabler/icons-react';
import { useBlocker } from '@tanstack/react-router';
import { useRef, useState, type ReactNode } from 'react';
import type { NewKey } from '../../../../../../../contract/dashboard/keys.ts';
import { callMe, Problem, type Me } from '../../../../../api/client.ts';
import { useRead } from '../../../../../api/queries.ts';
import { useWords } from '../../../../../language/words.tsx';
import { CodeTabs } from '../../../../../parts/code-tabs.tsx';
import { CopyButton } from '../../../../../parts/copy-button.tsx';
import { ProblemAlert } from '../../../../../parts/problem-alert.tsx';
import { useOrganization, useSession } from '../../../../../session/session.ts';
import { LastUsed } from '../key-parts.tsx';
import { words } from '../words.ts';
import { codeOfKey } from './code-of-key.ts';
import classes from '../api-keys.module.css';

export type ShownOnceGuard = { asking: boolean; ask: () => void; stay: () => void; leave: () => void };

/**
 * While a key is on the screen, nothing takes it away by accident: Esc and a click outside ask first (`ask`), so does
 * going to another page, and the browser asks before it closes or loads the page again.
 */
export function useShownOnceGuard(shown: boolean, close: () => void): ShownOnceGuard {
  const [asking, setAsking] = useState(false);
  const done = useRef(false);
  const blocker = useBlocker({
    disabled: !shown,
    enableBeforeUnload: () => shown,
    withResolver: true,
    shouldBlockFn: ({ current, next }) => !done.current && current.pathname !== next.pathname,
  });
  const leave = (): void => {
    setAsking(false);
    done.current = true;
    if (blocker.status === 'blocked') blocker.proceed();
    close();
    // The next key that is shown is guarded as this one was.
    setTimeout(() => (done.current = false));
  };
  return {
    asking: asking || blocker.status === 'blocked',
    ask: () => setAsking(true),
    stay: () => {
      setAsking(false);
      if (blocker.status === 'blocked') blocker.reset();
    },
    leave,
  };
}

export function ShownOnce({ made, guard }: { made: NewKey; guard: ShownOnceGuard }): ReactNode {
  const say = useWords(words);
  const { base_url } = useSession();
  const target = useTarget(made);
  if (guard.asking) return <Ask guard={guard} />;
  return (
    <Stack gap="lg">
      <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
        {say('ready_words')}
      </Alert>
      <div className={classes.value} data-copy-scope>
        <TextInput
          label={say('value')}
          value={made.value}
          readOnly
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: 'ltr' }}
          onFocus={(event) => event.currentTarget.select()}
          data-copy-source
          data-autofocus
          data-key-value
        />
        <CopyButton text={made.value} full variant="filled" label={say('copy_value')} />
      </div>
      <TestRequest made={made} />
      <div>
        <Text size="sm" fw={570} mb={8}>
          {say('use_it')}
        </Text>
        <CodeTabs label={say('use_it')} tabs={codeOfKey(made, base_url, target)} />
      </div>
      <div className={classes.foot}>
        <Button onClick={guard.leave}>{say('saved')}</Button>
      </div>
    </Stack>
  );
}

function Ask({ guard }: { guard: ShownOnceGuard }): ReactNode {
  const say = useWords(words);
  return (
    <Stack role="alertdialog" aria-label={say('not_saved')}>
      <Text fw={600}>{say('not_saved')}</Text>
      <Text size="sm">{say('not_saved_words')}</Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={guard.leave}>
          {say('close_anyway')}
        </Button>
        <Button onClick={guard.stay} autoFocus>
          {say('keep_open')}
        </Button>
      </Group>
    </Stack>
  );
}

const WATCH_MS = 500;

/** A real call with the new key; what the list will say of it changes before one's eyes. */
function TestRequest({ made }: { made: NewKey }): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<Me | Problem | null>(null);
  const sent = answer !== null && !(answer instanceof Problem);
  const current = useRead('readKey', { params: { org_id, key_id: made.id } }, { every: sent ? WATCH_MS : undefined });

  const send = async (): Promise<void> => {
    setBusy(true);
    try {
      setAnswer(await callMe(made.value));
    } catch (error) {
      setAnswer(error instanceof Problem ? error : new Problem({ code: 'answer_unreadable', status: 0 }));
    } finally {
      setBusy(false);
      void current.refetch();
    }
  };
  return (
    <Stack gap="xs">
      <div className={classes.test}>
        <Button
          variant="default"
          leftSection={<IconSend size={16} className="mirror" />}
          onClick={() => void send()}
          loading={busy}
        >
          {say('test')}
        </Button>
        <div className={classes.testWords} role="status">
          {sent ? (
            <Group gap={6} wrap="nowrap" align="flex-start">
              <IconCheck size={18} color="var(--accent)" aria-hidden="true" />
              <span>{say('test_ok', { label: answer.label, organization: answer.organization.name })}</span>
            </Group>
          ) : (
            <Text size="sm" c="dimmed" component="span" dir="auto">
              {say('test_hint')}
            </Text>
          )}
          <div>
            {say('last_used')}: {<LastUsed item={current.data ?? made} />}
          </div>
        </div>
      </div>
      {answer instanceof Problem && <ProblemAlert problem={answer} onRetry={() => void send()} />}
    </Stack>
  );
}

/** An agent and a trigger of it, for code that can be run as it stands. */
function useTarget({ agent_id, permissions }: NewKey): { agentId: string | null; triggerId: string | null } {
  const org_id = useOrganization().id;
  const triggers = useRead(
    'listTriggers',
    { params: { org_id }, query: { limit: 1, ...(agent_id && { agent_id }) } },
    { enabled: permissions.includes('triggers') },
  );
  const agents = useRead('listAgents', { params: { org_id }, query: { limit: 1 } }, { enabled: agent_id === null });
  const trigger = triggers.data?.data[0];
  return {
    agentId: agent_id ?? trigger?.agent_id ?? agents.data?.data[0]?.id ?? null,
    triggerId: trigger?.id ?? null,
  };
}
