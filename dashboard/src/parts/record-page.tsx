import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Problem } from '../api/client.ts';
import { OtherOrganization } from './other-organization.tsx';
import { PageHeader } from './page-header.tsx';
import { PagePending } from './page-pending.tsx';
import { ProblemAlert } from './problem-alert.tsx';

type Props<T> = {
  read: UseQueryResult<T, Problem>;
  title: string;
  crumbs?: Parameters<typeof PageHeader>[0]['crumbs'];
  children: (data: T) => ReactNode;
};

/** True if the record was deleted, perhaps in another window, so that the old data must not be shown any more. */
export const isGone = ({ error }: { error: Problem | null }): boolean => error?.status === 404;

/** Shows a page about one record: its outline during loading, or the error if loading fails. */
export function RecordPage<T>({ read, title, crumbs = [], children }: Props<T>): ReactNode {
  if (read.isPending) return <PagePending />;
  if (read.data === undefined || isGone(read))
    return (
      <>
        <PageHeader title={title} crumbs={crumbs} />
        <ProblemAlert problem={read.error} onRetry={() => void read.refetch()} />
        {isGone(read) && <OtherOrganization />}
      </>
    );
  return <>{children(read.data)}</>;
}
