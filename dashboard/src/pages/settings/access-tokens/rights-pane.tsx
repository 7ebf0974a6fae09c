import type { ReactNode } from 'react';
import type { TokenVerb } from '../../../../../contract/permissions.ts';
import { useTexts } from '../../../language/texts.tsx';
import { RightsLists } from '../../../parts/api-keys/rights-lists.tsx';
import type { Draft } from './draft.ts';
import { texts } from './texts.ts';

/** Explains in full sentences what the new token can and cannot do, while the user fills in the form. */
export function RightsPane({ draft: { verbs, isNarrow, kind, role } }: { draft: Draft }): ReactNode {
  const say = useTexts(texts);
  const isViewer = kind === 'organization' && role === 'viewer';
  const has = (verb: TokenVerb): boolean => verbs.includes(verb) && (verb === 'read' || !isViewer);
  const agents = { agents: say(isNarrow ? 'this_agent' : 'every_agent') };
  return (
    <RightsLists
      titles={{ can: say('can'), cannot: say('cannot') }}
      can={[
        has('read') && say('can_read', agents),
        has('test') && say('can_test', agents),
        has('push') && say('can_push', agents),
        has('push') && !isNarrow && say('can_push_new'),
        has('publish') && say('can_publish', agents),
        has('publish') && !isNarrow && say('can_publish_triggers'),
      ]}
      cannot={[
        isNarrow && say('cannot_other_agents'),
        !has('publish') && say('cannot_publish'),
        say('cannot_people'),
        say('cannot_access'),
        say('cannot_api'),
        kind === 'person' && say('cannot_more'),
      ]}
      nothing={say('can_nothing')}
    />
  );
}
