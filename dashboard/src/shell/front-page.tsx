import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTabTitle } from '../parts/tab-title.ts';
import { Logo } from './logo.tsx';
import { LanguageControl, ThemeControl } from './preference-controls.tsx';
import { useFocusAfterActions } from './use-focus-after-actions.ts';
import classes from './front-page.module.css';

type Props = { title: string; description?: ReactNode; children: ReactNode };

/** The pages outside of the shell are for signing in, setting up, and accepting an invitation. */
export function FrontPage({ title, description, children }: Props): ReactNode {
  useTabTitle(`${title} · Parley`);
  useFocusAfterActions();
  return (
    <div className={classes.page}>
      <main className={classes.card}>
        <div className={classes.brand}>
          <Logo size={32} />
          <span>Parley</span>
        </div>
        <Title order={1}>
          <bdi>{title}</bdi>
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
