import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { NewKey } from '../../../../../contract/dashboard/keys.ts';
import { useRead } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { CodeTabs } from '../../code-tabs.tsx';
import { AskBeforeClosing, ShownValue, type ShownOnceGuard } from '../../shown-once.tsx';
import { useOrganization, useSession } from '../../../session/session.ts';
import { texts } from '../texts.ts';
import { callOfKey, codeOfKey } from './code-of-key.ts';
import { TestRequest } from './test-request.tsx';
import classes from '../api-keys.module.css';

export function ShownOnce({ made, guard }: { made: NewKey; guard: ShownOnceGuard }): ReactNode {
  const say = useTexts(texts);
  const { base_url } = useSession();
  const call = callOfKey(made, useTarget(made));
  if (guard.asking) return <AskBeforeClosing guard={guard} say={say} />;
  return (
    <Stack gap="lg">
      <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
        {say('ready_words')}
      </Alert>
      <ShownValue label={say('value')} value={made.value} copyLabel={say('copy_value')} />
      <TestRequest made={made} call={call} />
      <div>
        <Text size="sm" fw={570} mb={8}>
          {say('use_it')}
        </Text>
        <CodeTabs label={say('use_it')} tabs={codeOfKey(made, base_url, call)} />
      </div>
      <div className={classes.foot}>
        <Button variant="default" onClick={guard.leave}>
          {say('saved')}
        </Button>
      </div>
    </Stack>
  );
}

/** Finds an agent and one of its triggers, so that the code runs without changes. */
function useTarget({ agent_id, permissions }: NewKey): Parameters<typeof callOfKey>[1] {
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
    trigger,
  };
}
