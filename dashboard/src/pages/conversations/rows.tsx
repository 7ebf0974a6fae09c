import { useEffect, type ReactNode } from 'react';
import type { ListedConversation } from '../../../../contract/dashboard/conversations.ts';
import { useTexts } from '../../language/texts.tsx';
import { useNow } from '../../parts/moment.tsx';
import { kindNames } from '../../parts/channels/kind-names.ts';
import { useAgentNames } from '../../parts/use-record-names.ts';
import { usePersonName } from '../../parts/end-users/person-name.ts';
import { listTexts } from '../../list/list-texts.ts';
import { Row, type Shown } from './row.tsx';
import type { Selection } from '../../list/use-selection.ts';
import { texts } from './texts.ts';
import classes from './conversations.module.css';
import inbox from './inbox.module.css';

type RowsProps = {
  items: readonly ListedConversation[];
  chosen: string | undefined;
  stale: boolean;
  /** Null: the reader may not change conversations. */
  selection: Selection | null;
  /** The values that all rows share. */
  shown: Shown;
};

/** Shows one page of the list. */
export function Rows({ items, chosen, stale, selection, shown }: RowsProps): ReactNode {
  const sayList = useTexts(listTexts);
  const nameOf = usePersonName();
  const now = useNow();
  const from = useFrom(items);
  useEffect(() => {
    if (chosen) document.getElementById(`row-${chosen}`)?.scrollIntoView({ block: 'nearest' });
    // The list scrolls only when another conversation is selected, so the reader's own scrolling is not disturbed.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [chosen]);
  return (
    <ul className={classes.rows} data-stale={stale || undefined}>
      {items.map((item) => (
        <li key={item.id} className={inbox.item} data-selecting={(selection?.chosen.length ?? 0) > 0 || undefined}>
          {selection && (
            // Mantine's checkbox is much larger, and no other part of the first view needs its code.
            <input
              type="checkbox"
              className={inbox.select}
              aria-label={sayList('select', { name: nameOf(item.end_user) })}
              checked={selection.has(item.id)}
              onChange={() => selection.toggle(item.id)}
            />
          )}
          <Row
            item={item}
            isOpen={item.id === chosen}
            now={now}
            {...from(item)}
            view={shown.view}
            status={shown.status}
          />
        </li>
      ))}
    </ul>
  );
}

/** Returns the channel and the agent of each row, if the rows have several of them. */
function useFrom(items: readonly ListedConversation[]) {
  const say = useTexts(texts);
  const sayKind = useTexts(kindNames);
  const agentName = useAgentNames(items.map(({ agent_id }) => agent_id));
  const hasMany = (name: 'channel_kind' | 'agent_id'): boolean => new Set(items.map((item) => item[name])).size > 1;
  const [kinds, agents] = [hasMany('channel_kind'), hasMany('agent_id')];
  return ({ channel_kind, agent_id }: ListedConversation) => ({
    kind: kinds ? sayKind(`kind_${channel_kind}` as 'kind_sms') : undefined,
    agent: agents ? (agentName(agent_id) ?? say('agent')) : undefined,
  });
}
