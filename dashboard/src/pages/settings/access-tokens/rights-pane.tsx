import { IconCheck, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { TokenVerb } from '../../../../../contract/permissions.ts';
import { useWords } from '../../../language/words.tsx';
import classes from '../../../parts/api-keys/api-keys.module.css';
import type { Draft } from './draft.ts';
import { words } from './words.ts';

/** Explains in full sentences what the new token can and cannot do, while it is configured. */
export function RightsPane({ draft: { verbs, isNarrow, kind, role } }: { draft: Draft }): ReactNode {
  const say = useWords(words);
  const isViewer = kind === 'organization' && role === 'viewer';
  const has = (verb: TokenVerb): boolean => verbs.includes(verb) && (verb === 'read' || !isViewer);
  const agents = { agents: say(isNarrow ? 'this_agent' : 'every_agent') };
  const can = [
    has('read') && say('can_read', agents),
    has('test') && say('can_test', agents),
    has('push') && say('can_push', agents),
    has('push') && !isNarrow && say('can_push_new'),
    has('publish') && say('can_publish', agents),
    has('publish') && !isNarrow && say('can_publish_triggers'),
  ].filter((line) => line !== false);
  const cannot = [
    isNarrow && say('cannot_other_agents'),
    !has('publish') && say('cannot_publish'),
    say('cannot_people'),
    say('cannot_access'),
    say('cannot_api'),
    kind === 'person' && say('cannot_more'),
  ].filter((line) => line !== false);
  return (
    <div className={classes.pane} aria-live="polite" aria-relevant="additions text">
      <h3>{say('can')}</h3>
      <ul className={can.length === 0 ? classes.cannot : classes.can}>
        {(can.length === 0 ? [say('can_nothing')] : can).map((line) => (
          <li key={line}>
            {can.length === 0 ? <span aria-hidden="true">–</span> : <IconCheck size={16} aria-hidden="true" />}
            {line}
          </li>
        ))}
      </ul>
      <h3>{say('cannot')}</h3>
      <ul className={classes.cannot}>
        {cannot.map((line) => (
          <li key={line}>
            <IconX size={16} aria-hidden="true" />
            {line}
          </li>
        ))}
      </ul>
    </div>
  );
}
