import { Anchor, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Problem } from '../api/client.ts';
import { common } from '../language/common.ts';
import { useWords } from '../language/words.tsx';
import { PagePending } from '../parts/page-pending.tsx';
import { useTabTitle } from '../parts/tab-title.ts';
import { ProblemAlert } from '../parts/problem-alert.tsx';
import { words } from '../parts/sign-in/words.ts';
import { Logo } from './logo.tsx';
import { LanguageControl, ThemeControl } from './preference-controls.tsx';
import classes from './front-page.module.css';

type Props = { title: string; description?: ReactNode; children: ReactNode };

/** Pages outside the shell: signing in, setting up, accepting an invitation. */
export function FrontPage({ title, description, children }: Props): ReactNode {
  useTabTitle(`${title} · Parley`);
  return (
    <div className={classes.page}>
      <main className={classes.card}>
        <div className={classes.brand}>
          <Logo size={32} />
          <span>Parley</span>
        </div>
        <Title order={1} dir="auto">
          {title}
        </Title>
        {description && (
          <Text c="dimmed" mt={6} component="div">
            {description}
          </Text>
        )}
        <div className={classes.body}>{children}</div>
      </main>
      <footer className={classes.foot}>
        <LanguageControl />
        <ThemeControl />
      </footer>
    </div>
  );
}

/** Shown while the subject of the page loads, or if it fails to load. */
export function FrontUnread({ read, title }: { read: UseQueryResult<unknown, Problem>; title: string }): ReactNode {
  const say = useWords(common);
  const saySignIn = useWords(words);
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
