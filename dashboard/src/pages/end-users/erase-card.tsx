import { Button, Group } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { EndUserRecord } from '../../../../contract/dashboard/end-users.ts';
import { addressOf } from '../../api/client.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { DeleteDialog } from '../../parts/delete-dialog.tsx';
import { useLeaveDeleted } from '../../parts/use-leave-deleted.ts';
import { useOrganization } from '../../session/session.ts';
import { texts } from './texts.ts';

/** The card fulfils the legal rights of a person, which are an export of all their data, and erasure. */
export function EraseCard({ item }: { item: EndUserRecord }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const leave = useLeaveDeleted();
  const [opened, setOpened] = useState(false);
  const erase = useAct('eraseEndUser', { refresh: ['listEndUsers', 'readOverview'] });
  const params = { org_id, end_user_id: item.id };
  const name = item.name ?? item.external_id ?? item.email ?? item.phone ?? item.id;
  return (
    <Card
      title={say('rights')}
      description={say('rights_hint')}
      aside={
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            component="a"
            href={addressOf('exportEndUser', { params })}
            download
          >
            {say('export_one')}
          </Button>
          <Button variant="default" c="var(--mantine-color-error)" onClick={() => setOpened(true)}>
            {say('erase')}
          </Button>
        </Group>
      }
    >
      <DeleteDialog
        opened={opened}
        onClose={() => setOpened(false)}
        title={say('erase_title', { name: `\u2068${name}\u2069` })}
        name={name}
        ask={say('erase_ask')}
        act={say('erase')}
        busy={erase.isPending}
        problem={erase.error}
        onAct={() => leave(erase.mutateAsync({ params }), '/end-users', say('erased'))}
      >
        {say('erase_words')}
      </DeleteDialog>
    </Card>
  );
}
