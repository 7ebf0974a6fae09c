import type { ReactNode } from 'react';
import type { KeyRecord } from '../../../../contract/dashboard/keys.ts';
import { MAX_LABEL_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { NameDialog } from '../name-dialog.tsx';
import { notifyDone } from '../notify.tsx';
import { useOrganization } from '../../session/session.ts';
import { texts } from './texts.ts';

export function RenameDialog({ item, onClose }: { item: KeyRecord | null; onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const rename = useAct('renameKey', { refresh: ['listKeys', 'readKey', 'listAudit'] });
  return (
    <NameDialog
      name={item?.label ?? null}
      onClose={onClose}
      title={say('rename_title')}
      label={say('label')}
      maxLength={MAX_LABEL_CHARACTERS}
      field="label"
      missing={say('label_missing')}
      save={(label) => rename.mutateAsync({ params: { org_id, key_id: item!.id }, body: { label } })}
      onSaved={() => {
        onClose();
        notifyDone(say('renamed'));
      }}
    />
  );
}
