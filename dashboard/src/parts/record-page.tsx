import type { UseQueryResult } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import type { Problem } from '../api/client.ts';
import { defineTexts, useTexts } from '../language/texts.tsx';
import { OtherOrganization } from './other-organization.tsx';
import { PageHeader } from './page-header.tsx';
import { PagePending } from './page-pending.tsx';
import { ProblemAlert } from './problem-alert.tsx';

const texts = defineTexts(
  { gone: 'It may have been deleted, or the link is wrong.' },
  { gone: 'ربما حُذف، أو أن الرابط غير صحيح.' },
);

type Props<T> = {
  read: UseQueryResult<T, Problem>;
  title: string;
  crumbs?: Parameters<typeof PageHeader>[0]['crumbs'];
  children: (data: T) => ReactNode;
};

/** True if the record was deleted, perhaps in another window, so that the old data must not be shown any more. */
export const isGone = ({ error }: { error: Problem | null }): boolean => error?.status === 404;

/**
 * Shows the error of a page that cannot load its record. The server's text about a missing record is for callers of the
 * API, so the page shows another text.
 */
export function ReadProblem<T>({ read }: { read: UseQueryResult<T, Problem> }): ReactNode {
  const say = useTexts(texts);
  if (!isGone(read)) return <ProblemAlert problem={read.error} onRetry={() => void read.refetch()} />;
  return (
    <>
      <ProblemAlert problem={read.error} detail={say('gone')} />
      <OtherOrganization />
    </>
  );
}

/**
 * Shows a page about one record: its outline during loading, or the error if loading fails. The page of another record
 * starts without the text and the rows of the first one.
 */
export function RecordPage<T>({ read, title, crumbs = [], children }: Props<T>): ReactNode {
  if (read.isPending) return <PagePending />;
  if (read.data === undefined || isGone(read))
    return (
      <>
        <PageHeader title={title} crumbs={crumbs} />
        <ReadProblem read={read} />
      </>
    );
  return <Fragment key={(read.data as { id?: string }).id}>{children(read.data)}</Fragment>;
}
