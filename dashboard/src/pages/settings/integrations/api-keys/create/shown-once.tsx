import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useBlocker } from '@tanstack/react-router';
import { useRef, useState, type ReactNode } from 'react';
import type { NewKey } from '../../../../../../../contract/dashboard/keys.ts';
import { useRead } from '../../../../../api/queries.ts';
import { useWords } from '../../../../../language/words.tsx';
import { CodeTabs } from '../../../../../parts/code-tabs.tsx';
import { CopyButton } from '../../../../../parts/copy-button.tsx';
import { useOrganization, useSession } from '../../../../../session/session.ts';
import { words } from '../words.ts';
import { callOfKey, codeOfKey } from './code-of-key.ts';
import { TestRequest } from './test-request.tsx';
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
  const call = callOfKey(made, useTarget(made));
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
      <TestRequest made={made} call={call} />
      <div>
        <Text size="sm" fw={570} mb={8}>
          {say('use_it')}
        </Text>
        <CodeTabs label={say('use_it')} tabs={codeOfKey(made, base_url, call)} />
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
