import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { KeyRecord } from '../../../../contract/dashboard/keys.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import type { Column } from '../../list/data-list.tsx';
import { useMay } from '../../session/session.ts';
import { Moment } from '../moment.tsx';
import { useMemberNames } from '../use-record-names.ts';
import { LastUsed, Prefix, Standing } from './key-parts.tsx';
import { texts } from './texts.ts';
import classes from './api-keys.module.css';

type Props = {
  /** The columns that follow the prefix. */
  more?: Column<KeyRecord>[];
  /** The content beside the state of a key. */
  besideState?: (item: KeyRecord) => ReactNode;
  /** The buttons of an active key, for people who may manage keys. */
  actions: (item: KeyRecord) => ReactNode;
};

/** The columns of a list of keys. */
export function useKeyColumns({ more = [], besideState, actions }: Props): Column<KeyRecord>[] {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const mayManage = useMay('admin');
  const who = useMemberNames();
  const columns: Column<KeyRecord>[] = [
    {
      id: 'label',
      label: say('label'),
      cell: (item) => (
        <div className={classes.nameCell}>
          <Link
            to="/settings/integrations/api-keys/$key_id"
            params={{ key_id: item.id }}
            className={classes.name}
            dir="auto"
            id={`label-${item.id}`}
          >
            {item.label}
          </Link>
          <div className={classes.standing}>
            <Standing item={item} who={who} />
            {besideState?.(item)}
          </div>
        </div>
      ),
    },
    { id: 'prefix', label: say('prefix'), cell: ({ prefix }) => <Prefix prefix={prefix} /> },
    ...more,
    { id: 'created', label: say('created'), cell: ({ created_at }) => <Moment at={created_at} /> },
    { id: 'last_used', label: say('last_used'), cell: (item) => <LastUsed item={item} /> },
  ];
  if (mayManage)
    columns.push({
      id: 'actions',
      label: sayCommon('actions'),
      hidden: true,
      align: 'end',
      cell: (item) => (item.state === 'active' ? actions(item) : null),
    });
  return columns;
}
