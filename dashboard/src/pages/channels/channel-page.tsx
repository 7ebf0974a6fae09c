import { Alert, Anchor, Button, Group, Loader, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { ChannelRecord } from '../../../../contract/dashboard/channels.ts';
import { MAX_LABEL_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useWords } from '../../language/words.tsx';
import { Card } from '../../parts/card.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { CopyFact, Fact, Facts } from '../../parts/fact.tsx';
import { Moment } from '../../parts/moment.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { WhenRead } from '../../parts/when-read.tsx';
import { useMay, useOrganization, useSession } from '../../session/session.ts';
import { words as agentWords } from '../agents/agent-select-words.ts';
import { AgentLink } from '../agents/agent-select.tsx';
import { useAgentNames } from '../settings/integrations/api-keys/names.ts';
import { ChannelState, KindName } from './channel-parts.tsx';
import { words } from './words.ts';
import classes from './channels.module.css';

const route = getRouteApi('/inside/channels/$channel_id');
const LOOK_AGAIN_MS = 2_000;

export function ChannelPage(): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const { channel_id } = route.useParams();
  const channel = useRead('readChannel', { params: { org_id, channel_id } }, { every: LOOK_AGAIN_MS });
  const crumbs = [{ label: say('channels'), to: '/channels' as const }];
  return (
    <WhenRead read={channel} title={say('channels')} crumbs={crumbs}>
      {(item) => (
        <div key={item.id}>
          <PageHeader title={item.name} crumbs={crumbs} badge={<ChannelState item={item} />} />
          {item.status === 'broken' && (
            <Alert color="red" icon={<IconAlertTriangle size={18} />} title={say('broken_title')} mb="lg">
              <span dir="auto">{item.status_detail ?? say('broken_words')}</span>
            </Alert>
          )}
          <About item={item} />
          <Settings item={item} key={`${item.name} ${String(item.settings['url'])}`} />
          {may && <Disconnect item={item} />}
        </div>
      )}
    </WhenRead>
  );
}

function About({ item }: { item: ChannelRecord }): ReactNode {
  const say = useWords(words);
  const sayAgent = useWords(agentWords);
  const { base_url } = useSession();
  const agentName = useAgentNames([item.agent_id]);
  return (
    <Card title={say('about')}>
      <Stack gap="lg">
        <Facts>
          <CopyFact label={say('channel_id')} value={item.id} copyLabel={say('copy_channel_id')} />
          <Fact label={say('kind')}>
            <KindName kind={item.kind} />
          </Fact>
          <Fact label={sayAgent('agent')}>
            <AgentLink id={item.agent_id} nameOf={agentName} />
          </Fact>
          <Fact label={say('created')}>
            <Moment at={item.created_at} />
          </Fact>
        </Facts>
        {item.kind !== 'sandbox' && (
          <div>
            <CopyFact
              label={say('inbound')}
              value={`${base_url}/inbound/${item.kind}/${item.id}`}
              copyLabel={say('copy_inbound')}
            />
            <Text size="sm" c="dimmed">
              {say('inbound_hint')}
            </Text>
          </div>
        )}
        <FirstMessage channelId={item.id} />
      </Stack>
    </Card>
  );
}

/** Looks until a first conversation is there: how one sees that the other side is connected too. */
function FirstMessage({ channelId }: { channelId: string }): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const first = useRead(
    'listConversations',
    { params: { org_id }, query: { channel_id: channelId, limit: 1 } },
    { every: LOOK_AGAIN_MS },
  );
  if (!first.data) return null;
  const seen = first.data.data.length > 0;
  return (
    <div className={classes.seen} role="status">
      {seen ? (
        <>
          <IconCircleCheck size={19} color="var(--accent)" aria-hidden="true" />
          <span>{say('first_seen')}</span>
          <Anchor
            inherit
            renderRoot={(props) => <Link to="/conversations" search={{ channel_id: channelId }} {...props} />}
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

function Settings({ item }: { item: ChannelRecord }): ReactNode {
  const say = useWords(words);
  const sayAgent = useWords(agentWords);
  const sayCommon = useWords(common);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const params = { org_id, channel_id: item.id };
  const refresh = ['readChannel', 'listChannels'] as const;
  const update = useAct('updateChannel', { refresh });
  const toggle = useAct('updateChannel', { refresh });
  const isWebhook = item.kind === 'webhook';
  const url = item.settings['url'];
  const form = useCheckedForm({ name: item.name, url: typeof url === 'string' ? url : '' }, () => ({
    name: (value) => (value.trim() === '' ? sayAgent('name_missing') : null),
    url: (value) => (isWebhook && value.trim() === '' ? say('url_missing') : null),
  }));
  const submit = form.submit((values) =>
    update.mutate(
      {
        params,
        body: {
          name: values.name.trim(),
          ...(isWebhook && { settings: { ...item.settings, url: values.url.trim() } }),
        },
      },
      {
        onSuccess: () => notifyDone(say('saved')),
        onError: (problem) => {
          form.place(problem);
          const ofUrl = problem.faults.find(({ pointer }) => pointer === '/settings/url');
          if (ofUrl) form.setFieldError('url', ofUrl.detail);
        },
      },
    ),
  );
  const problem = [update.error, toggle.error].find((one) => one && one.faults.length === 0);
  return (
    <form onSubmit={submit} noValidate className={classes.section}>
      <Card
        title={say('settings')}
        footer={
          may && (
            <Button type="submit" loading={update.isPending}>
              {sayCommon('save')}
            </Button>
          )
        }
      >
        <Stack gap="lg">
          <Switch
            label={say('enabled')}
            description={say('enabled_hint')}
            checked={item.enabled}
            disabled={!may || toggle.isPending}
            onChange={(event) => {
              const enabled = event.currentTarget.checked;
              toggle.mutate(
                { params, body: { enabled } },
                { onSuccess: () => notifyDone(say(enabled ? 'is_enabled' : 'is_disabled')) },
              );
            }}
          />
          <Group align="flex-start" gap="md">
            <TextInput
              label={say('name')}
              flex="1 1 220px"
              dir="auto"
              maxLength={MAX_LABEL_CHARACTERS}
              readOnly={!may}
              {...form.getInputProps('name')}
            />
            {isWebhook && (
              <TextInput
                label={say('url')}
                flex="2 1 300px"
                type="url"
                dir="ltr"
                readOnly={!may}
                {...form.getInputProps('url')}
              />
            )}
          </Group>
          {problem && <ProblemAlert problem={problem} />}
        </Stack>
      </Card>
    </form>
  );
}

function Disconnect({ item }: { item: ChannelRecord }): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const navigate = useNavigate();
  const [opened, setOpened] = useState(false);
  const agent = useRead('readAgent', { params: { org_id, agent_id: item.agent_id } }, {});
  const remove = useAct('disconnectChannel', { refresh: ['listChannels', 'readOverview'] });
  const isOwn = agent.data?.sandbox_channel_id === item.id;
  const name = `\u2068${item.name}\u2069`;
  return (
    <div className={classes.section}>
      <Card
        title={say('disconnect')}
        description={say(isOwn ? 'own_sandbox' : 'disconnect_hint')}
        aside={
          !isOwn && (
            <Button color="red.8" onClick={() => setOpened(true)}>
              {say('disconnect')}
            </Button>
          )
        }
      />
      <ConfirmDialog
        opened={opened}
        onClose={() => {
          remove.reset();
          setOpened(false);
        }}
        title={say('disconnect_title', { name })}
        act={say('disconnect')}
        busy={remove.isPending}
        problem={remove.error}
        onAct={() =>
          remove.mutate(
            { params: { org_id, channel_id: item.id } },
            {
              onSuccess: () => {
                notifyDone(say('disconnected', { name }));
                void navigate({ to: '/channels' });
              },
            },
          )
        }
      >
        <Text size="sm">{say('disconnect_words')}</Text>
      </ConfirmDialog>
    </div>
  );
}
