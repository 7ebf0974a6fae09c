import { Group, Text, Title } from '@mantine/core';
import { Link, useLocation, type LinkProps } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { common } from '../language/common.ts';
import { useTexts } from '../language/texts.tsx';
import { countVisit } from '../preferences.ts';
import { useTabTitle } from './tab-title.ts';
import classes from './page-header.module.css';

type Crumb = { label: string; to?: LinkProps['to'] };
type Props = {
  title: string;
  /** A fact about the content of the page, beside the title. */
  description?: ReactNode;
  /** The purpose of the page, shown on the first visits only. */
  hint?: ReactNode;
  /** The breadcrumbs of the page, without the page itself. */
  crumbs?: readonly Crumb[];
  actions?: ReactNode;
  badge?: ReactNode;
};

/** The component is the heading of every page. The component also sets the title of the browser's tab. */
export function PageHeader({ title, description, hint, crumbs = [], actions, badge }: Props): ReactNode {
  const say = useTexts(common);
  const isNew = useFirstVisits(hint !== undefined);
  const text = description ?? (isNew && hint);
  useTabTitle(`${title} · Parley`);
  return (
    <header className={classes.header}>
      {crumbs.length > 0 && (
        <nav className={classes.crumbs} aria-label={say('way_here')}>
          <ol>
            {crumbs.map(({ label, to }) => (
              <li key={label}>{to ? <Link to={to}>{label}</Link> : label}</li>
            ))}
          </ol>
        </nav>
      )}
      <Group justify="space-between" align="flex-start" gap="md">
        <div className={classes.words}>
          <Group gap="sm">
            <Title order={1} tabIndex={-1}>
              <bdi>{title}</bdi>
            </Title>
            {badge}
          </Group>
          {text && (
            <Text c="dimmed" mt={4} maw={640} component="div">
              {text}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
    </header>
  );
}

/** The value does not change while the page is open. */
function useFirstVisits(counts: boolean): boolean {
  const path = useLocation({ select: ({ pathname }) => pathname });
  const [isNew, setNew] = useState(true);
  useEffect(() => {
    if (counts) setNew(countVisit(path));
  }, [counts, path]);
  return isNew;
}
