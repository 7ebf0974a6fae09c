import { Group, Text, Title } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import { useEffect, type ReactNode } from 'react';
import { common } from '../language/common.ts';
import { useWords } from '../language/words.tsx';
import classes from './page-header.module.css';

type Crumb = { label: string; to?: LinkProps['to'] };
type Props = {
  title: string;
  description?: ReactNode;
  /** The way here, without the page itself. */
  crumbs?: readonly Crumb[];
  actions?: ReactNode;
  badge?: ReactNode;
};

/** The head of every page; also names the browser's tab. */
export function PageHeader({ title, description, crumbs = [], actions, badge }: Props): ReactNode {
  const say = useWords(common);
  useEffect(() => {
    document.title = `${title} · Parley`;
  }, [title]);
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
            <Title order={1} tabIndex={-1} dir="auto">
              {title}
            </Title>
            {badge}
          </Group>
          {description && (
            <Text c="dimmed" mt={4} maw={640} component="div">
              {description}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
    </header>
  );
}
