import { Anchor, Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { AgentSummary } from '../../../../../contract/dashboard/agents.ts';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import { useMay, useOrganization } from '../../../session/session.ts';
import { UpgradeLink } from '../../../parts/api-keys/upgrade-link.tsx';
import { CreateKeyDialog } from '../../../parts/api-keys/dialogs.tsx';
import { LostValue } from '../../../parts/api-keys/lost-value.tsx';
import { Step } from './step.tsx';
import { texts } from './texts.ts';

const route = getRouteApi('/inside/');

type Props = { done: boolean; agent: AgentSummary | null; active: number; onMade: (value: string) => void };

export function KeyStep({ done, agent, active, onMade }: Props): ReactNode {
  const say = useTexts(texts);
  const { created } = route.useSearch();
  const navigate = route.useNavigate();
  const [opened, { open, close }] = useDisclosure(false);
  const [shown, setShown] = useState(false);
  const setCreated = (id: string | undefined): void =>
    void navigate({ to: '.', search: { created: id }, replace: true, resetScroll: false });
  return (
    <Step number={4} done={done} title={say('step_key')} hint={say('step_key_hint')}>
      {done && (
        <Text size="sm" mb="sm">
          {say('key_have', { count: active })}{' '}
          <Anchor renderRoot={(props) => <Link to="/settings/integrations/api-keys" {...props} />}>
            {say('key_all')}
          </Anchor>
        </Text>
      )}
      {created && !shown && <LostValue keyId={created} onDismiss={() => setCreated(undefined)} />}
      <Create done={done} agent={agent} onCreate={open} />
      {/* A shown value of a key stays until it is saved, even if plan, role or agent change. */}
      <CreateKeyDialog
        opened={opened}
        agentId={agent?.id ?? null}
        onMade={({ id, value }) => {
          onMade(value);
          setShown(true);
          setCreated(id);
        }}
        onClose={() => {
          close();
          setShown(false);
          setCreated(undefined);
        }}
      />
    </Step>
  );
}

function Create({ done, agent, onCreate }: Pick<Props, 'done' | 'agent'> & { onCreate: () => void }): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const organization = useOrganization();
  const may = useMay('admin');
  if (!may)
    return (
      <Text size="sm" c="dimmed">
        {say('key_role', { role: sayCommon(`role_${organization.role}`) })}
      </Text>
    );
  if (organization.plan === 'free')
    return (
      <Group gap="sm">
        <Text size="sm">{say('key_free')}</Text>
        <UpgradeLink />
      </Group>
    );
  if (!agent)
    return (
      <Text size="sm" c="dimmed">
        {say('needs_agent')}
      </Text>
    );
  return (
    <Button variant={done ? 'default' : 'filled'} leftSection={<IconKey size={16} />} onClick={onCreate}>
      {say(done ? 'key_more' : 'key_create')}
    </Button>
  );
}
