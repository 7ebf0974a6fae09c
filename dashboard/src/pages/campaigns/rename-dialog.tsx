import type { ReactNode } from 'react';
import type { CampaignRecord } from '../../../../contract/dashboard/campaigns.ts';
import { MAX_LABEL_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { NameDialog } from '../../parts/name-dialog.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { useOrganization } from '../../session/session.ts';
import { texts as agentTexts } from '../../parts/agents/agent-select-texts.ts';
import { READ_AGAIN } from './search.ts';
import { texts } from './texts.ts';

type Props = { item: CampaignRecord; opened: boolean; onClose: () => void };

export function RenameDialog({ item, opened, onClose }: Props): ReactNode {
  const say = useTexts(texts);
  const sayAgent = useTexts(agentTexts);
  const org_id = useOrganization().id;
  const rename = useAct('updateCampaign', { refresh: READ_AGAIN });
  return (
    <NameDialog
      name={opened ? item.name : null}
      onClose={onClose}
      title={say('rename')}
      label={say('name')}
      maxLength={MAX_LABEL_CHARACTERS}
      missing={sayAgent('name_missing')}
      save={(name) => rename.mutateAsync({ params: { org_id, campaign_id: item.id }, body: { name } })}
      onSaved={() => {
        onClose();
        notifyDone(say('renamed'));
      }}
    />
  );
}
