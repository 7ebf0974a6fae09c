import { Anchor, Button, Group, Select, Stack, Text } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { APPROVAL_STATUSES } from '../../../../contract/approval-limits.ts';
import type { ListedApproval } from '../../../../contract/dashboard/approvals.ts';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import type { Column } from '../../list/data-list.tsx';
import { Empty } from '../../list/empty.tsx';
import { hasNone, PagedList } from '../../list/paged-list.tsx';
import { useListState } from '../../list/use-list-state.ts';
import { AgentFilter, AgentLink } from '../../parts/agents/agent-select.tsx';
import { ApprovalCard, ApprovalStatus, DecidedBy } from '../../parts/approvals/approval-card.tsx';
import { shownText, shownValue } from '../../parts/approvals/shown-text.ts';
import { texts as approvalTexts } from '../../parts/approvals/texts.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Moment, Until } from '../../parts/moment.tsx';
import { useAgentNames } from '../../parts/use-record-names.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import pageClasses from '../../parts/page.module.css';
import { useMay, useOrganization } from '../../session/session.ts';
import type { ApprovalFilters } from './search.ts';
import { texts } from './texts.ts';

const PAGE = 20;
const LOOK_AGAIN_MS = 10_000;
const MAX_SHOWN_CHARACTERS = 120;

/** The page shows the tool calls that need an approval, with the decisions about them. */
export function ApprovalsPage(): ReactNode {
  const say = useTexts(texts);
  const sayApproval = useTexts(approvalTexts);
  const org_id = useOrganization().id;
  const list = useListState<ApprovalFilters>(['status', 'agent_id']);
  const read = useRead(
    'listApprovals',
    { params: { org_id }, query: { ...list.filters, cursor: list.cursor, limit: PAGE } },
    { every: LOOK_AGAIN_MS, live: 'approvals', keep: true },
  );
  const [openId, setOpenId] = useState<string | null>(null);
  const opened = read.data?.data.find(({ id }) => id === openId);
  const columns = useColumns(read.data?.data ?? [], setOpenId);
  return (
    <>
      <PageHeader title={say('approvals')} hint={say('hint')} />
      {!hasNone({ list, read }) && (
        <Group gap="sm" mb="sm">
          <Select
            aria-label={say('status')}
            placeholder={say('any_status')}
            clearable
            value={list.filters.status ?? null}
            data={APPROVAL_STATUSES.map((value) => ({ value, label: sayApproval(`status_${value}`) }))}
            onChange={(status) => list.setFilters({ status: APPROVAL_STATUSES.find((one) => one === status) })}
          />
          <AgentFilter value={list.filters.agent_id} onChange={(agent_id) => list.setFilters({ agent_id })} />
        </Group>
      )}
      <PagedList
        name="approvals"
        label={say('approvals')}
        list={list}
        read={read}
        columns={columns}
        faded={({ status }) => status !== 'pending'}
        icon={<IconShieldCheck size={26} />}
        none={
          <Empty
            icon={<IconShieldCheck size={26} />}
            title={say('empty_title')}
            action={<Button renderRoot={(props) => <Link to="/agents" {...props} />}>{say('to_agents')}</Button>}
          >
            {say('empty_words')}
          </Empty>
        }
      />
      <Dialog opened={opened !== undefined} onClose={() => setOpenId(null)} title={say('approvals')} size="lg">
        {opened && (
          <Stack>
            <ApprovalCard approval={opened} onDecided={() => setOpenId(null)} />
            <Anchor
              component={Link}
              to="/conversations/$conversation_id"
              params={{ conversation_id: opened.conversation_id } as never}
              size="sm"
            >
              {say('to_conversation')}
            </Anchor>
          </Stack>
        )}
      </Dialog>
    </>
  );
}

function useColumns(rows: readonly ListedApproval[], open: (id: string) => void): Column<ListedApproval>[] {
  const say = useTexts(texts);
  const agentName = useAgentNames(rows.map(({ agent_id }) => agent_id));
  const may = useMay('member');
  return [
    { id: 'tool', label: say('tool'), cell: ({ tool }) => <code>{tool}</code> },
    {
      id: 'given',
      label: say('given'),
      cell: ({ arguments: given }) => (
        <Text size="sm" dir="ltr" style={{ overflowWrap: 'anywhere' }}>
          {shortened(given)}
        </Text>
      ),
      width: '22%',
    },
    {
      id: 'person',
      label: say('person'),
      cell: ({ conversation_id, end_user: { name } }) => (
        <Link to="/conversations/$conversation_id" params={{ conversation_id }} className={pageClasses.link}>
          <bdi>{name ?? say('no_name')}</bdi>
        </Link>
      ),
    },
    { id: 'agent', label: say('agent'), cell: ({ agent_id }) => <AgentLink id={agent_id} nameOf={agentName} /> },
    { id: 'status', label: say('status'), cell: ({ status }) => <ApprovalStatus status={status} /> },
    {
      id: 'decision',
      label: say('decision'),
      cell: (item) =>
        item.status === 'pending' ? (
          <Text size="sm" c="dimmed" component="span">
            {say.rich('expires', { when: <Until at={item.expires_at} /> })}
          </Text>
        ) : (
          <DecidedBy approval={item} />
        ),
      width: '20%',
    },
    { id: 'requested', label: say('requested'), cell: ({ created_at }) => <Moment at={created_at} />, width: '130px' },
    {
      id: 'act',
      label: say('open'),
      hidden: true,
      align: 'end',
      cell: ({ id, tool, status }) => {
        const decides = may && status === 'pending';
        return (
          <Button
            size="xs"
            variant={decides ? 'filled' : 'default'}
            aria-label={say(decides ? 'open_one' : 'details_one', { tool })}
            onClick={() => open(id)}
          >
            {say(decides ? 'open' : 'details')}
          </Button>
        );
      },
    },
  ];
}

function shortened(given: Record<string, unknown>): string {
  const text = Object.entries(given)
    .map(([name, value]) => `${shownText(name)}: ${shownValue(value)}`)
    .join(', ');
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}
