import { Button, Group } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Problem } from '../api/client.ts';
import { useTexts } from '../language/texts.tsx';
import { ProblemAlert } from '../parts/problem-alert.tsx';
import { FrontPage } from './front-page.tsx';
import { texts } from './texts.ts';

const reload = (): void => location.reload();

/**
 * The page is shown instead of a page that could not load or that has a bug. The page of an error offers a way to
 * continue.
 */
export function Crash({ error }: { error: unknown }): ReactNode {
  const say = useTexts(texts);
  const router = useRouter();
  if (error instanceof Problem)
    return (
      <FrontPage title={say('crashed')}>
        <ProblemAlert problem={error} onRetry={() => void router.invalidate()} />
      </FrontPage>
    );
  return (
    <FrontPage title={say('crashed')} description={say('crashed_hint')}>
      <Group>
        <Button onClick={reload}>{say('reload')}</Button>
      </Group>
    </FrontPage>
  );
}

export function NotFound(): ReactNode {
  const say = useTexts(texts);
  return (
    <FrontPage title={say('not_found')} description={say('not_found_hint')}>
      <Button renderRoot={(props) => <Link to="/" {...props} />}>{say('to_first_steps')}</Button>
    </FrontPage>
  );
}
