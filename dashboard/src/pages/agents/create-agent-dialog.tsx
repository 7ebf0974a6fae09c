import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { MAX_NAME_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct } from '../../api/queries.ts';
import { useWords } from '../../language/words.tsx';
import { NameDialog } from '../../parts/name-dialog.tsx';
import { useOrganization } from '../../session/session.ts';
import { words } from './words.ts';

export function CreateAgentDialog({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const navigate = useNavigate();
  const create = useAct('createAgent', { refresh: ['listAgents', 'readOverview'] });
  return (
    <NameDialog
      name={opened ? '' : null}
      onClose={onClose}
      title={say('create')}
      label={say('name')}
      maxLength={MAX_NAME_CHARACTERS}
      missing={say('name_missing')}
      create={{ act: say('create'), hint: say('create_hint'), example: say('name_example') }}
      save={(name) => create.mutateAsync({ params: { org_id }, body: { name } })}
      onSaved={({ id }) => void navigate({ to: '/agents/$agent_id', params: { agent_id: id } })}
    />
  );
}
