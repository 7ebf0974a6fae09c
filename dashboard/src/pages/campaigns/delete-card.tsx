import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { CampaignRecord } from '../../../../contract/dashboard/campaigns.ts';
import { useAct } from '../../api/queries.ts';
import { useWords } from '../../language/words.tsx';
import { Card } from '../../parts/card.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { useOrganization } from '../../session/session.ts';
import { DeleteDialog } from '../agents/delete-dialog.tsx';
import { words } from './words.ts';
import classes from './campaigns.module.css';

export function DeleteCard({ item }: { item: CampaignRecord }): ReactNode {
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
