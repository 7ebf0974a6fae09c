import type { ReactNode } from 'react';
import type { CampaignRecord } from '../../../../contract/dashboard/campaigns.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { DeleteCard } from '../../parts/delete-card.tsx';
import { useOrganization } from '../../session/session.ts';
import { texts } from './texts.ts';
import classes from './campaigns.module.css';

export function DeleteCampaign({ item }: { item: CampaignRecord }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const remove = useAct('deleteCampaign', { refresh: ['listCampaigns', 'readOverview'] });
  return (
    <div className={classes.section}>
      <DeleteCard
        name={item.name}
        say={say}
        remove={remove}
        onDelete={() => remove.mutateAsync({ params: { org_id, campaign_id: item.id } })}
        leadsTo="/campaigns"
      />
    </div>
  );
}
