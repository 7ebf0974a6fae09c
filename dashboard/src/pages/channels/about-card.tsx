import { Alert, Anchor, Button, Loader, Stack } from '@mantine/core';
import { IconCircleCheck, IconPlugConnected } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ChannelDetail } from '../../../../contract/dashboard/channels.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyFact, Fact, Facts } from '../../parts/fact.tsx';
import { Moment } from '../../parts/moment.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { AgentLink } from '../../parts/agents/agent-select.tsx';
import { texts as agentTexts } from '../../parts/agents/agent-select-texts.ts';
import { useAgentNames } from '../../parts/use-record-names.ts';
import { KindName } from '../../parts/channels/kind-name.tsx';
import { AtTheProvider } from './channel-parts.tsx';
import { isKnownKind } from '../../parts/channels/kinds.ts';
import { texts } from './texts.ts';
import classes from '../../parts/channels/test-outcome.module.css';

/**
 * The card shows the kind of the channel, the URL that the provider calls, the remaining steps, and whether a person
 * has written yet.
 */
export function AboutCard({ item }: { item: ChannelDetail }): ReactNode {
  const say = useTexts(texts);
  const sayAgent = useTexts(agentTexts);
  const agentName = useAgentNames([item.agent_id]);
  const account = Object.values(item.account).filter((value) => value !== '');
  return (
    <Card title={say('about')} aside={<CheckButton item={item} />}>
      <Stack gap="lg">
        <Facts>
          <CopyFact label={say('channel_id')} value={item.id} copyLabel={say('copy_channel_id')} />
          <Fact label={say('kind')}>
            <KindName kind={item.kind} />
          </Fact>
          {account.length > 0 && (
            <Fact label={say('account')}>
              <bdi>{account.join(' · ')}</bdi>
            </Fact>
          )}
          <Fact label={sayAgent('agent')}>
            <AgentLink id={item.agent_id} nameOf={agentName} />
          </Fact>
          <Fact label={say('created')}>
            <Moment at={item.created_at} />
          </Fact>
        </Facts>
        {item.inbound_url && (
          <CopyFact label={say('inbound')} value={item.inbound_url} copyLabel={say('copy_inbound')} />
        )}
        {!item.received && item.kind !== 'web_chat' && isKnownKind(item.kind) && <AtTheProvider kind={item.kind} />}
        {item.inbound_url && <FirstMessage item={item} />}
      </Stack>
    </Card>
  );
}

/** The card polls until a person has written, which proves that the provider is connected. */
function FirstMessage({ item }: { item: ChannelDetail }): ReactNode {
  const say = useTexts(texts);
  return (
    <div className={classes.seen} role="status">
      {item.received ? (
        <>
          <IconCircleCheck size={19} color="var(--accent)" aria-hidden="true" />
          <span>{say('first_seen')}</span>
          <Anchor
            inherit
            renderRoot={(props) => <Link to="/conversations" search={{ channel_id: item.id }} {...props} />}
          >
            {say('to_conversations')}
          </Anchor>
        </>
      ) : (
        <>
          <Loader size={16} aria-hidden="true" />
          <span>{say('waiting')}</span>
        </>
      )}
    </div>
  );
}

function CheckButton({ item }: { item: ChannelDetail }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const check = useAct('checkChannel', { refresh: ['readChannel', 'listChannels'] });
  if (!may || item.kind === 'sandbox' || item.kind === 'web_chat') return null;
  const found = check.data;
  const result = found?.ok ? say(found.asked ? 'check_ok' : 'check_nobody') : found?.detail;
  return (
    <Stack gap="xs" align="flex-end" maw={420}>
      <Button
        variant="default"
        leftSection={<IconPlugConnected size={16} />}
        loading={check.isPending}
        onClick={() => check.mutate({ params: { org_id, channel_id: item.id } })}
      >
        {say('check')}
      </Button>
      {found && (
        <Alert color={found.ok ? 'blue' : 'red'} py="xs" role="status">
          <span dir="auto">{result}</span>
        </Alert>
      )}
      {check.error && <ProblemAlert problem={check.error} />}
    </Stack>
  );
}
