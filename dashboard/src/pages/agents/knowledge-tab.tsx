import { ActionIcon, Alert, Box, Button, Group, Skeleton, Text, UnstyledButton } from '@mantine/core';
import { IconCircleCheck, IconFileText, IconTrash } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { DocumentSummary } from '../../../../contract/dashboard/agents.ts';
import { call } from '../../api/client.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { number } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { BulkAct } from '../../list/bulk-act.tsx';
import type { Column } from '../../list/data-list.tsx';
import { Empty } from '../../list/empty.tsx';
import { FilterBar } from '../../list/filter-bar.tsx';
import { hasNone, PagedList } from '../../list/paged-list.tsx';
import { useListState } from '../../list/use-list-state.ts';
import { AddButton } from '../../parts/add-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { RemoveDialog } from '../../parts/remove-dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { focusPlayground } from '../../parts/playground/playground.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { AddDocumentDialog } from './add-document-dialog.tsx';
import { Embeddings } from './embeddings.tsx';
import { KnowledgeBudget } from './knowledge-budget.tsx';
import { KnowledgeUse } from './knowledge-use.tsx';
import { LearnedQuestions } from './learned-questions.tsx';
import { MissedQuestions } from '../../parts/questions/missed-questions.tsx';
import { DocumentSources } from './document-sources.tsx';
import { UploadFiles } from './upload-files.tsx';
import { texts } from './texts.ts';
import classes from './agents.module.css';
import pageClasses from '../../parts/page.module.css';

const PAGE = 20;

/** `unsaved`: the draft of the agent has changes, so the next step is to publish it. */
export function KnowledgeTab({ agentId, unsaved }: { agentId: string; unsaved: boolean }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const [adding, setAdding] = useState(false);
  const [added, setAdded] = useState<string | null>(null);
  const [shown, setShown] = useState<DocumentSummary | null>(null);
  const [leaving, setLeaving] = useState<DocumentSummary | null>(null);
  const list = useListState<{ text?: string }>(['text']);
  const documents = useRead(
    'listDocuments',
    { params: { org_id, agent_id: agentId }, query: { ...list.filters, cursor: list.cursor, limit: PAGE } },
    { keep: true },
  );
  const empty = hasNone({ list, read: documents });
  const add = may && (
    <AddButton secondary={unsaved} onClick={() => setAdding(true)}>
      {say('add_document')}
    </AddButton>
  );
  return (
    <>
      <Box mb="md">
        <MissedQuestions agentId={agentId} />
      </Box>
      <AskAbout name={added} />
      {!empty && (
        <FilterBar
          text={list.filters.text}
          onText={(text) => list.setFilters({ text })}
          placeholder={say('document_search')}
          filtered={list.filtered}
          onClear={list.clear}
        >
          {add}
        </FilterBar>
      )}
      <PagedList
        name="documents"
        label={say('tab_knowledge')}
        list={list}
        read={documents}
        columns={useColumns({ onShow: setShown, onRemove: setLeaving })}
        selecting={
          may
            ? {
                label: ({ name }) => name,
                acts: (chosen) => <RemoveMany agentId={agentId} items={chosen.filter(isOwn)} />,
              }
            : undefined
        }
        icon={<IconFileText size={26} />}
        none={
          <Empty icon={<IconFileText size={26} />} title={say('documents_empty')} action={add}>
            {say('documents_empty_words')} {say('documents_hint')}
          </Empty>
        }
      />
      <Box my="md">{may && <UploadFiles agentId={agentId} onAdded={setAdded} />}</Box>
      <KnowledgeUse agentId={agentId} />
      <Box my="md">
        <LearnedQuestions agentId={agentId} />
      </Box>
      <DocumentSources agentId={agentId} />
      <Embeddings agentId={agentId} />
      <KnowledgeBudget />
      <AddDocumentDialog agentId={agentId} opened={adding} onAdded={setAdded} onClose={() => setAdding(false)} />
      <TextDialog agentId={agentId} item={shown} onClose={() => setShown(null)} />
      <RemoveDocument agentId={agentId} item={leaving} onClose={() => setLeaving(null)} />
    </>
  );
}

/**
 * After a document was added, suggests a question about it. The region is in the page before it has content, so that
 * screen readers observe it.
 */
function AskAbout({ name }: { name: string | null }): ReactNode {
  const say = useTexts(texts);
  return (
    <div role="status">
      {name !== null && (
        <Alert color="blue" icon={<IconCircleCheck size={18} />} mb="md">
          <Group justify="space-between" gap="xs">
            <Text size="sm">{say('document_added', { name: `\u2068${name}\u2069` })}</Text>
            <Button size="compact-sm" variant="default" onClick={focusPlayground}>
              {say('document_ask')}
            </Button>
          </Group>
        </Alert>
      )}
    </div>
  );
}

/** Pages of a site are added and removed with the site. */
const isOwn = ({ source_id }: DocumentSummary): boolean => source_id === null;

function RemoveMany({ agentId, items }: { agentId: string; items: readonly DocumentSummary[] }): ReactNode {
  const say = useTexts(texts);
  const params = { org_id: useOrganization().id, agent_id: agentId };
  return (
    <BulkAct
      items={items}
      act={say('documents_remove')}
      title={say('documents_remove_title')}
      run={({ id }) => call('deleteDocument', { params: { ...params, document_id: id } })}
      refresh={REFRESH}
    >
      {say('documents_remove_words')}
    </BulkAct>
  );
}

const REFRESH = ['listDocuments', 'readKnowledgeUse'] as const;

type Open = (item: DocumentSummary) => void;

function useColumns({ onShow, onRemove }: { onShow: Open; onRemove: Open }): Column<DocumentSummary>[] {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const may = useMay('member');
  return [
    {
      id: 'name',
      label: say('document'),
      cell: (item) => (
        <>
          <UnstyledButton className={pageClasses.name} dir="auto" onClick={() => onShow(item)}>
            {item.name}
          </UnstyledButton>
          {item.url && (
            <Text size="xs" c="dimmed" dir="ltr" style={{ overflowWrap: 'anywhere' }}>
              {item.url}
            </Text>
          )}
        </>
      ),
    },
    {
      id: 'size',
      label: say('document_size'),
      cell: ({ bytes }) => (
        <span style={{ whiteSpace: 'nowrap' }}>
          {say('kilobytes', { size: number(say.language, Math.max(0.1, Math.round(bytes / 102.4) / 10)) })}
        </span>
      ),
    },
    { id: 'added', label: say('document_added_at'), cell: (item) => <Moment at={item.created_at} /> },
    {
      id: 'actions',
      label: sayCommon('actions'),
      hidden: true,
      align: 'end',
      width: '60px',
      cell: (item) =>
        may && isOwn(item) ? (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={say('document_remove_label', { name: item.name })}
            onClick={() => onRemove(item)}
          >
            <IconTrash size={17} />
          </ActionIcon>
        ) : null,
    },
  ];
}

type DialogProps = {
  agentId: string;
  /** Null: the dialog is closed. */
  item: DocumentSummary | null;
  onClose: () => void;
};

function TextDialog({ agentId, item, onClose }: DialogProps): ReactNode {
  return (
    <Dialog opened={item !== null} onClose={onClose} title={<span dir="auto">{item?.name}</span>} size="xl">
      {item && <DocumentText agentId={agentId} id={item.id} label={item.name} />}
    </Dialog>
  );
}

function DocumentText({ agentId, id, label }: { agentId: string; id: string; label: string }): ReactNode {
  const org_id = useOrganization().id;
  const read = useRead('readDocument', { params: { org_id, agent_id: agentId, document_id: id } }, {});
  if (read.isPending) return <Skeleton h={200} />;
  if (!read.data) return <ProblemAlert problem={read.error} onRetry={() => void read.refetch()} />;
  return (
    <pre className={classes.text} dir="auto" tabIndex={0} aria-label={label}>
      {read.data.text}
    </pre>
  );
}

function RemoveDocument({ agentId, item, onClose }: DialogProps): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const name = `\u2068${item?.name ?? ''}\u2069`;
  return (
    <RemoveDialog
      input={item && { params: { org_id, agent_id: agentId, document_id: item.id } }}
      remove={useAct('deleteDocument', { refresh: REFRESH })}
      title={say('document_remove_title', { name })}
      act={say('document_remove')}
      removed={say('document_removed', { name })}
      onClose={onClose}
    >
      {say('document_remove_words')}
    </RemoveDialog>
  );
}
