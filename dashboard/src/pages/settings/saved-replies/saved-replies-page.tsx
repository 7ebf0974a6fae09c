import { ActionIcon, Box, Group, Text } from '@mantine/core';
import { IconMessages, IconPencil, IconTrash } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { SavedReplySummary } from '../../../../../contract/dashboard/saved-replies.ts';
import { useAct, useRead } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { languageName, list } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { DataList, type Column } from '../../../list/data-list.tsx';
import { Empty } from '../../../list/empty.tsx';
import { AddButton } from '../../../parts/add-button.tsx';
import { useActionTexts } from '../../../parts/conversations/action-texts.ts';
import { RemoveDialog } from '../../../parts/remove-dialog.tsx';
import { Moment } from '../../../parts/moment.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { useMay, useOrganization } from '../../../session/session.ts';
import { SavedReplyDialog, type Opened } from './saved-reply-dialog.tsx';
import { savedReplyTexts } from './texts.ts';

/** The page lists frequent replies. Everyone can read saved replies, and members can edit them. */
export function SavedRepliesPage(): ReactNode {
  const say = useTexts(savedReplyTexts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const read = useRead('listSavedReplies', { params: { org_id } });
  const [opened, setOpened] = useState<Opened>(null);
  const [deleted, setDeleted] = useState<SavedReplySummary | null>(null);
  const columns = useColumns(may, (id) => setOpened({ id }), setDeleted);
  const add = may && <AddButton onClick={() => setOpened({ id: null })}>{say('add')}</AddButton>;
  return (
    <>
      <PageHeader
        title={say('saved_replies')}
        crumbs={[{ label: say('settings'), to: '/settings' }]}
        hint={say('hint')}
        actions={read.data?.data.length !== 0 && add}
      />
      <DataList
        label={say('saved_replies')}
        read={read}
        keyOf={({ id }) => id}
        columns={columns}
        empty={
          <Empty icon={<IconMessages size={26} />} title={say('empty_title')} action={add}>
            {say('empty_words')}
          </Empty>
        }
      />
      <SavedReplyDialog opened={opened} onClose={() => setOpened(null)} />
      <DeleteReply item={deleted} onClose={() => setDeleted(null)} />
    </>
  );
}

function ActionsOf({ actions }: Pick<SavedReplySummary, 'actions'>): ReactNode {
  const { language } = useTexts(savedReplyTexts);
  const texts = useActionTexts(actions);
  return (
    texts.length > 0 && (
      <Text size="xs" c="dimmed" dir="auto">
        + {list(language, texts)}
      </Text>
    )
  );
}

function DeleteReply({ item, onClose }: { item: SavedReplySummary | null; onClose: () => void }): ReactNode {
  const say = useTexts(savedReplyTexts);
  const org_id = useOrganization().id;
  return (
    <RemoveDialog
      input={item && { params: { org_id, saved_reply_id: item.id } }}
      remove={useAct('deleteSavedReply', { refresh: ['listSavedReplies', 'listAudit'] })}
      title={say('delete')}
      act={say('delete')}
      removed={say('deleted')}
      onClose={onClose}
    >
      <Text size="sm">{say('delete_words')}</Text>
    </RemoveDialog>
  );
}

function useColumns(
  may: boolean,
  onEdit: (id: string) => void,
  onDelete: (item: SavedReplySummary) => void,
): Column<SavedReplySummary>[] {
  const say = useTexts(savedReplyTexts);
  const sayCommon = useTexts(common);
  const nameOf = (tag: string): string =>
    tag === 'default' ? say('language_default') : languageName(say.language, tag);
  const actions: Column<SavedReplySummary> = {
    id: 'actions',
    label: sayCommon('actions'),
    hidden: true,
    align: 'end',
    width: '96px',
    cell: (item) => (
      <Group gap={4} justify="flex-end" wrap="nowrap">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={say('edit_one', { name: item.name })}
          onClick={() => onEdit(item.id)}
        >
          <IconPencil size={17} />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={say('delete_one', { name: item.name })}
          onClick={() => onDelete(item)}
        >
          <IconTrash size={17} />
        </ActionIcon>
      </Group>
    ),
  };
  return [
    {
      id: 'name',
      label: say('name'),
      cell: ({ name, preview, actions }) => (
        <Box pe={{ base: 40, sm: 0 }}>
          <Text size="sm" fw={550} dir="auto">
            {name}
          </Text>
          <Text size="xs" c="dimmed" dir="auto" lineClamp={2}>
            {preview}
          </Text>
          <ActionsOf actions={actions} />
        </Box>
      ),
    },
    {
      id: 'shortcut',
      label: say('shortcut'),
      width: '140px',
      cell: ({ shortcut }) => <code dir="ltr">/{shortcut}</code>,
    },
    {
      id: 'languages',
      label: say('languages'),
      width: '170px',
      cell: ({ languages }) => <Text size="sm">{languages.map(nameOf).join(' · ')}</Text>,
    },
    { id: 'changed', label: say('changed'), width: '130px', cell: ({ updated_at }) => <Moment at={updated_at} /> },
    ...(may ? [actions] : []),
  ];
}
