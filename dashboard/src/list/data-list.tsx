import { Skeleton, VisuallyHidden } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { MouseEvent, ReactNode } from 'react';
import type { Problem } from '../api/client.ts';
import { common } from '../language/common.ts';
import { useTexts } from '../language/texts.tsx';
import { ProblemAlert } from '../parts/problem-alert.tsx';
import { usePreferences } from '../preferences.ts';
import classes from './data-list.module.css';

export type Column<T> = {
  /** A stable name. Unless the column is `hidden`, the name is also the heading. */
  id: string;
  label: string;
  cell: (item: T) => ReactNode;
  /** True: only screen readers get the heading. */
  hidden?: boolean;
  width?: string;
  align?: 'end';
};

type Props<T> = {
  label: string;
  columns: readonly Column<T>[];
  read: UseQueryResult<{ data: T[] }, Problem>;
  keyOf: (item: T) => string;
  /** Replaces the table if there are no rows. */
  empty: ReactNode;
  /** True: the row is dimmed, for example the row of a revoked key. */
  faded?: (item: T) => boolean;
  footer?: ReactNode;
  /** The content before the first cell: a checkbox that selects the row. */
  choice?: (item: T) => ReactNode;
};

/** Elements in a row that have a separate click action. */
const OWN_PURPOSE = 'a, button, input, label, select, textarea, summary, details, [role=menu], [tabindex]';

/**
 * A table that becomes a stack of cards on a narrow screen. The table's ARIA roles are explicit, because `display:
 * block` would remove them. Loading, failing and empty states look the same in every list.
 */
export function DataList<T>({ label, columns, read, keyOf, empty, faded, footer, choice }: Props<T>): ReactNode {
  const { dense } = usePreferences();
  if (read.isPending) return <ListSkeleton columns={columns.length} />;
  if (!read.data) return <ProblemAlert problem={read.error} onRetry={() => void read.refetch()} />;
  const rows = read.data.data;
  if (rows.length === 0) return <>{empty}</>;
  return (
    <div className={classes.frame} data-dense={dense || undefined}>
      <div className={classes.scroll} data-stale={read.isPlaceholderData || undefined}>
        <table className={classes.table} role="table" aria-label={label}>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map(({ id, label: heading, hidden, width, align }) => (
                <th key={id} role="columnheader" scope="col" style={{ width }} data-align={align}>
                  {hidden ? <VisuallyHidden>{heading}</VisuallyHidden> : heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((item) => (
              // Keyboard users open the row by its link.
              <tr
                key={keyOf(item)}
                role="row"
                data-faded={faded?.(item) || undefined}
                data-row={keyOf(item)}
                onClick={openRow}
              >
                {columns.map(({ id, label: heading, cell, hidden, align }, at) => (
                  <td key={id} role="cell" data-label={hidden ? undefined : heading} data-align={align}>
                    {at === 0 && choice ? <Chosen choice={choice(item)}>{cell(item)}</Chosen> : cell(item)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {footer}
    </div>
  );
}

const Chosen = ({ choice, children }: { choice: ReactNode; children: ReactNode }): ReactNode => (
  <div className={classes.chosen}>
    {choice}
    {children}
  </div>
);

/** A click on the row opens the link of its first cell, in a new tab with the usual keys. */
function openRow(event: MouseEvent<HTMLTableRowElement>): void {
  const { target, currentTarget: row, ctrlKey, metaKey, shiftKey } = event;
  // Clicks in a dialog of the row do not count, and neither does a selection of text.
  if (!(target instanceof Element && row.contains(target)) || getSelection()?.type === 'Range') return;
  if (row.contains(target.closest(OWN_PURPOSE))) return;
  const link = row.querySelector('td:first-child a[href]');
  link?.dispatchEvent(new window.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }));
}

const ROWS = 4;

function ListSkeleton({ columns }: { columns: number }): ReactNode {
  const say = useTexts(common);
  return (
    <div className={classes.frame} aria-busy="true">
      <VisuallyHidden role="status">{say('loading')}</VisuallyHidden>
      {Array.from({ length: ROWS }, (_, row) => (
        <div key={row} className={classes.skeleton}>
          {Array.from({ length: columns }, (_, column) => (
            <Skeleton key={column} h={14} w={column === 0 ? '80%' : '55%'} />
          ))}
        </div>
      ))}
    </div>
  );
}
