import { Anchor, Button, Group, Modal, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { IconPencil, IconPlayerPause, IconPlayerPlay, IconSquare } from '@tabler/icons-react';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { CampaignMove, CampaignRecord } from '../../../../contract/dashboard/campaigns.ts';
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
import { useMay, useOrganization } from '../../session/session.ts';
import { words as agentWords } from '../agents/agent-select-words.ts';
import { AgentLink } from '../agents/agent-select.tsx';
import { DeleteDialog } from '../agents/delete-dialog.tsx';
import { useAgentNames } from '../settings/integrations/api-keys/names.ts';
import { CampaignKeys } from './campaign-keys.tsx';
import { CampaignStateBadge } from './campaign-state.tsx';
import { words } from './words.ts';
import classes from './campaigns.module.css';

const route = getRouteApi('/inside/campaigns/$campaign_id');
const LOOK_AGAIN_MS = 3_000;
const READ_AGAIN = ['readCampaign', 'listCampaigns'] as const;

export function CampaignPage(): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const { campaign_id } = route.useParams();
  const campaign = useRead('readCampaign', { params: { org_id, campaign_id } }, { every: LOOK_AGAIN_MS });
  const crumbs = [{ label: say('campaigns'), to: '/campaigns' as const }];
  return (
    <WhenRead read={campaign} title={say('campaigns')} crumbs={crumbs}>
      {(item) => (
        <div key={item.id}>
          <PageHeader
            title={item.name}
            crumbs={crumbs}
            badge={<CampaignStateBadge state={item.state} />}
            actions={may && <Moves item={item} />}
          />
          <About item={item} />
          <CampaignKeys campaign={item} />
          {may && <Delete item={item} />}
        </div>
      )}
    </WhenRead>
  );
}

function About({ item }: { item: CampaignRecord }): ReactNode {
  const say = useWords(words);
  const sayAgent = useWords(agentWords);
  const org_id = useOrganization().id;
  const agentName = useAgentNames([item.agent_id]);
  const channel = useRead('readChannel', { params: { org_id, channel_id: item.channel_id } }, {});
  return (
    <Card title={say('about')}>
      <Facts>
        <CopyFact label={say('campaign_id')} value={item.id} copyLabel={say('copy_campaign_id')} />
        <Fact label={sayAgent('agent')}>
          <AgentLink id={item.agent_id} nameOf={agentName} />
        </Fact>
        <Fact label={say('channel')}>
          {channel.isPending ? (
            <Skeleton h={14} w={100} />
          ) : channel.data ? (
            <Anchor
              inherit
              renderRoot={(props) => (
                <Link to="/channels/$channel_id" params={{ channel_id: item.channel_id }} {...props} />
              )}
            >
              <bdi>{channel.data.name}</bdi>
            </Anchor>
          ) : (
            say('gone_channel')
          )}
        </Fact>
        <Fact label={say('created')}>
          <Moment at={item.created_at} />
        </Fact>
      </Facts>
    </Card>
  );
}

/** What can be done from each state; contract/dashboard/campaigns.ts. */
const MOVES: Record<CampaignRecord['state'], readonly CampaignMove[]> = {
  draft: ['start', 'end'],
  live: ['pause', 'end'],
  paused: ['resume', 'end'],
  ended: [],
};
const DONE = { start: 'started', pause: 'paused', resume: 'resumed', end: 'ended' } as const;

function Moves({ item }: { item: CampaignRecord }): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const params = { org_id, campaign_id: item.id };
  const moves = {
    start: useAct('startCampaign', { refresh: READ_AGAIN }),
    pause: useAct('pauseCampaign', { refresh: READ_AGAIN }),
    resume: useAct('resumeCampaign', { refresh: READ_AGAIN }),
    end: useAct('endCampaign', { refresh: READ_AGAIN }),
  };
  const [ending, setEnding] = useState(false);
  const [renaming, setRenaming] = useState(false);
  const possible = MOVES[item.state];
  const move = (name: CampaignMove): void =>
    moves[name].mutate(
      { params },
      {
        onSuccess: () => {
          setEnding(false);
          notifyDone(say(DONE[name]));
        },
      },
    );
  const forward = possible.find((name) => name !== 'end');
  const error = moves.start.error ?? moves.pause.error ?? moves.resume.error;
  return (
    <>
      <Button variant="default" leftSection={<IconPencil size={16} />} onClick={() => setRenaming(true)}>
        {say('rename')}
      </Button>
      {possible.includes('end') && (
        <Button variant="default" leftSection={<IconSquare size={15} />} onClick={() => setEnding(true)}>
          {say('end')}
        </Button>
      )}
      {forward && (
        <Button
          variant={forward === 'pause' ? 'default' : 'filled'}
          leftSection={forward === 'pause' ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
          loading={moves[forward].isPending}
          onClick={() => move(forward)}
        >
          {say(forward)}
        </Button>
      )}
      {error && <ProblemAlert problem={error} />}
      <ConfirmDialog
        opened={ending}
        onClose={() => {
          moves.end.reset();
          setEnding(false);
        }}
        title={say('end_title', { name: `\u2068${item.name}\u2069` })}
        act={say('end')}
        busy={moves.end.isPending}
        problem={moves.end.error}
        onAct={() => move('end')}
      >
        <Text size="sm">{say('end_words')}</Text>
      </ConfirmDialog>
      <RenameDialog item={item} opened={renaming} onClose={() => setRenaming(false)} />
    </>
  );
}

type RenameProps = { item: CampaignRecord; opened: boolean; onClose: () => void };

function RenameDialog({ item, opened, onClose }: RenameProps): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={say('rename')}
      closeButtonProps={{ 'aria-label': sayCommon('close') }}
    >
      <RenameForm item={item} onClose={onClose} />
    </Modal>
  );
}

function RenameForm({ item, onClose }: Omit<RenameProps, 'opened'>): ReactNode {
  const say = useWords(words);
  const sayAgent = useWords(agentWords);
  const sayCommon = useWords(common);
  const org_id = useOrganization().id;
  const rename = useAct('updateCampaign', { refresh: READ_AGAIN });
  const form = useCheckedForm({ name: item.name }, () => ({
    name: (value) => (value.trim() === '' ? sayAgent('name_missing') : null),
  }));
  const submit = form.submit(({ name }) =>
    rename.mutate(
      { params: { org_id, campaign_id: item.id }, body: { name: name.trim() } },
      {
        onSuccess: () => {
          onClose();
          notifyDone(say('renamed'));
        },
        onError: (problem) => void form.place(problem),
      },
    ),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={say('name')}
          maxLength={MAX_LABEL_CHARACTERS}
          dir="auto"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        {rename.error && rename.error.faults.length === 0 && <ProblemAlert problem={rename.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {sayCommon('cancel')}
          </Button>
          <Button type="submit" loading={rename.isPending}>
            {sayCommon('save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Delete({ item }: { item: CampaignRecord }): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const navigate = useNavigate();
  const [opened, setOpened] = useState(false);
  const remove = useAct('deleteCampaign', { refresh: ['listCampaigns', 'readOverview'] });
  const name = `\u2068${item.name}\u2069`;
  return (
    <div className={classes.section}>
      <Card
        title={say('delete')}
        description={say('delete_hint')}
        aside={
          <Button color="red.8" onClick={() => setOpened(true)}>
            {say('delete')}
          </Button>
        }
      />
      <DeleteDialog
        opened={opened}
        onClose={() => {
          remove.reset();
          setOpened(false);
        }}
        title={say('delete_title', { name })}
        name={item.name}
        act={say('delete')}
        busy={remove.isPending}
        problem={remove.error}
        onAct={() =>
          remove.mutate(
            { params: { org_id, campaign_id: item.id } },
            {
              onSuccess: () => {
                notifyDone(say('deleted', { name }));
                void navigate({ to: '/campaigns' });
              },
            },
          )
        }
      >
        {say('delete_words')}
      </DeleteDialog>
    </div>
  );
}
