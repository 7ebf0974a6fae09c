import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './card.module.css';

type Props = { title?: string; description?: ReactNode; aside?: ReactNode; children?: ReactNode; footer?: ReactNode };

/** A titled part of a page. */
export function Card({ title, description, aside, children, footer }: Props): ReactNode {
  return (
    <section className={classes.card} aria-label={title}>
      {(title || aside) && (
        <Group justify="space-between" align="flex-start" className={classes.head} gap="sm">
          <div className={classes.words}>
            {title && <Title order={2}>{title}</Title>}
            {description && (
              <Text size="sm" c="dimmed" mt={2} component="div">
                {description}
              </Text>
            )}
          </div>
          {aside}
        </Group>
      )}
      {children}
      {footer && <div className={classes.footer}>{footer}</div>}
    </section>
  );
}
