import { Anchor } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Problem } from '../api/client.ts';
import { common } from '../language/common.ts';
import { useTexts } from '../language/texts.tsx';
import { PagePending } from '../parts/page-pending.tsx';
import { ProblemAlert } from '../parts/problem-alert.tsx';
import { texts } from '../parts/sign-in/texts.ts';
import { FrontPage } from './front-page.tsx';

/** The text is shown while the subject of the page loads, or if it fails to load. */
export function FrontLoading({ read, title }: { read: UseQueryResult<unknown, Problem>; title: string }): ReactNode {
  const say = useTexts(common);
  const saySignIn = useTexts(texts);
  return (
    <FrontPage title={read.isError ? title : say('loading')}>
      {!read.isError && <PagePending />}
      {read.isError && (
        <>
          {/* A used or expired link stays invalid. */}
          <ProblemAlert
            problem={read.error}
            {...(read.error.status !== 404 && { onRetry: () => void read.refetch() })}
          />
          <Anchor size="sm" mt="md" display="inline-block" renderRoot={(props) => <Link to="/sign-in" {...props} />}>
            {saySignIn('back_to_sign_in')}
          </Anchor>
        </>
      )}
    </FrontPage>
  );
}
