import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Problem } from '../api/client.ts';
import { PageHeader } from './page-header.tsx';
import { PagePending } from './page-pending.tsx';
import { ProblemAlert } from './problem-alert.tsx';

type Props<T> = {
  read: UseQueryResult<T, Problem>;
  title: string;
  crumbs?: Parameters<typeof PageHeader>[0]['crumbs'];
  children: (data: T) => ReactNode;
};

/** A page about one thing: its outline until it has come, and what went wrong if it does not. */
export function WhenRead<T>({ read, title, crumbs = [], children }: Props<T>): ReactNode {
  if (read.isPending) return <PagePending />;
  if (read.data === undefined)
    return (
      <>
        <PageHeader title={title} crumbs={crumbs} />
        <ProblemAlert problem={read.error} onRetry={() => void read.refetch()} />
      </>
    );
  return <>{children(read.data)}</>;
}
