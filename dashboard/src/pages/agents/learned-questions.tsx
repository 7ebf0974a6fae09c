import { ActionIcon, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { WordingRecord } from '../../../../contract/dashboard/wordings.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { DataList, type Column } from '../../list/data-list.tsx';
import { Pager } from '../../list/pager.tsx';
import { usePlacelessList } from '../../list/use-list-state.ts';
import { Card } from '../../parts/card.tsx';
import { RemoveDialog } from '../../parts/remove-dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { teachTexts } from '../../parts/questions/teach-texts.ts';
import { useMay, useOrganization } from '../../session/session.ts';

const PAGE = 20;

/** Questions that were learned as other wordings of a passage. */
export function LearnedQuestions({ agentId }: { agentId: string }): ReactNode {
  const say = useTexts(teachTexts);
  const org_id = useOrganization().id;
  const list = usePlacelessList<object>();
  const [leaving, setLeaving] = useState<WordingRecord | null>(null);
  const query = { cursor: list.cursor, limit: PAGE };
  const read = useRead('listWordings', { params: { org_id, agent_id: agentId }, query }, { keep: true });
  const columns = useColumns(setLeaving);
  return (
    <Card title={say('learned')} description={say('learned_hint')}>
      <DataList
        label={say('learned')}
        read={read}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Text size="sm" c="dimmed">
            {say('learned_none')}
          </Text>
        }
      />
      {read.data && <Pager list={list} page={read.data} />}
      <ForgetDialog agentId={agentId} item={leaving} onClose={() => setLeaving(null)} />
    </Card>
  );
}

function useColumns(onForget: (item: WordingRecord) => void): Column<WordingRecord>[] {
  const say = useTexts(teachTexts);
  const sayCommon = useTexts(common);
  const may = useMay('member');
  return [
    {
      id: 'question',
      label: say('question'),
      cell: ({ question }) => <span dir="auto">{question}</span>,
    },
    {
      id: 'passage',
      label: say('passage'),
      cell: ({ document, heading, quote }) => (
        <>
          <Text size="sm" dir="auto" lineClamp={2}>
            {quote}
          </Text>
          <Text size="xs" c="dimmed" dir="auto">
            {heading === null ? document : `${document} › ${heading}`}
          </Text>
        </>
      ),
    },
    { id: 'origin', label: say('origin'), cell: ({ origin }) => say(`origin_${origin}`) },
    { id: 'added', label: say('added_at'), cell: ({ created_at }) => <Moment at={created_at} /> },
    {
      id: 'actions',
      label: sayCommon('actions'),
      hidden: true,
      align: 'end',
      width: '60px',
      cell: (item) =>
        may && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={say('forget_label', { question: `\u2068${item.question}\u2069` })}
            onClick={() => onForget(item)}
          >
            <IconTrash size={17} />
          </ActionIcon>
        ),
    },
  ];
}

type DialogProps = {
  agentId: string;
  /** Null: the dialog is closed. */
  item: WordingRecord | null;
  onClose: () => void;
};

function ForgetDialog({ agentId, item, onClose }: DialogProps): ReactNode {
  const say = useTexts(teachTexts);
  const org_id = useOrganization().id;
  return (
    <RemoveDialog
      input={item && { params: { org_id, agent_id: agentId, wording_id: item.id } }}
      remove={useAct('removeWording', { refresh: ['listWordings'] })}
      title={say('forget_title')}
      act={say('forget')}
      removed={say('forgotten')}
      onClose={onClose}
    >
      <Text size="sm" dir="auto">
        {item?.question}
      </Text>
      {say('forget_words')}
    </RemoveDialog>
  );
}
