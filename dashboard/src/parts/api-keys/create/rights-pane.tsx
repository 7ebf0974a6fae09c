import type { ReactNode } from 'react';
import type { Permission } from '../../../../../contract/permissions.ts';
import { regionName } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { useOrganization, useSession } from '../../../session/session.ts';
import { RightsLists } from '../rights-lists.tsx';
import { texts } from '../texts.ts';

type Props = {
  scope: 'organization' | 'agent';
  agent: string | null;
  permissions: readonly Permission[];
  networks: number;
};

/** Explains in full sentences what the new key can and cannot do, while the user fills in the form. */
export function RightsPane({ scope, agent, permissions, networks }: Props): ReactNode {
  const say = useTexts(texts);
  const organization = useOrganization().name;
  const { region } = useSession();
  const values = {
    organization: `\u2068${organization}\u2069`,
    agent: agent ? `\u2068${agent}\u2069` : say('this_agent'),
  };
  const has = (permission: Permission): boolean => permissions.includes(permission);

  return (
    <RightsLists
      titles={{ can: say('can'), cannot: say('cannot') }}
      can={[
        has('triggers') && say(`can_triggers_${scope}`, values),
        has('channels') && say(`can_channels_${scope}`, values),
        has('end_users') && say('can_end_users', values),
      ]}
      cannot={[
        !has('triggers') && say('cannot_triggers'),
        !has('channels') && say('cannot_channels'),
        !has('end_users') && say('cannot_end_users'),
        scope === 'agent' && say('cannot_other_agents'),
        networks > 0 && say('cannot_networks', { count: networks }),
        say('cannot_campaigns'),
        say('cannot_regions', { region: regionName(say.language, region) }),
      ]}
      nothing={say('can_nothing')}
    />
  );
}
